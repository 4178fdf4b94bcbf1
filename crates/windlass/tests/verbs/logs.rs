//! `logs`: live and replayed, the same.

use std::io::Read as _;
use std::process::Stdio;

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;
use windlass_testkit::environment::{Running, TestEnv, wait_until};

use super::{PATIENCE, ask, finished, go, start, told, windlass};

/// What the `times` file may be off by, in milliseconds, and as much again for a slow disk.
const TOLERANCE: i128 = 2 * 250;

/// The lines in an order of their own: a fact and an observation that are a few milliseconds apart may come either way.
fn sorted(mut lines: Vec<Value>) -> Vec<(Timestamp, Value)> {
    lines.sort_by_key(|line| {
        let number = |key: &str| line[key].as_u64().unwrap_or(0);
        (number("seq"), number("line"))
    });
    let timed = lines.into_iter().map(|mut line| {
        let time = line.as_object_mut().unwrap().remove("time").unwrap();
        (time.as_str().unwrap().parse().unwrap(), line)
    });
    timed.collect()
}

// rows: 112
#[test]
fn what_was_seen_live_is_seen_again() {
    let env = TestEnv::with_git();
    env.write("text.txt", "one\ntwo\n");
    let script = env.write(
        env.root().join("script.toml"),
        r#"
[[call]]
steps = [
  { say = "I look first." },
  { read = "text.txt" },
  { edit = { path = "text.txt", old = "one", new = "three" } },
  { edit = { path = "text.txt", old = "nowhere", new = "x" } },
  { sleep = "400ms" },
  { bash = "echo out; echo err >&2; exit 3" },
  { long_line = { bytes = 300000, kind = "tool_result" } },
  { noise = 1000 },
]
[[call]]
steps = [ { api_error = { status = 529 } } ]
[[call]]
steps = [ { say = "Again." } ]
"#,
    );
    let mock = format!("--mock={}", script.display());
    let mut command = windlass(&env, &["run", "-p", "Look", &mock, "--no-delay", "-m", "3", "--json"]);
    let live = env.run(command.env("WINDLASS_CLOCKS__BACKOFF", "1s"), PATIENCE).json_lines();
    let replayed = ask(&env, &["logs", "--json"]).json_lines();
    assert!(live.iter().any(|line| line["type"] == "agent_garbage") && live.len() > 30, "{live:#?}");
    assert_eq!(replayed.len(), live.len());
    for ((at, line), (again_at, again)) in sorted(live).iter().zip(&sorted(replayed)) {
        assert_eq!(again, line);
        let apart = again_at.as_millisecond().abs_diff(at.as_millisecond());
        let exact = line["line"].is_null();
        assert!(if exact { apart == 0 } else { i128::from(apart) < TOLERANCE }, "{apart} ms: {line}");
    }
}

// rows: 36, 37, 38, 113
#[test]
fn tools_are_shown_when_asked_for() {
    let env = TestEnv::with_git();
    let first = finished(&env, "First job", 1);
    finished(&env, "Second job", 1);
    let plain = told(&env, &["logs", &first]);
    assert!(
        plain.contains("Call 1.") && plain.contains("First job") && plain.contains("stopped: max_iterations")
    );
    assert!(!plain.contains("work.txt"), "{plain}");
    let tools = told(&env, &["logs", &first, "-v"]);
    let (written, ended) = (tools.find("Write work.txt").unwrap(), tools.find("stopped: ").unwrap());
    assert!(written < ended && tools.contains("Call 1."), "{tools}");
    assert!(told(&env, &["logs"]).contains("Second job"), "the newest by default");
}

// rows: 36
#[test]
fn a_live_run_is_followed_to_its_end() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &["-m", "2"]);
    let mut following = Running::start(&mut windlass(&env, &["logs", "-f", &run]));
    assert!(following.wait_for_stdout("Now I wait.", PATIENCE));
    assert!(!following.stdout_so_far().contains("The end of call 1."));
    // What is there so far is shown without following, too.
    assert!(told(&env, &["logs"]).ends_with("Now I wait.\n"));
    go(&env);
    let followed = following.wait(PATIENCE);
    assert_eq!((followed.code, followed.timed_out), (Some(0), false));
    let text = followed.stdout_text();
    assert!(text.contains("The end of call 2.") && text.ends_with("stopped: max_iterations\n"), "{text}");
    assert_eq!(text, told(&env, &["logs", &run]));
    assert_eq!(running.wait(PATIENCE).code, Some(10));
}

#[test]
fn following_ends_with_the_runs_process_with_ctrl_c_and_with_the_reader() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &[]);
    let follow = || {
        let mut following = Running::start(&mut windlass(&env, &["logs", "-f", "-v"]));
        assert!(following.wait_for_stdout("Now I wait.", PATIENCE));
        following
    };
    let interrupted = follow();
    interrupted.signal_group(Signal::INT);
    let interrupted = interrupted.wait(PATIENCE);
    assert!(interrupted.signal == Some(2) || interrupted.code == Some(130));
    assert_eq!(interrupted.stderr_text(), "");

    let mut piped = windlass(&env, &["logs", "-f", &run]).stdout(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 16];
    let mut pipe = piped.stdout.take().unwrap();
    pipe.read_exact(&mut some).unwrap();
    drop(pipe);
    // The run says nothing more, and still the follower notices.
    let ended = wait_until(PATIENCE, || piped.try_wait().unwrap().is_some());
    if !ended {
        piped.kill().unwrap();
    }
    assert!(ended && piped.wait().unwrap().success());

    let following = follow();
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    assert_eq!(following.wait(PATIENCE).code, Some(0));
}

/// A run whose agents call tools of every kind, between lines that are not JSON.
fn busy(env: &TestEnv) -> String {
    let script = env.write(
        env.root().join("busy.toml"),
        r#"
[[call]]
steps = [
  { say = "I begin." },
  { write = { path = "work.txt", text = "one\n" } },
  { raw = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\"" },
  { noise = 1000 },
  { edit = { path = "work.txt", old = "nowhere", new = "x" } },
  { deny = { tool = "Bash", input = { command = "touch forbidden" } } },
  { tool = { name = "mcp__tracker__find", input = { query = "a", deep = { list = [1, 2] } }, output = "x", nested = true } },
]
[[call]]
steps = [ { bash = "echo out\necho err >&2" }, { say = "The end of call 2." } ]
"#,
    );
    let mock = format!("--mock={}", script.display());
    let lines = ask(env, &["run", "-p", "Busy", &mock, "--no-delay", "-m", "2", "--json"]).json_lines();
    lines[0]["run"].as_str().unwrap().to_owned()
}

// rows: 36, 37, 38, 113
// Seed defect D2, src (log_dir): a run left no trace of its tool calls.
#[test]
fn every_tool_call_of_a_run_can_be_listed() {
    let env = TestEnv::with_git();
    let run = busy(&env);
    let list = |more: &[&str]| told(&env, &[&["logs", &run, "--tools"], more].concat());
    let rows = |text: &str| -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect();
        text.lines().filter(|line| !line.contains("  result  ")).map(words).collect()
    };
    let all = list(&[]);
    assert_eq!(
        rows(&all),
        [
            vec!["1", "ok", "Write", "work.txt", "(4", "B,", "1", "line)"],
            vec!["1", "error", "Edit", "work.txt"],
            vec!["1", "denied", "Bash", "touch", "forbidden"],
            vec!["1", "ok", "mcp__tracker__find", "{\"deep\":{\"list\":[1,2]},\"query\":\"a\"}"],
            vec!["2", "ok", "Bash", "echo", "out", "echo", "err", ">&2"],
        ],
        "{all}"
    );
    assert!(!all.contains("I begin") && !all.contains('\u{1b}'), "{all}");
    let only = told(&env, &["logs", &run, "--tools=bash, edit"]);
    assert_eq!(rows(&only).iter().map(|row| row[2].as_str()).collect::<Vec<_>>(), ["Edit", "Bash", "Bash"]);
    assert_eq!(rows(&list(&["--iteration", "2"])).len(), 1);
    assert_eq!(told(&env, &["logs", "--tools=Glob"]), "no tool calls\n");
    let narrow = env.run(windlass(&env, &["logs", "--tools"]).env("COLUMNS", "50"), PATIENCE).stdout_text();
    assert!(narrow.lines().all(|line| line.chars().count() <= 50), "{narrow}");

    let machine = ask(&env, &["logs", "--tools", "--json"]).json_lines();
    assert_eq!(machine.len(), 5);
    assert!(machine.iter().all(|call| call["type"] == "tool_call" && call["run"] == run.as_str()));
    assert_eq!(machine[0]["input"]["content"], "one\n");
    assert_eq!(machine[1]["input"]["old_string"], "nowhere");
    assert_eq!(machine[3]["input"]["deep"]["list"], serde_json::json!([1, 2]));
    assert_eq!((&machine[3]["nested"], &machine[2]["outcome"]), (&true.into(), &"denied".into()));
    assert_eq!((&machine[4]["iteration"], &machine[4]["purpose"]), (&2.into(), &"work".into()));
    let refused = ask(&env, &["logs", "--tools", "-v"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr_text());
}

// rows: 36, 113
#[test]
fn tool_calls_of_a_live_and_of_a_killed_run_are_listed() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &[]);
    let text = told(&env, &["logs", "--tools"]);
    assert!(
        text.contains("  ok      Write       work.txt") && text.contains("  open    Bash        while"),
        "{text}"
    );
    let following = Running::start(&mut windlass(&env, &["logs", "-f", "--tools"]));
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    let followed = following.wait(PATIENCE);
    assert_eq!((followed.code, followed.stdout_text()), (Some(0), text.clone()));
    assert_eq!(told(&env, &["logs", &run, "--tools"]), text);
}

// rows: 36, 113
#[test]
fn one_iteration_can_be_told_alone() {
    let env = TestEnv::with_git();
    let run = busy(&env);
    let second = told(&env, &["logs", &run, "--iteration", "2"]);
    assert!(second.contains("The end of call 2.") && !second.contains("I begin."), "{second}");
    assert!(!second.contains("stopped:") && !second.contains("echo out"), "{second}");
    assert!(told(&env, &["logs", "--iteration", "2", "-v"]).contains("echo out"));
    let first = told(&env, &["logs", &run, "--iteration", "1", "-v"]);
    assert!(first.contains("I begin.") && first.contains("touch forbidden"), "{first}");
    assert!(!first.contains("The end of call 2."), "{first}");

    let whole = ask(&env, &["logs", "--json"]).json_lines();
    let alone = ask(&env, &["logs", "--iteration", "2", "--json"]).json_lines();
    assert_eq!((&alone[0]["type"], &alone[0]["run"]), (&"iteration_started".into(), &run.as_str().into()));
    assert_eq!(alone.last().unwrap()["type"], "iteration_finished");
    let begin = whole.iter().position(|line| *line == alone[0]).unwrap();
    assert_eq!(alone, whole[begin..begin + alone.len()]);

    let unknown = ask(&env, &["logs", &run, "--iteration", "3"]);
    assert_eq!((unknown.code, unknown.stdout_text().as_str()), (Some(2), ""));
    assert_eq!(unknown.stderr_text(), format!("error: run {run} has no iteration 3: its last one is 2\n"));
    assert_eq!(ask(&env, &["logs", "--iteration", "0"]).code, Some(2));
}

#[test]
fn a_live_iteration_is_followed_to_its_own_end() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &["-m", "2"]);
    let mut following = Running::start(&mut windlass(&env, &["logs", "-f", &run, "--iteration", "1"]));
    assert!(following.wait_for_stdout("Now I wait.", PATIENCE));
    go(&env);
    let followed = following.wait(PATIENCE);
    assert_eq!((followed.code, followed.timed_out), (Some(0), false));
    let text = followed.stdout_text();
    assert!(text.contains("The end of call 1.") && !text.contains("The end of call 2."), "{text}");
    assert_eq!(running.wait(PATIENCE).code, Some(10));
}

#[test]
fn the_list_of_a_large_stream_needs_little_memory() {
    let env = TestEnv::with_git();
    let script = env.write(
        env.root().join("large.toml"),
        r#"
[[call]]
steps = [
  { write = { path = "work.txt", text = "one\n" } },
  { events = { count = 20000, size = 1000, kind = "text" } },
  { long_line = { bytes = 5000000, kind = "tool_result" } },
  { bash = "true" },
]
"#,
    );
    let mock = format!("--mock={}", script.display());
    ask(&env, &["run", "-p", "Large", &mock, "--no-delay", "-m", "1", "-q"]);
    // The whole of the address space, the program itself included.
    let program = env!("CARGO_BIN_EXE_windlass");
    let mut limited = env.command("sh");
    limited.args(["-c", &format!("ulimit -v 120000; exec '{program}' logs --tools --json")]);
    let outcome = env.run(&mut limited, PATIENCE);
    let calls = outcome.json_lines();
    let names: Vec<&str> = calls.iter().map(|call| call["name"].as_str().unwrap()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"Write"), Some(&"Bash")), "{}", outcome.stderr_text());
}

#[test]
fn what_cannot_be_written_is_no_success() {
    let env = TestEnv::with_git();
    let run = busy(&env);
    for more in [&[][..], &["--json"], &["-v"], &["--tools"]] {
        let logs = windlass(&env, &[&["logs", &run], more].concat());
        let mut shell = env.command("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" > /dev/full"]).arg(logs.get_program()).args(logs.get_args());
        let outcome = env.run(&mut shell, PATIENCE);
        outcome.expect_code(1, "nothing was shown");
        assert!(outcome.stderr_text().contains("cannot write to standard output"), "{outcome:?}");
    }
    let mut head = env.command("sh");
    let logs = windlass(&env, &["logs", &run]);
    head.args(["-c", "\"$0\" \"$@\" | true"]).arg(logs.get_program()).args(logs.get_args());
    env.run(&mut head, PATIENCE).expect_success("a reader that has seen enough");
}

#[test]
fn a_run_says_where_what_its_output_lost_is_told_again() {
    let env = TestEnv::with_git();
    let run = ["run", "-p", "One", "--mock", "--no-delay", "-m", "1", "--json"];
    let told = windlass(&env, &run);
    let mut shell = env.command("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" > /dev/full"]).arg(told.get_program()).args(told.get_args());
    let outcome = env.run(&mut shell, PATIENCE);
    outcome.expect_code(10, "it goes on all the same");
    let said = outcome.stderr_text();
    assert!(
        said.contains("took no more") && said.contains("to see it again: windlass logs --json"),
        "{said}"
    );
}
