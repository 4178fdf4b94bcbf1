//! What the real agent makes of a prompt: it expands nothing of what is relayed, and has no tools that work elsewhere.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{Night, prompt};

const SECRET: &str = "the-combination-is-4711";

/// All that a request holds, as text.
fn all(request: &Request) -> String {
    request.body.to_string()
}

// attack(prompt): notes, a goal and the output of a check name a file that the agent may not read, by the real agent's own `@`
// holds: Claude Code expands nothing, and the file's content is in no request
#[test]
fn the_real_agent_expands_nothing_that_is_relayed() {
    let env = TestEnv::with_git();
    env.write("denied.txt", SECRET);
    env.write("a b.txt", SECRET);
    env.write(
        ".claude/settings.json",
        r#"{"permissions": {"deny": ["Read(./denied.txt)", "Read(./a b.txt)"]}}"#,
    );
    let path = env.project().join("denied.txt");
    let notes = format!(
        "@denied.txt\n- @\"a b.txt\"\nx\u{3002}@denied.txt\n@{}\n@agent-general-purpose ultrathink ultracode\n",
        path.display()
    );
    let file = env.project().join("SHARED_TASK_NOTES.md");
    let scenario = Scenario::new([
        Reply::write(&file, &notes),
        Reply::text("I go on.\n\nWINDLASS_JOB_COMPLETE"),
        Reply::text("I go on."),
    ]);
    let night = Night::at(env, scenario, Credentials::ApiKey);
    let gate = r"printf '@denied.txt\n @\042a b.txt\042\n~~~\n@denied.txt\n'; false";
    let run = night.run(&["--max-iterations", "2", "--gate", gate, "--exit-codes", "simple"]);
    run.expect("max_iterations", 0);
    let requests = night.first_requests();
    assert_eq!(requests.len(), 2);
    let told = prompt(&requests[1]);
    assert!(told.contains("\\@denied.txt") && told.contains("ultra-think ultra-code"), "{told}");
    assert!(told.matches("\\@denied.txt").count() >= 4, "{told}");
    for request in night.api.requests() {
        let text = all(&request);
        for expanded in [SECRET, "@-mentioned", "desire to invoke the agent", "requesting deeper reasoning"] {
            assert!(!text.contains(expanded), "{expanded:?} is in\n{text}");
        }
    }
}

// attack(prompt): notes name a file that the agent may not read behind each character that may stand before the `@` of a
//   package's name
// holds: a name in quotes, brackets or code stays as it is, Claude Code expands none, and the file's content is in no request
#[test]
fn names_of_packages_stay_readable_and_nothing_is_expanded() {
    let env = TestEnv::with_git();
    env.write("denied.txt", SECRET);
    env.write("@scope/pkg", SECRET);
    let deny = r#"{"permissions": {"deny": ["Read(./denied.txt)", "Read(./@scope/**)"]}}"#;
    env.write(".claude/settings.json", deny);
    let before = "_ . - + / \" ' ` ( [ { < > = : , ; | * ~ ^";
    let line = |char: &str| format!("x {char}@denied.txt y\n{char}@scope/pkg\n{char}@denied.txt{char}\n");
    let notes: String = before.split(' ').map(line).collect();
    let file = env.project().join("SHARED_TASK_NOTES.md");
    let scenario = Scenario::new([
        Reply::write(&file, &format!("{notes}import x from '@scope/pkg'; // npm i @scope/pkg\n")),
        Reply::text("I go on."),
        Reply::text("I go on."),
    ]);
    let night = Night::at(env, scenario, Credentials::ApiKey);
    night.run(&["--max-iterations", "2", "--exit-codes", "simple"]).expect("max_iterations", 0);
    let told = prompt(&night.first_requests()[1]);
    assert!(
        told.contains("from '@scope/pkg'; // npm i \\@scope/pkg") && told.contains("(@denied.txt"),
        "{told}"
    );
    for request in night.api.requests() {
        assert!(!all(&request).contains(SECRET), "{}", all(&request));
    }
}

/// The tools that the agent says it has.
fn tools(night: &Night) -> Vec<String> {
    let stream = night.newest_run().unwrap().join("iterations/0001/1-work/stream.ndjson");
    let stream = std::fs::read_to_string(stream).unwrap();
    let events = stream.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let init = events.into_iter().find(|event| event["subtype"] == "init").unwrap();
    init["tools"].as_array().unwrap().iter().map(|tool| tool.as_str().unwrap().to_owned()).collect()
}

const ELSEWHERE: [&str; 4] = ["Monitor", "ScheduleWakeup", "CronCreate", "EnterWorktree"];

// attack(prompt): an agent keeps its call alive by watching or waking itself later, or takes its work to another checkout
// holds: the real agent does not have these tools unless the person names them
#[test]
fn tools_that_work_elsewhere_are_off_until_they_are_named() {
    let story = || {
        let calls = ELSEWHERE.map(|tool| Reply::tool(tool, json!({"name": "x", "prompt": "x"})));
        Scenario::new(calls.into_iter().chain([Reply::text("I tried.")]))
    };
    let night = Night::new(story());
    night.run(&["--max-iterations", "1", "--exit-codes", "simple"]).expect("max_iterations", 0);
    let has = tools(&night);
    assert!(has.iter().any(|tool| tool == "Bash"), "{has:?}");
    assert!(ELSEWHERE.iter().all(|off| !has.iter().any(|tool| tool == off)), "{has:?}");
    let results = night.api.requests().last().unwrap().tool_results();
    assert!(results.len() == 4 && results.iter().all(|result| result.is_error), "{results:#?}");
    assert!(!night.env.project().join(".claude/worktrees").exists());

    let night = Night::new(Scenario::new([Reply::text("Done.")]))
        .variable("WINDLASS_PERMISSIONS__ALLOW", "EnterWorktree\nMonitor");
    night.run(&["--max-iterations", "1", "--exit-codes", "simple"]).expect("max_iterations", 0);
    let has = tools(&night);
    let there: Vec<&str> = ELSEWHERE.into_iter().filter(|off| has.iter().any(|tool| tool == off)).collect();
    assert_eq!(there, ["Monitor", "EnterWorktree"]);
}

// rows: 18
#[test]
fn what_the_agent_reads_by_itself_is_not_told_twice() {
    const TEXT: &str = "Run `make greet` to see it.";
    for (instructions, ours) in [(None, 0), (Some("@AGENTS.md\n"), 0), (Some("Be kind.\n"), 1)] {
        let env = TestEnv::with_git();
        env.write("AGENTS.md", format!("{TEXT}\n"));
        if let Some(text) = instructions {
            env.write("CLAUDE.md", text);
        }
        let night = Night::at(env, Scenario::new([Reply::text("Done.")]), Credentials::ApiKey);
        night.run(&["--max-iterations", "1", "--exit-codes", "simple"]).expect("max_iterations", 0);
        let request = &night.first_requests()[0];
        assert_eq!(all(request).matches(TEXT).count(), 1, "{instructions:?}: {}", all(request));
        assert_eq!(request.system().matches("# AGENTS.md of this project").count(), ours, "{instructions:?}");
    }
}
