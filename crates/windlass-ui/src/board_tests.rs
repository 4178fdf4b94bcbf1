use std::time::Duration;

use windlass_core::values::{CheckResult, Class, Verdict};

use windlass_core::observation::Observation;

use super::*;
use crate::testing::Night;

fn board(events: &[Event]) -> Board {
    let mut board = Board::default();
    for event in events {
        board.apply(event);
    }
    board
}

#[test]
fn a_night_is_counted() {
    let board = board(&Night::new().whole().events);
    assert_eq!(board.tally, Verdicts { worked: 1, idle: 1, failed: 1, accepted: 1, refused: 1, unproven: 0 });
    assert_eq!((board.waits, board.waited), (1, Duration::from_mins(63)));
    assert_eq!(board.denials.len(), 1);
    assert_eq!(board.kept.as_ref().map(|kept| kept.iteration), Some(5));
    assert!(board.checks.get(&0).is_some_and(CheckOutcome::passed));
    assert!(board.calls.is_empty() && board.backoff.is_none());
}

/// What passed before the first iteration says nothing of the work.
#[test]
fn a_check_that_judged_no_work_has_no_outcome_once_there_is_some() {
    let mut night = Night::new();
    night.start().gate(CheckStage::Baseline, CheckResult::Passed, "");
    let outcome =
        |night: &Night| board(&night.events).checks_of(CheckKind::Gate)[0].1.map(|last| last.result);
    assert_eq!(outcome(&night), Some(CheckResult::Passed), "a run that has nothing to do ends with it");
    night.iteration(1);
    assert_eq!(outcome(&night), None);
    night.gate(CheckStage::Candidate, CheckResult::Failed(1), "no");
    assert!(outcome(&night).is_some_and(|result| result != CheckResult::Passed));
    night.gate(CheckStage::Baseline, CheckResult::Passed, "");
    assert!(outcome(&night).is_some_and(|result| result != CheckResult::Passed), "of a resumed run");
}

#[test]
fn costs_add_up_while_the_run_goes_on() {
    let mut night = Night::new();
    night.start().iteration(1).called(|call| call.estimated = true);
    night.finished(1, Verdict::Worked, Class::Success, 0.42, 10).iteration(2);
    night.observe(Observation::Result {
        is_error: false,
        text: String::new(),
        cost_usd: Some(0.08),
        turns: None,
    });
    let board = board(&night.events);
    assert_eq!(board.cost(), Cost::from_dollars(0.5));
    assert_eq!(board.charged.cost, Cost::from_dollars(0.42));
    assert!(board.charged.estimated > Cost::ZERO);
    assert_eq!(board.tokens.total(), 204_600);
}

#[test]
fn a_reported_cost_is_not_counted_twice() {
    let mut night = Night::new();
    night.start().iteration(1).observe(Observation::Result {
        is_error: false,
        text: String::new(),
        cost_usd: Some(0.42),
        turns: None,
    });
    night.called(|_| {});
    assert_eq!(board(&night.events).cost(), Cost::from_dollars(0.42));
}

#[test]
fn activity_follows_the_agent_and_nothing_else() {
    let mut night = Night::new();
    night.start().iteration(1);
    let doing = |night: &Night| board(&night.events).foremost().map(|lane| lane.doing);
    assert_eq!(doing(&night), Some(Doing::Agent(Activity::Starting)));
    night.says("text");
    assert_eq!(doing(&night), Some(Doing::Agent(Activity::Writing)));
    night.called(|_| {});
    assert_eq!(doing(&night), Some(Doing::Keeping));
    night.says("a line that came late");
    assert_eq!(doing(&night), Some(Doing::Keeping));
    night.kept(1);
    assert_eq!(doing(&night), Some(Doing::Checking));
    night.finished(1, Verdict::Worked, Class::Success, 0.1, 1);
    assert_eq!(doing(&night), Some(Doing::Resting));
}

#[test]
fn a_wait_that_is_prolonged_is_one_wait() {
    let mut night = Night::new();
    let backoff = |until: &str| Fact::BackoffStarted {
        until: until.parse().unwrap(),
        class: Class::UsageLimit,
        attempt: 1,
    };
    night.start().fact(backoff("2026-03-01T21:00:00Z"));
    night.pass(600).fact(backoff("2026-03-01T22:00:00Z"));
    night.pass(600).fact(Fact::BackoffEnded);
    let board = board(&night.events);
    assert_eq!((board.waits, board.waited), (1, Duration::from_mins(20)));
}

#[test]
fn memory_does_not_grow_with_the_iterations() {
    let mut night = Night::new();
    night.start();
    for iteration in 1..=200 {
        night.iteration(iteration).called(|call| {
            call.denials = vec![Denial {
                tool: "Bash".to_owned(),
                input: iteration.to_string(),
                rule: format!("Bash({iteration})"),
                ..Denial::default()
            }];
        });
        night.finished(iteration, Verdict::Worked, Class::Success, 0.1, 1);
    }
    let board = board(&night.events);
    assert_eq!(board.denials.len(), REMEMBERED_DENIALS);
    assert!(board.calls.is_empty());
    assert_eq!(board.lanes.len(), 1);
    assert_eq!(board.tally.total(), 200);
}
