//! What a run makes of workers that are lost, heard of late, or held back by a usage limit.

use super::landing::until;
use super::lanes_world::{AgentCall, World as Lanes, row, tasks_plan};
use super::sharing::{ended, open};
use super::waking::{at_work_with, two_lanes};
use super::world::{World, report};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input, LaneState};
use crate::spec::{ReviewSpec, RunSpec};
use crate::values::{CallId, CallReport, Class, Cost, Ended, LaneId, Purpose, TaskId, UsageLimit};

const LANE: LaneId = LaneId(1);

/// Two lanes, the first of which calls its agent.
fn calling() -> (World, CallId) {
    let mut world = at_work_with(two_lanes(), &["T1", "T2"]);
    open(&mut world, LANE);
    world.input(Input::from(report::Prepared { lane: LANE }));
    let (_, call) = world.run.lane(LANE).and_then(LaneState::call).unwrap();
    (world, call.id)
}

/// A limit stands against this account, and maybe another worker has another one.
fn refused(elsewhere: bool) -> CallReport {
    let limit = Some(UsageLimit::default());
    CallReport { cost: Some(Cost::ZERO), limit, elsewhere, ..report(Class::UsageLimit) }
}

fn kinds(world: &World, from: usize) -> Vec<&'static str> {
    world.facts().skip(from).map(Into::into).collect()
}

#[test]
fn a_limit_of_one_account_has_the_task_begun_again_at_once_and_nobody_waits() {
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

// What others look over, or put together, is in this worker's checkout alone.
#[test]
fn who_looks_work_over_or_puts_it_together_waits_for_a_limit_where_the_work_is() {
    for purpose in [Purpose::Review, Purpose::Merge] {
        let review = (purpose == Purpose::Review).then(ReviewSpec::default);
        let agent = |task: &TaskId, _, _| AgentCall::done("file", &task.0);
        let plan = RunSpec { review, ..tasks_plan(2) };
        let mut world = Lanes::new(plan, vec![row("T1", &[]), row("T2", &[])], agent);
        let calls =
            |effect: &Effect| matches!(effect, Effect::Call { purpose: called, .. } if *called == purpose);
        let Effect::Call { lane, call, .. } = until(&mut world, calls) else { panic!() };
        world.input(Input::from(report::CallEnded { lane, call, report: Box::new(refused(true)) }));
        let keep = until(&mut world, |effect| matches!(effect, Effect::Keep { lane: at, .. } if *at == lane));
        world.carry_out(keep);
        let Some(LaneState::Preparing(turn)) = world.run.lane(lane) else { panic!("{purpose:?}") };
        assert_eq!((turn.purpose, world.run.backoff().is_some()), (purpose, true));
    }
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
