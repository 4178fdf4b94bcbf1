//! A run in a few words.

use windlass_core::fact::Fact;
use windlass_core::values::{Cost, RunId, StopReason};

use super::Fixture;
use super::fixture::{ITERATION_COST, at, finished, numbered, plan, reserved};
use crate::store::summary::RunSummary;

fn run() -> RunId {
    RunId("r-x".to_owned())
}

#[test]
fn an_ended_run() {
    let fixture = Fixture::new();
    let summary = RunSummary::of(&fixture.facts(&run(), 2, Some(StopReason::MaxIterations))).unwrap();
    assert_eq!(summary.directory, fixture.directory);
    assert_eq!(summary.iterations, 2);
    assert_eq!(summary.cost, Cost::from_micros(500_000));
    assert_eq!(summary.tokens.total(), 200);
    assert_eq!((summary.started, summary.last), (at(1), at(14)));
    let ending = summary.ending.unwrap();
    assert_eq!((ending.stop_reason, ending.exit_code), (StopReason::MaxIterations, 0));
}

#[test]
fn a_call_that_never_ended_costs_its_reservation() {
    let fixture = Fixture::new();
    let mut entries = fixture.facts(&run(), 1, None);
    entries.extend(numbered(vec![reserved(2)], 8));
    let summary = RunSummary::of(&entries).unwrap();
    assert_eq!(summary.cost, ITERATION_COST + Cost::from_dollars(0.5));
    assert!(summary.is_unfinished());
    assert_eq!(summary.last, at(8));
}

#[test]
fn the_runs_own_figures_count_when_it_has_ended() {
    let fixture = Fixture::new();
    let mut entries = fixture.facts(&run(), 1, None);
    entries.extend(numbered(vec![reserved(2), finished(StopReason::Interrupted, 2)], 8));
    let summary = RunSummary::of(&entries).unwrap();
    assert_eq!((summary.iterations, summary.cost), (2, Cost::from_micros(500_000)));
}

#[test]
fn a_resumed_run_is_unfinished_until_it_ends_again() {
    let fixture = Fixture::new();
    let mut entries = fixture.facts(&run(), 1, Some(StopReason::MaxIterations));
    let resumed = Fact::RunResumed { plan: Box::new(plan(&run(), &fixture.directory)) };
    entries.extend(numbered(vec![resumed], 9));
    let summary = RunSummary::of(&entries).unwrap();
    assert!(summary.is_unfinished());
    assert_eq!(summary.cost, ITERATION_COST);
    entries.extend(numbered(vec![finished(StopReason::Complete, 1)], 10));
    let summary = RunSummary::of(&entries).unwrap();
    assert_eq!(summary.ending.unwrap().stop_reason, StopReason::Complete);
}

#[test]
fn what_does_not_begin_with_a_start_is_no_run() {
    assert_eq!(RunSummary::of(&[]), None);
    assert_eq!(RunSummary::of(&numbered(vec![Fact::BackoffEnded], 1)), None);
}
