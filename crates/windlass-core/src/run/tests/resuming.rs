//! What a resumption begins anew, what it does first, and what stands.

use std::time::Duration;

use super::verification::verified;
use super::workspace::complete;
use super::world::{Act, World, check, fold, plan};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{Effect, Input, LaneState, Occasion, Run};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{Assessed, CheckKind, Class, JobStatus, LaneId, Named, StopReason, UnderWay, Verdict};

const LANE: LaneId = LaneId(0);

fn gated() -> RunSpec {
    RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..plan() }
}

fn judge(call: u32) -> Act {
    let works = Act::works(&format!("tree {call}")).writes(complete(&call.to_string()));
    if call % 2 == 1 { works } else { Act::judges(Assessed::Fail) }
}

/// Somebody looked at it and says: go on. Whatever ended the run is counted from the beginning.
#[test]
fn the_counter_that_ended_a_run_begins_anew() {
    let failing: Vec<(StopReason, World)> = vec![
        (StopReason::ConsecutiveFailures, World::new(plan(), |_, _| Act::of(Class::TaskFailure))),
        (StopReason::Stagnated, World::new(plan(), |_, _| Act::idles())),
        (
            StopReason::GatesFailing,
            World::new(gated(), |call, _| Act::claims(&format!("try {call}"))).checking(|_, _| false),
        ),
        (StopReason::AgentUnavailable, World::new(plan(), |_, _| Act::of(Class::Outage).free())),
        (
            StopReason::NeedsHuman,
            World::new(verified(), |call, _| judge(call)).with_status(JobStatus::default()),
        ),
        (StopReason::LimitWaitExceeded, World::new(plan(), |_, _| Act::limited(None))),
    ];
    for (reason, mut world) in failing {
        assert_eq!(world.finish(), reason);
        let calls = world.count("call_reserved");
        world.restart(world.journal.len());
        assert_eq!(world.finish(), reason);
        assert_eq!(world.count("call_reserved"), 2 * calls, "{reason:?}: as often again, and no less");
    }
}

// Seven minutes lie between the two sessions.
#[test]
fn the_time_between_two_sessions_is_in_no_iterations_duration() {
    let mut world = World::new(plan(), |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.restart(world.journal.len());
    world.finish();
    let durations = world.journal.iter().filter_map(|entry| match &entry.fact {
        Fact::IterationFinished { duration, .. } => Some(*duration),
        _ => None,
    });
    let longest = durations.max().unwrap();
    assert!(longest > Duration::ZERO && longest < Duration::from_mins(7), "{longest:?}");
}

/// The run after so many facts, resumed.
fn resumed(world: &World, kept: usize) -> Run {
    let mut run = fold(&world.journal[..kept]);
    let plan = Box::new((**run.spec().unwrap()).clone());
    run.apply(&Entry { seq: run.next_seq(), at: world.now, fact: Fact::RunResumed { plan } }).unwrap();
    run
}

/// All resumptions of a run that was killed in this state of its lane.
fn killed_while(world: &World, state: &str) -> Vec<Run> {
    let there =
        |kept: &usize| fold(&world.journal[..*kept]).lane(LANE).is_some_and(|lane| lane.name() == state);
    let runs: Vec<Run> = (1..world.journal.len()).filter(there).map(|kept| resumed(world, kept)).collect();
    assert!(!runs.is_empty(), "it never was {state}");
    runs
}

fn kinds(run: &Run) -> Vec<&'static str> {
    let kind = |effect: &Effect| match effect {
        Effect::Survey(Occasion::Start) => "survey at the start",
        Effect::Survey(Occasion::Resume) => "survey",
        Effect::Keep { .. } => "keep",
        Effect::Recover { .. } => "recover",
        _ => "something else",
    };
    run.outstanding().iter().map(kind).collect()
}

#[test]
fn what_was_under_way_is_seen_through_before_the_world_is_looked_at() {
    let plan = RunSpec { commit: CommitPolicy::Runner, ..gated() };
    let mut world = World::new(plan, |call, _| Act::claims(&format!("tree {call}")));
    assert_eq!(world.finish(), StopReason::Complete);
    for (state, first) in [
        ("calling", "recover"),
        ("keeping", "keep"),
        ("gating", "keep"),
        ("advancing", "keep"),
        ("settling", "keep"),
        ("judging", "keep"),
        ("preparing", "survey"),
    ] {
        for run in killed_while(&world, state) {
            assert_eq!(kinds(&run), [first], "killed while {state}");
        }
    }
    for run in killed_while(&world, "idle") {
        let before = run.counters().started == 0;
        assert_eq!(kinds(&run), [if before { "survey at the start" } else { "survey" }]);
    }
}

/// What a person wrote before the run was resumed is in no snapshot yet.
#[test]
fn nothing_is_undone_before_what_is_there_is_kept() {
    let mut world = World::new(plan(), |call, _| Act::works(&format!("tree {call}")));
    world.strays = vec![("tree 1".to_owned(), "tree 1, without what is not allowed".to_owned())];
    world.until(|effect| matches!(effect, Effect::Refuse { .. }));
    assert_eq!(kinds(&resumed(&world, world.journal.len())), ["keep"]);
    world.restart(world.journal.len());
    world.until(|effect| matches!(effect, Effect::Refuse { .. }));
    world.finish();
    assert_eq!(world.count("refused"), 1);
}

#[test]
fn what_was_neither_claimed_nor_checked_is_known_and_what_was_claimed_is_kept_anew() {
    for (says, first) in [("WINDLASS_JOB_COMPLETE", vec!["keep"]), ("more to do", Vec::new())] {
        let mut world =
            World::new(plan(), move |call, _| Act::works(&format!("tree {}", call.min(2))).says(says));
        world.finish();
        for run in killed_while(&world, "judging") {
            assert_eq!(kinds(&run), first, "{says}");
        }
    }
}

/// What was written into an old prompt, or is due to another's answer, begins no call.
#[test]
fn no_money_is_set_aside_while_the_run_waits_or_has_not_looked() {
    let mut world = World::new(plan(), |_, _| Act::limited(None));
    while world.run.backoff().is_none() {
        assert!(world.step());
    }
    assert!(matches!(world.run.lane(LANE), Some(LaneState::Preparing(_))));
    assert_eq!(world.run.outstanding(), []);
    assert_eq!(world.run.decide(world.now, Input::from(report::Prepared { lane: LANE })), []);
    for run in killed_while(&world, "preparing") {
        assert_eq!(run.decide(resumed_at(), Input::from(report::Prepared { lane: LANE })), []);
    }
}

fn resumed_at() -> crate::values::Now {
    crate::values::Now { wall: "2026-11-23T22:00:00Z".parse().unwrap(), monotonic: Duration::ZERO }
}

#[test]
fn nothing_new_is_begun_once_somebody_said_stop() {
    let mut world = World::new(gated(), |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    for kept in [1, world.journal.len()] {
        for fact in [
            Fact::StopRequested { by: crate::values::StopSource::Interrupt, stage: 1 },
            Fact::Failing {
                stop_reason: StopReason::Internal,
                detail: String::new(),
                under_way: UnderWay::GivenUp,
            },
        ] {
            let mut run = fold(&world.journal[..kept]);
            assert_eq!(run.outstanding().len(), 1);
            run.apply(&Entry { seq: run.next_seq(), at: world.now, fact }).unwrap();
            assert_eq!(run.outstanding(), []);
        }
    }
}

#[test]
fn an_iteration_costs_what_all_its_attempts_cost() {
    let mut plan = plan();
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |call, _| match call {
        1 | 2 => Act::of(Class::Interrupted),
        _ => Act::works("done"),
    });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    let of_calls: Vec<_> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::CallFinished { summary, .. } => Some((summary.cost, summary.tokens)),
            _ => None,
        })
        .collect();
    let [one, _, _] = of_calls[..] else { panic!("three attempts, not {}", of_calls.len()) };
    let of_iteration = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { cost, tokens, .. } => Some((*cost, *tokens)),
        _ => None,
    });
    let (mut cost, mut tokens) = (one.0 + one.0, one.1);
    cost += one.0;
    tokens += one.1;
    tokens += one.1;
    assert_eq!(of_iteration, Some((cost, tokens)));
}

/// One of two checks passes for the first time, and then the other one fails.
#[test]
fn the_first_pass_of_any_check_is_progress() {
    let checks = vec![check(CheckKind::Until, "one"), check(CheckKind::Until, "two")];
    let mut world = World::new(RunSpec { checks, ..plan() }, |_, _| Act::idles());
    let mut calls = 0;
    world = world.checking(move |check, _| {
        calls += 1;
        calls > 2 && check == 0
    });
    world.finish();
    let progress: Vec<bool> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::IterationFinished { progress, .. } => Some(*progress),
            _ => None,
        })
        .collect();
    assert_eq!(progress[..2], [true, false]);
}

/// The gate's first pass is progress, although the agent that was asked wrote something, and the gates ran again.
#[test]
fn a_first_pass_before_a_verification_is_not_forgotten() {
    let mut plan = verified();
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    let mut calls = 0;
    let mut world = World::new(plan, |call, _| match call {
        1 => Act::idles().writes(complete("1")),
        _ => Act::judges(Assessed::Pass).leaves("with a test of the verifying agent"),
    })
    .with_status(complete("yesterday"))
    .checking(move |_, _| {
        calls += 1;
        calls > 1
    });
    assert_eq!(world.finish(), StopReason::Complete);
    let ended = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { verdict, progress, .. } => Some((*verdict, *progress)),
        _ => None,
    });
    assert_eq!(ended, Some((Verdict::ClaimAccepted, true)));
}
