//! Success criteria of tasks, checked by the runner.

use std::fmt::Write as _;

use std::fs;

use windlass_core::fact::Fact;
use windlass_core::values::{CheckKind, StopReason, Verdict};
use windlass_testkit::TestEnv;

use super::night::{Night, PATIENCE, expect_end};
use super::tasks::run;

/// The first attempt at a task forgets its file; the next one does not.
const FORGETFUL: &str = r#"
[[call]]
task = "T001"
steps = [ { write = { path = "notes.txt", text = "x" } }, "tick_task", { result = { text = "Done." } } ]
[[call]]
task = "T001"
steps = [ { write = { path = "src/one.rs", text = "fn one() {}\n" } }, "tick_task", { result = { text = "Done." } } ]
[[call]]
task = "T002"
steps = [ { write = { path = "src/two.rs", text = "fn two() {}\n" } }, "tick_task", { result = { text = "Done." } } ]
[[call]]
steps = [ { result = { text = "Nothing." } } ]
"#;

pub(super) fn night(criteria: [&str; 2], script: &str) -> Night {
    let env = TestEnv::with_git();
    let mut text = "# Tasks\n".to_owned();
    for (number, listed) in criteria.into_iter().enumerate() {
        let id = number + 1;
        let _ = write!(
            text,
            "\n### T00{id}: Thing {id}\n- **Status**: pending\n- **Description**: Do it\n- **Success Criteria**:\n{listed}\n"
        );
    }
    env.write("requirements.md", text);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    Night::within(env, script)
}

const LOOKED_UP: [&str; 2] = [
    "  - file `src/one.rs` exists\n  - `src/one.rs` contains `fn one`",
    "  - file `src/two.rs` exists\n  - it is pretty",
];

fn criteria_run(night: &Night) -> Vec<(u16, bool)> {
    let is_criterion = |check: u16| {
        night.state().spec().is_some_and(|plan| plan.checks[usize::from(check)].kind == CheckKind::Criterion)
    };
    let outcome = |fact: Fact| match fact {
        Fact::CheckFinished(done) => Some((done.outcome.check, done.outcome.passed())),
        _ => None,
    };
    night.facts().into_iter().filter_map(outcome).filter(|(check, _)| is_criterion(*check)).collect()
}

// rows: 135
#[test]
fn a_task_is_not_done_while_a_criterion_does_not_hold() {
    let night = night(LOOKED_UP, FORGETFUL);
    let night = night.set("WINDLASS_TASKS__JUDGE", "off");
    let outcome = run(&night, &[]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimAccepted, Verdict::ClaimAccepted]);
    let prompt = night.prompt(2);
    assert!(prompt.contains("src/one.rs is not there") && prompt.contains("did not hold"), "{prompt}");
    // Each task's own, and with the last one what showed the others.
    assert_eq!(
        criteria_run(&night),
        [(0, false), (1, false), (0, true), (1, true), (2, true), (0, true), (1, true)]
    );
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("criterion does not hold: file `src/one.rs` exists"), "{said}");
    assert!(night.notices().iter().any(|said| said.contains("T002: it is pretty")), "{:?}", night.notices());
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "4", "what does not hold is not committed");
}

/// T002's agent removes what shows that T001 is done, and brings it back once it was told.
const CARELESS: &str = r#"
[[call]]
task = "T001"
steps = [ { write = { path = "src/one.rs", text = "fn one() {}\n" } }, "tick_task", { result = { text = "Done." } } ]
[[call]]
task = "T002"
steps = [ { write = { path = "src/two.rs", text = "fn two() {}\n" } }, { delete = "src/one.rs" }, "tick_task", { result = { text = "Done." } } ]
[[call]]
task = "T002"
steps = [ { write = { path = "src/one.rs", text = "fn one() {}\n" } }, "tick_task", { result = { text = "Done." } } ]
"#;

// attack(claims): the agent of the last task breaks what shows that an earlier one is done
// holds: the claim is refused until it holds again, and the agent is told which task it showed; the run was complete
// rows: 135
#[test]
fn what_showed_an_earlier_task_has_to_hold_when_the_job_is_done() {
    let night = night(LOOKED_UP, CARELESS).set("WINDLASS_TASKS__JUDGE", "off");
    expect_end(&run(&night, &[]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimAccepted, Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    let prompt = night.prompt(3);
    assert!(prompt.contains("it had shown that the task `T001` is done"), "{prompt}");
    assert!(night.env.project().join("src/one.rs").exists());
}

// rows: 135
#[test]
fn criteria_are_checked_in_lanes_and_again_on_what_is_merged() {
    let night = night(LOOKED_UP, FORGETFUL).set("WINDLASS_TASKS__JUDGE", "off");
    expect_end(&run(&night, &["-j", "2"]), 0, "complete");
    assert!(
        night.env.project().join("src/one.rs").exists() && night.env.project().join("src/two.rs").exists()
    );
    assert!(criteria_run(&night).iter().filter(|(_, passed)| !passed).count() == 2);
}

/// What shows that it was run.
const COMMANDS: [&str; 2] =
    ["  - `touch ../ran && test -f src/one.rs` passes", "  - `test -f src/two.rs` exits 0"];

// rows: 135
#[test]
fn a_command_is_run_where_a_person_trusts_it() {
    let night = night(COMMANDS, FORGETFUL);
    let listed = night.env.run(&mut night.windlass(&["trust", "--json"]), PATIENCE);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let hash = listed["hash"].as_str().unwrap();
    expect_end(&run(&night, &["--trust", hash]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimAccepted, Verdict::ClaimAccepted]);
    assert!(night.env.root().join("ran").exists());
}

// rows: 135
#[test]
fn a_command_that_nobody_trusts_is_named_and_not_run() {
    let night = night(COMMANDS, FORGETFUL);
    let listed = night.env.run(&mut night.windlass(&["trust", "--list"]), PATIENCE).stdout_text();
    assert!(listed.contains("touch ../ran"), "{listed}");
    expect_end(&run(&night, &[]), 0, "complete");
    assert!(!night.env.root().join("ran").exists() && criteria_run(&night).is_empty());
    let notices = night.notices().join("\n");
    assert!(
        notices.contains("2 success criteria are commands that nobody trusts, and are not checked: T001"),
        "{notices}"
    );
}

// rows: 135
// Seed defect D4, verifier/checker.go:252: an unknown build or test criterion fell back to `go build` whatever the project.
#[test]
fn tests_and_builds_are_the_projects_own_commands_or_not_checked() {
    let first = night(["  - tests pass", "  - the project builds"], FORGETFUL);
    expect_end(&run(&first, &[]), 0, "complete");
    let notices = first.notices();
    assert!(notices.iter().any(|said| said.contains("2 success criteria need a command")), "{notices:?}");
    let other = night(["  - tests pass", "  - make test"], FORGETFUL);
    other.env.write("Makefile", "test:\n\ttest -f src/one.rs\nbuild:\n\ttrue\n");
    other.env.git(&["add", "--all"]);
    other.env.git(&["commit", "--quiet", "--message", "Make"]);
    expect_end(&run(&other, &[]), 0, "complete");
    assert_eq!(other.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimAccepted, Verdict::ClaimAccepted]);
    let plan = other.state().spec().unwrap().clone();
    assert!(plan.checks.iter().all(|check| check.command == "make test"), "{:?}", plan.checks);
}

// rows: 135
#[test]
fn a_criterion_that_never_holds_parks_its_task_and_the_others_are_done() {
    let night = night(["  - file `src/never.rs` exists", "  - file `src/two.rs` exists"], FORGETFUL);
    let outcome = run(&night, &[]);
    assert_eq!(night.ended(), StopReason::Blocked, "{}", outcome.stdout_text());
    assert_eq!(fs::read_to_string(night.env.project().join("src/two.rs")).unwrap(), "fn two() {}\n");
}
