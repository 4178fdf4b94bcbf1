//! What people see of a run with lanes, and get back of it.

use std::fs;

use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE};
use super::tasks::{night, run};

/// The second is tried twice, and fails with something in its lane.
const SECOND_FAILS: &str = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
[[call]]
task = "TASK-002"
steps = [
  { write = { path = "work/half", text = "half\n" } }, { edit = { path = "README", old = "Something", new = "Half" } },
  { result = { text = "It cannot be done.", cost = 0.01, is_error = true } },
]
"#;

fn told(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut night.windlass(arguments), PATIENCE)
}

/// A run of three tasks in two lanes, and the iteration in which the second failed first.
fn failed_in_a_lane() -> (Night, String, String) {
    let night = night(&[(1, &[]), (2, &[]), (3, &[1])], SECOND_FAILS);
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

    let undo = said.lines().find_map(|line| line.trim().strip_prefix("undo  windlass ")).unwrap();
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
