//! What must not keep a run from ending, and what must not be said of a run that never began.

use std::fs;

use windlass_core::fact::{Cost, Fact, StopReason};

use super::night::{Night, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";

#[test]
fn a_working_tree_that_the_agent_removed_ends_the_run() {
    let night = Night::with_git(&every_call(r#"{ bash = { command = 'rm -rf "$PWD"', silent = true } }"#));
    let outcome = night.run(&["-m", "3"]);
    expect_end(&outcome, 1, "destructive_change");
    assert_eq!(night.ended(), StopReason::DestructiveChange);
}

#[test]
fn a_call_whose_files_cannot_be_opened_costs_nothing_and_ends_the_run_and_can_be_resumed() {
    let block = r#"for run in "$WINDLASS_STATE_DIR"/projects/*/runs/r-*; do mkdir -p "$run/iterations/0002/1-work/stream.ndjson"; done"#;
    let first = format!("{WORK}, {{ bash = {{ command = '''{block}''', silent = true }} }}");
    let night = Night::with_git(&calls(&[&first, WORK]));
    expect_end(&night.run(&["-m", "3"]), 1, "internal");
    let last = night.calls().pop().unwrap();
    assert_eq!((last.cost, last.estimated), (Cost::ZERO, false));
    fs::remove_dir(night.folder().join("iterations/0002/1-work/stream.ndjson")).unwrap();
    expect_end(&night.resume(&[]), 0, "max_iterations");
    night.assert_clean();
}

#[test]
fn a_run_that_was_refused_does_not_look_like_one_that_was_killed() {
    let night = Night::with_git(&every_call(WORK));
    fs::write(night.env.project().join("mine"), "x").unwrap();
    night.run(&["--commit", "runner"]).expect_code(2, "a dirty tree");
    night.assert_clean();
    expect_end(&night.run(&["-m", "1"]), 0, "max_iterations");
    assert!(!night.facts().iter().any(|fact| matches!(fact, Fact::Noticed { text } if text.contains("killed"))));
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    night.resume(&[&run]).expect_code(2, "an ended run");
    night.assert_clean();
}
