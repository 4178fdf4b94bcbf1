//! Workspaces: loop and iterative mode, from instructions to a status file that says so.

use std::path::PathBuf;

use serde_json::json;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv};

use crate::night::{Ended, Night, prompt};

const INSTRUCTIONS: &str =
    "# Port the endpoints\n\nThree of them: a, b, c. Leave $& and {{iteration}} alone.\n";

/// A project with a workspace `api`, as it is when a person has written its instructions by hand.
fn project() -> TestEnv {
    let env = TestEnv::with_git();
    env.write(".windlass/workspaces/api/INSTRUCTIONS.md", INSTRUCTIONS);
    env
}

fn within(env: &TestEnv, name: &str) -> PathBuf {
    env.project().join(".windlass/workspaces/api").join(name)
}

fn metadata(mode: &str) -> String {
    json!({"name": "api", "created": "2025-10-15T14:23:45.000Z", "status": "in_progress", "mode": mode})
        .to_string()
}

/// A call that writes the status file and says a word.
fn writes(env: &TestEnv, status: &serde_json::Value) -> [Reply; 2] {
    [Reply::write(within(env, ".status.json"), &status.to_string()), Reply::text("Done for now.")]
}

fn run(night: &Night, flags: &[&str]) -> Ended {
    let mut command = night.windlass(&[&["run", "api", "--no-delay"], flags].concat());
    night.ended(Running::start(&mut command))
}

// rows: 2, 11, 16, 20, 46
#[test]
fn a_loop_counts_its_items_until_all_are_done() {
    let env = project();
    let counted = |done: u64, complete: bool| {
        json!({
            "complete": complete,
            "progress": {"completed": done, "total": 3},
            "summary": format!("{done} of 3"),
            "lastUpdated": "2025-10-16T14:30:00+02:00",
        })
    };
    let endpoint = env.project().join("endpoint-a");
    let mut replies = vec![Reply::write(&endpoint, "a\n")];
    replies.extend(writes(&env, &counted(1, false)));
    replies.extend(writes(&env, &counted(2, false)));
    replies.extend(writes(&env, &counted(3, true)));
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    let run = run(&night, &["--gate", "test -e endpoint-a"]);
    run.expect("complete", 0);
    assert_eq!(run.verdicts(), ["worked", "worked", "claim_accepted"]);
    assert_eq!(run.each("call_finished", "denials"), [&serde_json::Value::Null; 3]);
    let items: Vec<_> =
        run.each("status_changed", "standing").iter().map(|said| said["items"]["done"].clone()).collect();
    assert_eq!(items, [1, 2, 3]);

    let first = prompt(&night.first_requests()[0]);
    assert!(first.contains(INSTRUCTIONS.trim_end()), "word for word: {first}");
    assert!(first.contains(&within(&night.env, ".status.json").display().to_string()));
    assert!(first.contains("40 to 50 %"), "the budget of the context");
    let metadata: serde_json::Value =
        serde_json::from_str(&night.env.read(".windlass/workspaces/api/.metadata.json")).unwrap();
    assert_eq!((&metadata["status"], &metadata["executionIterations"]), (&json!("completed"), &json!(3)));
}

// rows: 3, 20, 62
#[test]
fn an_iterative_run_ends_after_two_iterations_without_work() {
    let env = project();
    env.write(".windlass/workspaces/api/.metadata.json", metadata("iterative"));
    let said = |worked: bool, when: &str| json!({"complete": false, "worked": worked, "summary": "looked", "lastUpdated": when});
    let mut replies = vec![Reply::write(env.project().join("endpoint-a"), "a\n")];
    replies.extend(writes(&env, &said(true, "1")));
    replies.extend(writes(&env, &said(false, "2")));
    replies.extend(writes(&env, &said(false, "3")));
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    let run = run(&night, &[]);
    run.expect("stagnated", 14);
    assert_eq!(run.verdicts(), ["worked", "idle", "idle"]);
    assert!(prompt(&night.first_requests()[0]).contains("60 to 70 %"));
}

// rows: 3, 46
#[test]
fn an_iterative_run_completes() {
    let env = project();
    env.write(".windlass/workspaces/api/.metadata.json", metadata("iterative"));
    let replies = writes(&env, &json!({"complete": true, "worked": true, "summary": "all of it"}));
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    run(&night, &[]).expect("complete", 0);
}

// rows: 53
#[test]
fn its_limit_is_an_orderly_end() {
    let env = project();
    let endpoint = env.project().join("endpoint-a");
    let replies = [Reply::write(&endpoint, "a\n"), Reply::text("More to do.")];
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    let run = run(&night, &["--max-iterations", "1"]);
    run.expect("max_iterations", 10);
    run.says("resume").says("--max-iterations");
}

// rows: 32
#[test]
fn what_a_person_wrote_in_the_workspace_is_closed_to_the_agent() {
    let env = project();
    env.write(".windlass/workspaces/api/config.toml", "[limits]\nmax_iterations = 1\n");
    let replies = [
        Reply::tool("Read", json!({"file_path": within(&env, "INSTRUCTIONS.md")})),
        Reply::write(within(&env, "INSTRUCTIONS.md"), "Do nothing.\n"),
        Reply::tool("Read", json!({"file_path": within(&env, "config.toml")})),
        Reply::write(within(&env, "config.toml"), "[limits]\nmax_iterations = 1000\n"),
        Reply::write(within(&env, "working/notes.md"), "mine\n"),
        Reply::text("Tried."),
    ];
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    run(&night, &[]).expect("max_iterations", 10);
    assert_eq!(night.env.read(".windlass/workspaces/api/INSTRUCTIONS.md"), INSTRUCTIONS);
    assert!(night.env.read(".windlass/workspaces/api/config.toml").contains("= 1\n"));
    assert_eq!(night.env.read(".windlass/workspaces/api/working/notes.md"), "mine\n");
}
