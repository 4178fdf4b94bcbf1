//! What people see of a run with lanes, and get back of it.

use std::fs;

use serde_json::{Value, json};
use windlass_core::fact::Fact;
use windlass_testkit::{Outcome, Running};

use super::night::{Night, PATIENCE};
use super::tasks::{command, honest_but, night, run};

/// The second is tried twice, and fails with something in its lane.
const SECOND_FAILS: &str = r#"
[[call]]
task = "TASK-002"
steps = [
  { write = { path = "work/half", text = "half\n" } }, { edit = { path = "README", old = "Something", new = "Half" } },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#;

/// Slow enough for two agents to be at work at a time.
const TALKING: &str = r#"
[[call]]
steps = [
  { say = "I am at {{task}}." }, { sleep = "300ms" },
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
[[call]]
task = "TASK-003"
steps = [ { result = { text = "It cannot be done.", is_error = true } } ]
"#;

fn told(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut night.windlass(arguments), PATIENCE)
}

/// A run of three tasks in two lanes, and the iteration in which the second failed first.
fn failed_in_a_lane() -> (Night, String, String) {
    let night = night(&[(1, &[]), (2, &[]), (3, &[1])], &honest_but(SECOND_FAILS));
    night.env.write("README", "Something.\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Something"]);
    run(&night, &["-j", "2", "--exit-codes", "detailed"]).expect_code(17, "blocked");
    let run_id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    (night, run_id, "2".to_owned())
}

// An attempt in a lane that failed is nowhere else: its files come into the directory that lanes work for.
#[test]
fn what_an_attempt_in_a_lane_left_is_brought_back_where_the_person_is() {
    let (night, run_id, iteration) = failed_in_a_lane();
    night.env.write("mine", "never in any lane\n");
    let outcome = told(&night, &["restore", &run_id, &iteration]);
    outcome.expect_code(0, "restore");
    let said = outcome.stdout_text();
    assert!(said.contains("worked on in a lane"), "{said}");
    assert_eq!(night.env.read("work/half"), "half\n");
    assert_eq!(night.env.read("README"), "Half.\n");
    assert_eq!(night.env.read("mine"), "never in any lane\n");

    let undo = said.lines().find_map(|line| line.trim().strip_prefix("undo     windlass ")).unwrap();
    told(&night, &undo.split(' ').collect::<Vec<_>>()).expect_code(0, undo);
    assert_eq!(night.env.read("README"), "Something.\n");
    assert!(fs::metadata(night.env.project().join("work/half")).is_err());
    assert_eq!(night.env.read("work/TASK-003"), "done\n");
    assert_eq!(night.env.git(&["status", "--porcelain"]).trim(), "?? mine");

    let refused = told(&night, &["restore", &run_id, &iteration, "--repository"]);
    refused.expect_code(2, "a lane's repository");
    assert!(refused.stderr_text().contains("without --repository"), "{}", refused.stderr_text());
}

// It would take what others have landed out of the files.
#[test]
fn nobody_is_told_to_go_back_to_one_lanes_files() {
    let (night, run_id, _) = failed_in_a_lane();
    let log = told(&night, &["logs", &run_id]);
    let status = told(&night, &["status", &run_id]);
    for said in [log.stdout_text(), status.stdout_text()] {
        assert!(!said.contains("windlass restore"), "{said}");
    }
}

// A lane's checkout has a HEAD of its own, commits that do not land, and its own copy of the task file.
#[test]
fn status_and_lists_count_what_has_landed() {
    let night = night(&[(1, &[]), (2, &[]), (3, &[]), (4, &[])], TALKING);
    let before: usize = night.env.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap();
    run(&night, &["-j", "2", "--exit-codes", "detailed"]).expect_code(17, "blocked");
    let after: usize = night.env.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap();
    let status: Value = serde_json::from_slice(&told(&night, &["status", "--json"]).stdout).unwrap();
    assert_eq!(status["commits_made"], after - before);
    assert_eq!(status["commits"], after - before);
    assert_eq!(status["head"], night.env.git(&["rev-parse", "HEAD"]).trim());
    let expected = json!({
        "total": 4, "done": 3, "ready": 0, "waiting": 0, "at_work": [], "next": null,
        "parked": [{"id": "TASK-003", "title": "Thing 3"}],
    });
    assert_eq!(status["tasks"], expected);
    let text = told(&night, &["status"]).stdout_text();
    assert!(text.contains("  tasks       3/4 done · 1 parked\n  parked      TASK-003 Thing 3\n"), "{text}");
    let runs: Value = serde_json::from_slice(&told(&night, &["runs", "--json"]).stdout).unwrap();
    assert_eq!(runs["runs"][0]["items"], json!({"done": 3, "total": 4}));
}

// A task that waits for a usage limit is nobody else's, and none is lost in the counts when such a run is stopped.
#[test]
fn a_task_that_waits_for_a_limit_is_counted_while_it_waits_and_after() {
    let limited = "[[call]]\nsteps = [{ usage_limit = { resets_in = '1h' } }]\n";
    for lanes in ["1", "2"] {
        let night = night(&[(1, &[]), (2, &[1])], limited);
        let running = Running::start(&mut command(&night, &["-j", lanes]));
        night.wait_for_fact("the wait", |fact| matches!(fact, Fact::BackoffStarted { .. }));
        let look = || -> Value {
            let status = told(&night, &["status", "--json"]);
            serde_json::from_slice::<Value>(&status.stdout).unwrap()
        };
        let (status, task) = (look(), json!({"id": "TASK-001", "title": "Thing 1"}));
        let tasks = &status["tasks"];
        assert_eq!((&tasks["ready"], &tasks["waiting"]), (&json!(0), &json!(1)), "{tasks}");
        assert_eq!(tasks["at_work"][0]["id"], "TASK-001", "{tasks}");
        assert!(status["waiting_until"].is_string(), "{status}");
        told(&night, &["stop"]).expect_code(0, "stop");
        running.wait(PATIENCE);
        let status = look();
        let expected = json!({"total": 2, "done": 0, "ready": 1, "waiting": 1, "at_work": [], "next": task, "parked": []});
        assert_eq!(status["tasks"], expected);
        let text = told(&night, &["status"]).stdout_text();
        assert!(text.contains("  would wait  until ") && text.contains("1 ready · 1 waiting"), "{text}");
    }
}

#[test]
fn words_of_several_agents_are_told_apart() {
    let night = night(&[(1, &[]), (2, &[])], TALKING);
    run(&night, &["-j", "2"]).expect_code(0, "run");
    let log = told(&night, &["logs", "-v"]).stdout_text() + &told(&night, &["logs", "-v"]).stderr_text();
    let mut whose = "";
    let mut heard = 0;
    for line in log.lines() {
        if let Some((_, task)) = line.strip_prefix("  iteration ").and_then(|rest| rest.split_once(" · ")) {
            whose = task;
        } else if let Some((_, said)) = line.split_once("I am at ") {
            assert_eq!(said.trim_end_matches('.'), whose, "{log}");
            heard += 1;
        }
    }
    assert_eq!(heard, 2, "{log}");

    let one = told(&night, &["logs", "-v", "--iteration", "1"]);
    let one = one.stdout_text() + &one.stderr_text();
    assert!(one.contains("TASK-001") && !one.contains("TASK-002"), "{one}");
}
