//! What hooks are told of a run, and small rules that nothing else holds.

use std::time::Duration;

use super::world::{Act, World, check, plan};
use crate::fact::{Entry, Fact};
use crate::report::{Broken, Failed, NotificationSettled};
use crate::run::{Effect, Input};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{
    CheckKind, Class, Cost, Cut, Delivery, Ended, JobStatus, NotificationKey, NotifyEvent, SinkKind,
    StatusSource, StopReason,
};

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

#[test]
fn where_an_agent_claims_and_nothing_changes_it_is_said_that_the_job_may_be_done() {
    let detail = |change: fn(&mut RunSpec), act: fn() -> Act| {
        let mut plan = plan();
        change(&mut plan);
        let mut world = World::new(plan, move |_, _| act()).checking(|_, _| false);
        world.tasks = Some(vec![super::lanes_world::row("T1", &[])]);
        world.status =
            Some(JobStatus { source: StatusSource::TaskFile, complete: true, ..JobStatus::default() });
        assert_eq!(world.finish(), StopReason::Stagnated);
        let detail = world.facts().find_map(|fact| match fact {
            Fact::RunEnding { detail, .. } => Some(detail.clone()),
            _ => None,
        });
        detail.unwrap().contains("`--until CMD` shows that")
    };
    let claims = || Act::claims("start");
    assert!(detail(|_| {}, claims));
    assert!(!detail(|_| {}, Act::idles), "nobody said so");
    assert!(
        !detail(|plan| plan.checks = vec![check(CheckKind::Until, "make test")], claims),
        "a check says when"
    );
    let tasks = |plan: &mut RunSpec| {
        plan.job = super::waking::two_lanes().job;
        plan.job.tasks.iter_mut().for_each(|tasks| tasks.attempts = 9);
    };
    assert!(!detail(tasks, Act::idles), "it is about a job, and not about a task");
    assert!(!detail(|plan| plan.limits.stagnation = Some(4), {
        // One of four: the others only idle.
        static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        || {
            if CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3 {
                Act::idles()
            } else {
                Act::claims("start")
            }
        }
    }));
}

/// What nothing can be done after is said even if the run is ending for another reason already.
#[test]
fn a_failure_is_noted_where_it_outweighs_the_one_before() {
    let failures: [fn() -> Input; 4] = [
        || Input::from(Failed { stop_reason: StopReason::NeedsHuman, detail: "seen through".to_owned() }),
        || Input::from(Failed { stop_reason: StopReason::DiskFull, detail: "breaks".to_owned() }),
        || Input::from(Broken { stop_reason: StopReason::Internal, detail: "given up".to_owned() }),
        || Input::RecordLost { detail: "lost".to_owned() },
    ];
    // Which second failure is noted after which first one.
    let noted = [
        [false, true, true, true],
        [false, false, false, true],
        [false, false, false, true],
        [false, false, false, false],
    ];
    for (first, row) in failures.iter().zip(noted) {
        for (second, expected) in failures.iter().zip(row) {
            let mut world = World::new(plan(), |_, _| Act::idles());
            // An agent is at work, so that the run does not end at once.
            world.until(|effect| matches!(effect, Effect::Keep { .. }));
            let now = world.now;
            let before = world.run.decide(now, first());
            assert_eq!(before.len(), 1);
            let entry = Entry { seq: world.run.next_seq(), at: now, fact: before[0].clone() };
            world.run.apply(&entry).unwrap();
            assert_eq!(world.run.decide(now, second()).len(), usize::from(expected), "{before:?}");
        }
    }
}

#[test]
fn what_was_seen_is_noted_and_decides_nothing() {
    let mut world = World::new(plan(), |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    assert_eq!(world.count("call_spawned"), 1);
    let settled = NotificationSettled {
        key: NotificationKey { about: 1, event: NotifyEvent::Iteration },
        sink: SinkKind::Ntfy,
        delivery: Delivery::Sent,
        status: Some(200),
        detail: String::new(),
        attempts: 1,
    };
    let before = world.run.outstanding();
    world.input(Input::from(settled));
    assert_eq!((world.count("notification_settled"), world.run.outstanding()), (1, before));
}
