//! What a run makes of workers that are lost, heard of late, or held back by a usage limit.

use super::sharing::{ended, open};
use super::waking::{at_work_with, two_lanes};
use super::world::{World, report};
use crate::fact::Fact;
use crate::report;
use crate::run::{Input, LaneState};
use crate::values::{CallId, CallReport, Class, Cost, Ended, LaneId, UsageLimit};

const LANE: LaneId = LaneId(1);

/// Two lanes, the first of which calls its agent.
fn calling() -> (World, CallId) {
    let mut world = at_work_with(two_lanes(), &["T1", "T2"]);
    open(&mut world, LANE);
    world.input(Input::from(report::Prepared { lane: LANE }));
    let (_, call) = world.run.lane(LANE).and_then(LaneState::call).unwrap();
    (world, call.id)
}

fn kinds(world: &World, from: usize) -> Vec<&'static str> {
    world.facts().skip(from).map(Into::into).collect()
}

#[test]
fn a_limit_of_one_account_has_the_task_begun_again_at_once_and_nobody_waits() {
    let refused = |elsewhere| CallReport {
        cost: Some(Cost::ZERO),
        limit: Some(UsageLimit::default()),
        elsewhere,
        ..report(Class::UsageLimit)
    };
    let (mut world, _) = calling();
    let before = world.facts().count();
    ended(&mut world, LANE, refused(true), None);
    assert_eq!(kinds(&world, before), ["call_finished", "kept", "attempt_repeats"]);
    let Some(LaneState::Opening(turn)) = world.run.lane(LANE) else { panic!("{:?}", world.run.lane(LANE)) };
    assert_eq!((turn.attempt, world.run.task_is_fresh(LANE)), (2, true));
    assert!(world.run.backoff().is_none());

    let (mut world, _) = calling();
    let before = world.facts().count();
    ended(&mut world, LANE, refused(false), None);
    assert_eq!(kinds(&world, before), ["call_finished", "kept", "held", "attempt_repeats"]);
    assert!(matches!(world.run.lane(LANE), Some(LaneState::Preparing(_))));
}

#[test]
fn a_late_result_is_charged_in_its_iteration_and_counts_for_nothing_else() {
    let (mut world, call) = calling();
    let lost = CallReport { cost: None, ended: Ended::Lost, ..report(Class::Interrupted) };
    ended(&mut world, LANE, lost, None);
    let spent = |world: &World| {
        let turn = world.run.lane(LANE).and_then(LaneState::turn).unwrap();
        assert_eq!((turn.cost, turn.estimated), (world.run.ledger().spent(), world.run.ledger().estimated()));
        (turn.cost, turn.estimated)
    };
    let estimate = Cost::from_dollars(0.5);
    assert_eq!(spent(&world), (estimate, estimate));
    let before = world.facts().count();
    let heard = |call| {
        let report = CallReport { cost: Some(Cost::from_dollars(0.2)), ..report(Class::Success) };
        Input::from(report::LateResult { lane: LANE, call, report: Box::new(report) })
    };
    world.input(heard(CallId(77)));
    assert_eq!(kinds(&world, before), [""; 0], "nobody knows it");
    world.input(heard(call));
    world.input(heard(call));
    assert_eq!(kinds(&world, before), ["call_recharged"], "once");
    assert_eq!(spent(&world), (Cost::from_dollars(0.2), Cost::ZERO));
    let recharged = world.facts().last().unwrap();
    assert!(
        matches!(recharged, Fact::CallRecharged { replaces, .. } if *replaces == estimate),
        "{recharged:?}"
    );
}
