use std::time::Duration;

use super::world::{Act, World, fold, plan};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{Effect, EndCall, Input, LaneState};
use crate::values::{CallId, Class, Cut, LaneId, Named, StopReason, StopSource};

const LANE: LaneId = LaneId(0);

/// A world whose agent is at work and does not end by itself.
fn calling() -> World {
    let mut world = World::new(plan(), |_, _| Act::works("x"));
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    world.input(Input::from(report::CallSpawned { lane: LANE, call: CallId(1), pid: 7 }));
    world
}

fn press(world: &mut World) {
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
}

fn ends(world: &World) -> Vec<EndCall> {
    let how = |effect: Effect| match effect {
        Effect::EndCall { how, .. } => Some(how),
        _ => None,
    };
    world.run.outstanding().into_iter().filter_map(how).collect()
}

// rows: 70, 71
// Seed defect D3, core/loop.ts:372-418: a finished task was called interrupted.
#[test]
fn the_first_ctrl_c_lets_the_iteration_end_and_keeps_its_result() {
    let mut world = calling();
    press(&mut world);
    assert!(ends(&world).is_empty());
    assert_eq!(world.finish(), StopReason::Interrupted);
    assert_eq!(world.run.counters().finished, 1);
}

// rows: 70, 71
#[test]
fn the_second_asks_the_agent_and_kills_it_after_five_seconds_and_the_third_kills_at_once() {
    let mut world = calling();
    press(&mut world);
    press(&mut world);
    assert_eq!(ends(&world), [EndCall::Ask]);
    world.pass(Duration::from_millis(4_999));
    world.input(Input::Tick);
    assert_eq!(ends(&world), [EndCall::Ask]);
    world.pass(Duration::from_millis(1));
    world.input(Input::Tick);
    assert_eq!(ends(&world), [EndCall::Kill]);

    let mut world = calling();
    press(&mut world);
    press(&mut world);
    press(&mut world);
    assert_eq!(ends(&world), [EndCall::Kill]);
    press(&mut world);
    assert_eq!(world.count("stop_requested"), 3, "a fourth says nothing new");
}

#[test]
fn sigterm_and_ctrl_c_without_a_terminal_begin_at_the_second_stage() {
    for (by, reason) in
        [(StopSource::Terminate, StopReason::Terminated), (StopSource::Interrupt, StopReason::Interrupted)]
    {
        let mut world = calling();
        world.input(Input::Stop { by, least: 2 });
        assert_eq!(ends(&world), [EndCall::Ask]);
        assert_eq!(world.finish(), reason);
    }
}

#[test]
fn an_interrupted_call_is_kept_and_charged_and_its_iteration_is_open() {
    let mut world = World::new(plan(), |_, _| Act::of(Class::Interrupted).leaves("half").dies());
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    press(&mut world);
    press(&mut world);
    assert_eq!(world.finish(), StopReason::Interrupted);
    assert_eq!((world.run.counters().started, world.run.counters().finished), (1, 0));
    assert_eq!(world.count("kept"), 2 - 1);
    assert_eq!(world.run.ledger().spent(), crate::run::LEAST_RESERVATION);
    assert!(matches!(world.run.lane(LANE), Some(LaneState::Preparing(turn)) if turn.attempt == 2));
}

// rows: 73
#[test]
fn windlass_stop_ends_after_this_iteration_however_often_it_is_said() {
    let mut world = calling();
    for _ in 0..3 {
        world.input(Input::Stop { by: StopSource::Command, least: 1 });
    }
    assert!(ends(&world).is_empty());
    assert_eq!(world.count("stop_requested"), 1);
    assert_eq!(world.finish(), StopReason::StopRequested);
    assert_eq!(world.run.counters().finished, 1);
}

#[test]
fn ctrl_c_ends_a_wait_at_once() {
    let mut world = World::new(plan(), |_, now| {
        Act::limited(Some(now.wall.checked_add(Duration::from_hours(2)).unwrap()))
    });
    while world.run.backoff().is_none() {
        assert!(world.step());
    }
    press(&mut world);
    assert!(world.run.is_ending() && world.step(), "only who has to be told is left");
    assert!(!world.step());
    assert_eq!(world.finish(), StopReason::Interrupted);
}

// rows: 59
#[test]
fn a_clock_that_runs_out_ends_the_call() {
    let mut world = calling();
    world.input(Input::from(report::CallDue { lane: LANE, call: CallId(1), cut: Cut::Silence }));
    assert_eq!(ends(&world), [EndCall::Ask]);
    world.pass(Duration::from_secs(5));
    world.input(Input::Tick);
    let cuts: Vec<(Cut, bool)> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::CallCut { cut, now, .. } => Some((*cut, *now)),
            _ => None,
        })
        .collect();
    assert_eq!(cuts, [(Cut::Silence, false), (Cut::Silence, true)]);
}

#[test]
fn a_full_disk_ends_the_agent_and_then_the_run() {
    let mut world = calling();
    world.input(Input::from(report::Broken {
        stop_reason: StopReason::DiskFull,
        detail: "no space".to_owned(),
    }));
    assert_eq!(ends(&world), [EndCall::Ask]);
    assert_eq!(world.finish(), StopReason::DiskFull);
}

#[test]
fn inputs_that_come_too_late_mean_nothing() {
    let mut world = calling();
    let before = world.run.clone();
    for input in [
        Input::from(report::Prepared { lane: LANE }),
        Input::from(report::CallSpawned { lane: LANE, call: CallId(9), pid: 1 }),
        Input::from(report::CallDue { lane: LaneId(3), call: CallId(1), cut: Cut::Silence }),
        Input::from(report::CallDue { lane: LANE, call: CallId(9), cut: Cut::Silence }),
        Input::from(report::TreeRechecked { lane: LANE, evidence: world.evidence() }),
        Input::Start(Box::new(plan())),
    ] {
        world.input(input);
    }
    assert_eq!(world.run, before);
}

#[test]
fn illegal_facts_are_refused_and_change_nothing() {
    let world = calling();
    let at = world.now;
    let entry = |seq, fact| Entry { seq, at, fact };
    let next = world.run.next_seq();
    let illegal = [
        entry(next + 1, Fact::BackoffEnded),
        entry(next, Fact::BackoffEnded),
        entry(next, Fact::RunStarted { plan: Box::new(plan()) }),
        entry(next, Fact::IterationStarted { lane: LANE, iteration: 2, task: None }),
        entry(
            next,
            Fact::TreeRechecked(report::TreeRechecked { lane: LaneId(4), evidence: world.evidence() }),
        ),
    ];
    for entry in illegal {
        let mut run = world.run.clone();
        let refused = run.apply(&entry).unwrap_err();
        assert_eq!(refused.fact, entry.fact.name());
        assert_eq!(run, world.run);
    }
    assert_eq!(fold(&world.journal), world.run);
}

/// A journal that was edited, or damaged where nobody sees it, must not take the runner down.
#[test]
fn times_beyond_all_bounds_do_no_harm() {
    let mut plan = plan();
    plan.clocks.delay = Duration::MAX;
    plan.clocks.grace = Duration::MAX;
    let mut world = World::new(plan, |_, _| Act::works("x"));
    world.pass(Duration::from_secs(1));
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    world.input(Input::from(report::CallSpawned { lane: LANE, call: CallId(1), pid: 7 }));
    press(&mut world);
    press(&mut world);
    assert_eq!(world.run.next_due(world.now), Duration::MAX.checked_sub(world.now.monotonic));
    assert_eq!(world.finish(), StopReason::Interrupted);
}

#[test]
fn nothing_is_due_by_time_while_the_first_look_is_taken() {
    let mut run = crate::run::Run::new();
    let now = crate::values::Now { wall: jiff::Timestamp::UNIX_EPOCH, monotonic: Duration::ZERO };
    let fact = run.decide(now, Input::Start(Box::new(plan()))).remove(0);
    run.apply(&Entry { seq: 1, at: now, fact }).unwrap();
    assert_eq!(run.next_due(now), None, "the loop would spin until the look is there");
}

#[test]
fn nothing_happens_between_the_decision_to_end_and_the_end() {
    let mut world = World::new(plan(), |_, _| Act::works("a"));
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    world.input(Input::Stop { by: StopSource::Terminate, least: 2 });
    world.until(|effect| *effect == Effect::Announce);
    let before = world.run.clone();
    let lane = LaneId::default();
    world.input(Input::Stop { by: StopSource::Interrupt, least: 3 });
    world.input(Input::from(report::Broken {
        stop_reason: StopReason::Internal,
        detail: "too late".to_owned(),
    }));
    world.input(Input::from(report::Prepared { lane }));
    world.pass(Duration::from_hours(1));
    world.input(Input::Tick);
    assert_eq!(world.run, before);
    assert_eq!(world.run.next_due(world.now), None);
    let seq = world.run.next_seq();
    let begin = Entry { seq, at: world.now, fact: Fact::IterationStarted { lane, iteration: 2, task: None } };
    assert!(world.run.apply(&begin).is_err());
    assert_eq!(world.run, before);
    assert_eq!(world.finish(), StopReason::Terminated);
    assert_eq!((world.count("run_ending"), world.count("run_finished")), (1, 1));
}
