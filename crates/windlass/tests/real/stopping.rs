//! Signals in the middle of a tool: nothing is left, nothing is lost.

use std::time::Duration;

use rustix::process::Signal;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Running, wait_until};

use crate::night::{Ended, Night, PATIENCE};

/// A tool call that never ends, with a child in a session of its own that ignores SIGTERM and one that was orphaned.
const STEP: &str = "setsid bash -c 'trap \"\" TERM; touch detached; sleep 300' & (nohup setsid bash -c 'touch orphaned; sleep 301' &) ; bash -c 'touch started; sleep 302'";

/// The agent is in the middle of the tool call.
fn in_the_middle(night: &Night) -> Running {
    let running = night.start(&["--max-iterations", "1"]);
    let there = |name: &str| night.env.project().join(name).exists();
    let begun = wait_until(PATIENCE, || there("started") && there("detached") && there("orphaned"));
    assert!(begun, "{}\n{:#?}", running.stderr_so_far(), night.facts());
    running
}

fn night() -> Night {
    let replies = [Reply::bash(STEP), Reply::bash("git status --short"), Reply::text("Now it is done.")];
    Night::new(Scenario::new(replies))
        .variable("IS_SANDBOX", "1")
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash(setsid:*)\nBash(nohup:*)\nBash(bash:*)\nBash")
}

fn expect_interrupted(run: &Ended, stop_reason: &str, exit_code: i32) {
    run.expect(stop_reason, exit_code).says("stopped: manual");
    assert_eq!(run.classes(), ["interrupted"]);
    assert_eq!(run.finish()["estimated"], true);
    assert_eq!(run.finish()["cost_usd"], 0.5);
    assert_eq!(run.all("kept").len(), 1, "what was cut off is kept");
    run.says("windlass resume");
}

/// The same iteration again, with all that was charged before.
fn expect_resumed(night: &Night) {
    let run = night.resume(&[]);
    run.expect("max_iterations", 10);
    let turns: Vec<_> = run
        .all("call_reserved")
        .into_iter()
        .map(|fact| (fact["iteration"].as_u64(), fact["attempt"].as_u64()))
        .collect();
    assert_eq!(turns, [(Some(1), Some(1)), (Some(1), Some(2))]);
    assert_eq!(run.classes(), ["interrupted", "success"]);
    assert_eq!(run.each("iteration_finished", "iteration"), [1]);
    assert!((run.cost() - 0.5016).abs() < 1e-6, "{}", run.cost());
}

// rows: 70, 71, 75
#[test]
fn an_interrupt_in_a_tool_leaves_nothing_and_the_run_goes_on_later() {
    for (signal, reason, code) in [(Signal::INT, "interrupted", 130), (Signal::TERM, "terminated", 143)] {
        let night = night();
        let running = in_the_middle(&night);
        running.signal(signal);
        expect_interrupted(&night.ended(running), reason, code);
        expect_resumed(&night);
    }
}

// rows: 70, 71
#[test]
fn a_second_interrupt_kills_at_once() {
    let night = night().variable("WINDLASS_CLOCKS__GRACE", "10m");
    let mut running = in_the_middle(&night);
    running.signal(Signal::INT);
    let _ = running.wait_for_stderr("ending the agent", PATIENCE);
    running.signal(Signal::INT);
    expect_interrupted(&night.ended(running), "interrupted", 130);
}

// rows: 70, 75
#[test]
fn after_a_kill_of_the_runner_nothing_is_left_and_the_run_goes_on() {
    let night = night();
    let running = in_the_middle(&night);
    running.signal(Signal::KILL);
    night.env.assert_no_processes(Duration::from_secs(2));
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    expect_resumed(&night);
}
