//! One journal, four ways to look at it: the page, the terminal view, the report and `status --json` say the same numbers, wherever the
//! journal was cut off.

use std::fs;

use serde_json::Value;
use windlass_testkit::environment::{PersonsTerminal, Running, TestEnv, wait_until};

use super::{PATIENCE, Page, ask, windlass};

/// Works, claims too early, fails, is denied something, meets an outage, works again.
const VARIED: &str = r#"
[[call]]
steps = [ { write = { path = "a.txt", text = "1\n" } }, { result = { text = "A step.", cost = 0.21, tokens = { input = 1200, output = 80, cache_creation = 7, cache_read = 4000 } } } ]
[[call]]
steps = [ { result = { text = "Done.\n\nWINDLASS_JOB_COMPLETE", cost = 0.34 } } ]
[[call]]
steps = [ { result = { text = "It broke.", cost = 0.05, is_error = true, subtype = "error_during_execution" } } ]
[[call]]
steps = [ { deny = { tool = "Bash", input = { command = "touch denied" } } }, { write = { path = "b.txt", text = "2\n" } }, { result = { text = "Another.", cost = 1.1 } } ]
[[call]]
steps = [ { result = { text = "Nothing new.", cost = 0.02 } } ]
"#;

fn varied(env: &TestEnv) -> String {
    let script = env.write(env.root().join("varied.toml"), VARIED);
    let mock = format!("--mock={}", script.display());
    let flags = ["run", "-p", "Many things", "--gate", "test -f never", "--gate-later", "--no-delay"];
    let bounds = ["-m", "5", "--max-cost", "9", "--completion-threshold", "1", "--json"];
    let mut command = windlass(env, &[&flags[..], &bounds, &[mock.as_str()]].concat());
    let lines = Running::start(&mut command).wait(PATIENCE).json_lines();
    lines.first().unwrap()["run"].as_str().unwrap().to_owned()
}

/// The journal up to each of its lines, as a run of its own; their names.
fn cut_everywhere(env: &TestEnv, run: &str) -> Vec<String> {
    let projects = fs::read_dir(env.state().join("projects")).unwrap();
    let runs = projects
        .map(|project| project.unwrap().path().join("runs"))
        .find(|runs| runs.join(run).exists())
        .unwrap();
    let journal = fs::read_to_string(runs.join(run).join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    let lengths = (2..=lines.len()).step_by(2).chain([lines.len()]);
    let cut = lengths.enumerate().map(|(number, length)| {
        let name = format!("r-cut{number}");
        fs::create_dir(runs.join(&name)).unwrap();
        let text = lines[..length].join("\n").replace(run, &name) + "\n";
        fs::write(runs.join(&name).join("journal.jsonl"), text).unwrap();
        name
    });
    cut.collect()
}

fn json(env: &TestEnv, arguments: &[&str]) -> Value {
    let told = ask(env, arguments);
    serde_json::from_str(told.stdout_text().trim()).unwrap_or_else(|_| panic!("{arguments:?}: {told:?}"))
}

/// What stands under this word on the page's card.
fn figure(page: &str, name: &str) -> String {
    let (_, rest) =
        page.split_once(&format!("<dt>{name}</dt><dd>")).unwrap_or_else(|| panic!("no {name}: {page}"));
    rest.split('<').next().unwrap().to_owned()
}

fn dollars(value: &Value) -> String {
    format!("${:.2}", value.as_f64().unwrap())
}

#[test]
fn page_view_report_and_status_say_the_same_numbers_of_any_journal() {
    let env = TestEnv::with_git();
    let run = varied(&env);
    let cut = cut_everywhere(&env, &run);
    assert!(cut.len() > 15, "{cut:?}");
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    for (number, name) in cut.iter().enumerate() {
        let status = json(&env, &["status", name, "--json"]);
        let report = &json(&env, &["report", name, "--json"])["runs"][0];
        let body = visitor.get(&format!("/r/{name}")).body;
        for key in [
            "state",
            "iterations",
            "iteration",
            "cost_usd",
            "tokens",
            "duration_ms",
            "max_cost_usd",
            "denials",
        ] {
            assert_eq!(status[key], report[key], "{name}: {key}");
        }
        let (cost, iteration) = (dollars(&status["cost_usd"]), status["iteration"].to_string());
        let wasted: f64 = report["wasted"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
        // What is not known for certain is marked so.
        let mark = |seen: &Value| if seen["estimated_usd"].as_f64() > Some(0.0) { "≈" } else { "" };
        let cost = format!("{}{cost}", mark(&status));
        assert_eq!(figure(&body, "Cost"), format!("{cost} of $9.00"), "{name}");
        assert_eq!(figure(&body, "Iteration"), format!("{iteration} of 5"), "{name}");
        assert_eq!(figure(&body, "Wasted"), format!("${wasted:.2}"), "{name}");
        let rounds = report["rounds"].as_array().unwrap();
        assert_eq!(body.matches("class=\"row\"").count(), rounds.len(), "{name}");
        for round in rounds {
            let (_, row) = body.split_once(&format!("id=\"i{}\"", round["iteration"])).unwrap();
            let row = row.split("</li>").next().unwrap();
            assert!(
                row.contains(&format!(" {}{}", mark(round), dollars(&round["cost_usd"]))),
                "{name}: {round} is told as {row}"
            );
        }
        if number % 4 == 0 || number + 1 == cut.len() {
            let terminal = PersonsTerminal::start(&mut windlass(&env, &["watch", name]));
            let shown = wait_until(PATIENCE, || {
                // Drawn anew, all of it is written as it reads.
                terminal.press("\x0c");
                let text = terminal.text();
                text.contains(&format!("{cost}/9.00")) && text.contains(&format!("{iteration}/5"))
            });
            assert!(shown, "{name}: {cost} at {iteration}: {}", terminal.text());
        }
    }
}
