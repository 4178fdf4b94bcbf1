//! What hooks are told of a run, and small rules that nothing else holds.

use std::time::Duration;

use super::world::{Act, World, check, plan};
use crate::run::Effect;
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{CheckKind, Class, Cost, Cut, Ended, StopReason};

#[test]
fn hooks_are_told_when_the_run_began_and_how_the_latest_iteration_went() {
    let mut plan = plan();
    plan.limits.iterations = Some(2);
    plan.clocks.delay = Duration::ZERO;
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    let began = world.now.wall;
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.run.started(), Some(began));
    assert!(!world.run.is_resumed());
    assert_eq!(world.run.first_evidence().map(|seen| seen.tree.as_str()), Some("start"));
    let latest = world.run.latest_iteration();
    assert_eq!(latest.before.as_ref().map(|seen| seen.tree.as_str()), Some("tree 1"));
    assert_eq!(latest.ended, Some(Ended::Exited(0)));
    assert_eq!(latest.duration, Duration::from_mins(1));
    world.restart(world.journal.len());
    assert!(world.run.is_resumed());
    world.until(|effect| matches!(effect, Effect::Announce));
    assert_eq!(world.run.ending(), Some(StopReason::MaxIterations));
}

#[test]
fn an_agent_that_used_up_its_budget_ends_the_run_although_less_was_spent() {
    let mut plan = plan();
    plan.limits.cost = Some(Cost::from_micros(50_000_000));
    let mut world = World::new(plan, |_, _| Act::of(Class::BudgetExhausted).leaves("further"));
    assert_eq!(world.finish(), StopReason::MaxCost);
    assert_eq!(world.run.counters().finished, 1);
}

// What checks wrote is nothing to commit.
#[test]
fn what_a_check_left_is_not_committed_with_the_next_iteration() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| if call == 1 { Act::works("done") } else { Act::idles() });
    world.until(|effect| matches!(effect, Effect::Settle { .. }));
    world.tree = "done, and a report".to_owned();
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.commits, 1);
}

// An interruption is not an answer of the API's: outages before and after it are outages in a row.
#[test]
fn an_interruption_between_outages_does_not_begin_their_count_anew() {
    let calls = |interrupted: bool| {
        let mut plan = plan();
        plan.limits.outage_retries = 3;
        let agent = move |call: u32, _| match call {
            2 if interrupted => Act::of(Class::Interrupted).cut(Cut::Duration).free(),
            _ => Act::of(Class::Outage).free(),
        };
        let mut world = World::new(plan, agent);
        assert_eq!(world.finish(), StopReason::AgentUnavailable);
        world.count("call_reserved")
    };
    assert_eq!(calls(true), calls(false) + 1);
}
