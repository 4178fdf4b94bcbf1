//! The setup command in lanes, with the scripted agent.

use std::fs;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::values::StopReason;
use windlass_testkit::{Outcome, Running};

use super::night::{Night, PATIENCE};
use super::tasks::{HONEST, SIX, assert_whole, command, night, run, subjects};

/// A project whose checkouts are made ready by this. It may name `$ROOT`, a folder outside.
fn with_setup(setup: &str) -> Night {
    let night = night(SIX, HONEST);
    night.env.write(".gitignore", "ready/\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Ignore"]);
    let root = night.env.root().display().to_string();
    night.set("WINDLASS_WORKTREE__SETUP", &setup.replace("$ROOT", &root))
}

/// Which lanes were set up, in order of their numbers.
fn set_up(night: &Night) -> Vec<String> {
    let text = fs::read_to_string(night.env.root().join("set-up")).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

const READY: &str =
    "echo \"$WINDLASS_LANE $WINDLASS_PORT_BASE\" >> '$ROOT/set-up'; mkdir -p ready && echo yes > ready/yes";

/// Nobody judges in a lane that is not ready.
const IS_READY: &str = "test -z \"$WINDLASS_LANE\" || test -f ready/yes";

#[test]
fn each_lane_is_set_up_once_before_its_first_task_and_nothing_of_it_is_work() {
    let night = with_setup(&format!("{READY}; echo x > left-over; echo x >> README.md"));
    let outcome = run(&night, &["-j", "2", "--gate", IS_READY]);
    outcome.expect_code(0, "run");
    assert_eq!(set_up(&night), ["1 20010", "2 20020"]);
    assert_eq!(subjects(&night).len(), 6);
    assert_eq!(night.env.git(&["diff", "--stat", "HEAD~6", "HEAD", "--", "README.md", "left-over"]), "");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert!(said(&outcome).contains("lane 1 is being set up: "), "{}", said(&outcome));
    assert_whole(&night);
}

#[test]
fn a_lane_that_was_set_up_is_not_set_up_again_after_a_resume() {
    let night = with_setup(READY);
    let mut killed = command(&night, &["-j", "2", "--gate", IS_READY]);
    let killed = night.env.run(killed.env("WINDLASS_TEST_FAULT", "kill-after-write=30"), PATIENCE);
    assert_eq!(killed.signal, Some(9), "{}", said(&killed));
    assert_eq!(set_up(&night).len(), 2, "before the first calls: {:#?}", night.facts());
    night.resume(&[]).expect_code(0, "resumed");
    assert_eq!(set_up(&night), ["1 20010", "2 20020"]);
    assert_eq!(subjects(&night).len(), 6);
    // One whose checkout is another one is.
    let again = with_setup(READY);
    let once = again.env.root().join("once").display().to_string();
    let removes = format!("mkdir '{once}' 2>/dev/null && rm -rf \"$(cd ../.. && pwd -P)\"");
    let gate = format!("{IS_READY} || exit 1; test -z \"$WINDLASS_LANE\" || {{ {removes}; }}; true");
    run(&again, &["-j", "2", "--gate", &gate]).expect_code(0, "removed");
    assert_eq!(set_up(&again).len(), 3, "{:?}", set_up(&again));
}

#[test]
fn a_setup_that_fails_ends_the_run_before_anything_is_called_and_is_tried_again() {
    let night = with_setup(&format!(
        "test -e '$ROOT/fixed' || {{ echo 'the registry is out of reach' >&2; exit 3; }}; {READY}"
    ));
    let first = run(&night, &["-j", "2"]);
    let second = night.resume(&["--exit-codes", "detailed"]);
    for outcome in [first, second] {
        outcome.expect_code(34, "as where a worktree cannot be made ready");
        let text = said(&outcome);
        assert!(text.contains("is not ready: the setup command `test -e"), "{text}");
        assert!(text.contains("failed with exit code 3"), "{text}");
        assert!(text.contains("the registry is out of reach"), "{text}");
        assert!(!text.contains("please report it"), "{text}");
    }
    assert_eq!(night.ended(), StopReason::SetupFailed);
    assert!(!night.facts().iter().any(|fact| matches!(fact, Fact::CallReserved { .. })));
    assert_whole(&night);
    fs::write(night.env.root().join("fixed"), "").unwrap();
    night.resume(&[]).expect_code(0, "fixed");
    assert_eq!(set_up(&night), ["1 20010", "2 20020"]);
    assert_eq!(subjects(&night).len(), 6);
}

#[test]
fn a_setup_that_takes_too_long_is_ended_and_so_is_what_it_started() {
    let night = with_setup("sleep 600 & sleep 600").set("WINDLASS_WORKTREE__SETUP_TIMEOUT", "1s");
    let outcome = run(&night, &["-j", "2"]);
    outcome.expect_code(34, "too long");
    assert!(said(&outcome).contains("took longer than 1 s and was ended"), "{}", said(&outcome));
    assert_whole(&night);
}

#[test]
fn somebody_who_stops_the_run_need_not_wait_for_a_setup() {
    let night = with_setup("test -e '$ROOT/fixed' || { touch '$ROOT/project/begun'; sleep 600; }");
    let running = Running::start(&mut command(&night, &["-j", "2"]));
    night.wait_for_file("begun");
    running.signal(Signal::TERM);
    running.wait(PATIENCE).expect_code(143, "stopped");
    assert!(!night.facts().iter().any(|fact| matches!(fact, Fact::CallReserved { .. })));
    fs::remove_file(night.env.project().join("begun")).unwrap();
    night.assert_clean();
    fs::write(night.env.root().join("fixed"), "").unwrap();
    night.resume(&[]).expect_code(0, "resumed");
    assert_eq!(subjects(&night).len(), 6);
}

// attack(prompt): what makes a lane ready reads the environment for secrets that are none of its
// holds: it has what the person named for checks, and nothing else
#[test]
fn a_setup_command_has_no_secrets_but_those_that_are_named() {
    let night = with_setup(&format!("env > '$ROOT/seen'; {READY}"))
        .set("GITHUB_TOKEN", "of-the-forge")
        .set("NPM_TOKEN", "of-the-registry")
        .set("WINDLASS_ENVIRONMENT__ALLOW", "NPM_TOKEN");
    run(&night, &["-j", "2", "--gate", IS_READY]).expect_code(0, "run");
    let seen = fs::read_to_string(night.env.root().join("seen")).unwrap();
    assert!(seen.contains("NPM_TOKEN=of-the-registry") && !seen.contains("GITHUB_TOKEN"), "{seen}");
}
