//! Waiting for usage limits and outages.

use std::time::Duration;

use jiff::Timestamp;
use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::values::{Class, Cost};

use super::night::{CLEARED, Night, PATIENCE, calls, every_call, expect_end};

const WORK: &str = "{ write = { path = 'work', text = 'x' } }";

fn waits(night: &Night) -> Vec<Timestamp> {
    let until = |fact: Fact| match fact {
        Fact::BackoffStarted { until, .. } => Some(until),
        _ => None,
    };
    night.facts().into_iter().filter_map(until).collect()
}

fn wait_for_wait(night: &Night) {
    night.wait_for_fact("the wait", |fact| matches!(fact, Fact::AttemptRepeats { .. }));
}

fn iterations(night: &Night) -> Vec<(u32, u32)> {
    let turn = |fact: Fact| match fact {
        Fact::CallReserved { iteration, attempt, .. } => Some((iteration, attempt)),
        _ => None,
    };
    night.facts().into_iter().filter_map(turn).collect()
}

// rows: 75
#[test]
fn a_wait_survives_a_kill_and_ends_at_the_same_time() {
    let night = Night::with_git(&calls(&["{ usage_limit = { resets_in = '2s' } }", WORK]));
    let running = night.start(&["-m", "1"]);
    wait_for_wait(&night);
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    night.env.assert_no_processes(CLEARED);
    let before = waits(&night);
    expect_end(&night.resume(&[]), 10, "max_iterations");
    assert_eq!(waits(&night), [before[0]; 2], "it is told again, and is the same");
    assert_eq!(iterations(&night), [(1, 1), (1, 2)]);
    let released =
        night.entries().into_iter().find(|entry| entry.fact == Fact::BackoffEnded).unwrap().at.wall;
    let late = Duration::try_from(released.duration_since(before[0])).expect("released too early");
    assert!(late < Duration::from_secs(3), "released {late:?} too late");
    night.assert_clean();
}

// rows: 75
#[test]
fn a_wait_that_is_longer_than_allowed_by_now_is_tried_at_once_where_a_person_wants_that() {
    let night = Night::with_git(&calls(&["{ usage_limit = { resets_in = '1h' } }", WORK]));
    let running = night.start(&["-m", "1"]);
    wait_for_wait(&night);
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    expect_end(&night.resume(&["--max-wait", "5s"]), 22, "limit_wait_exceeded");
    expect_end(&night.resume(&["--try-now"]), 10, "max_iterations");
    night.assert_clean();
}

// rows: 71
#[test]
fn a_wait_is_left_at_once() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let night = Night::new(&every_call("{ usage_limit = { resets_in = '1h' } }"));
        let running = night.start(&[]);
        wait_for_wait(&night);
        running.signal(signal);
        let outcome = running.wait(Duration::from_secs(10));
        expect_end(&outcome, code, "manual");
        night.assert_clean();
    }
}

// rows: 65
// Seed defect D1, commands/run.ts:584: one failed call ended the night.
#[test]
fn an_outage_repeats_the_same_iteration_for_nothing() {
    let night =
        Night::new(&calls(&["{ api_error = { status = 529 } }", WORK])).set("WINDLASS_CLOCKS__BACKOFF", "1s");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert_eq!(iterations(&night), [(1, 1), (1, 2)]);
    let calls = night.calls();
    assert_eq!((calls[0].class, calls[0].cost), (Class::Outage, Cost::ZERO));
    night.assert_clean();
}

// rows: 65
#[test]
fn an_outage_without_end_ends_the_run() {
    let night = Night::new(&every_call("{ api_error = { status = 529 } }"))
        .set("WINDLASS_CLOCKS__BACKOFF", "1s")
        .set("WINDLASS_LIMITS__OUTAGE_RETRIES", "1");
    expect_end(&night.run(&["--exit-codes", "detailed"]), 21, "agent_unavailable");
    assert_eq!(iterations(&night), [(1, 1), (1, 2)]);
}

#[test]
fn a_wait_that_does_not_fit_ends_the_run_at_once_and_is_not_announced() {
    let night = Night::new(&every_call("{ usage_limit = { resets_in = '1s' } }"));
    let begun = std::time::Instant::now();
    let outcome = night.run(&["--max-wait", "3s", "--exit-codes", "detailed"]);
    expect_end(&outcome, 22, "limit_wait_exceeded");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!((waits(&night), iterations(&night)), (vec![], vec![(1, 1)]));
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(!said.contains("trying again at") && !said.contains("waiting for"), "{said}");
    night.assert_clean();
}
