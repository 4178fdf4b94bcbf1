//! What a lane keeps, and what not, when its checkout is gone or its work cannot reach the branch.

use std::time::Duration;

use super::landing::until;
use super::lanes_world::{AgentCall, World, row, tasks_plan};
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::lane::{Candidate, Council};
use crate::run::{Effect, Input, LaneState, Run};
use crate::spec::{Depth, LanesSpec, ReviewSpec, Verification};
use crate::values::{
    Class, Evidence, LaneId, MergeOutcome, Named, Now, Purpose, StopReason, TaskId, between,
};

fn done(task: &TaskId, _: Purpose, _: u32) -> AgentCall {
    let file: &'static str = Box::leak(task.0.clone().into_boxed_str());
    AgentCall::done(file, "done")
}

fn both(task: &TaskId, purpose: Purpose, _: u32) -> AgentCall {
    match purpose {
        Purpose::Merge => AgentCall::done("both", "T1 and T2"),
        _ => AgentCall::done("both", &task.0),
    }
}

fn merges(effect: &Effect) -> bool {
    matches!(effect, Effect::Prepare { purpose: Purpose::Merge, .. })
}

/// The attempt that begins again once the checkout of the lane is gone.
fn lost(world: &mut World, effect: &Effect) -> (LaneId, crate::run::TurnKey, Purpose) {
    let lane = effect.lane().unwrap();
    world.input(Input::from(report::LaneLost::removed(lane)));
    let Some(LaneState::Opening(turn)) = world.run.lane(lane) else { panic!("{:?}", world.run.lane(lane)) };
    assert!(turn.claim.is_none() && turn.review.is_none() && !turn.progress, "{turn:?}");
    assert!(world.run.task_is_fresh(lane) && world.run.work_in(lane).is_none());
    assert!(world.run.conflicts_in(lane).is_empty() && world.run.refused_in(lane).is_empty());
    (lane, turn.key(), turn.purpose)
}

#[test]
fn whatever_an_attempt_was_for_its_task_begins_again_as_work() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[]), row("T2", &[])], both);
    let effect = until(&mut world, merges);
    let (_, key, purpose) = lost(&mut world, &effect);
    assert_eq!((key.attempt, purpose), (3, Purpose::Work));
    assert_eq!(world.finish(), StopReason::Complete);

    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    let effect = until(&mut world, |effect| matches!(effect, Effect::Commit { .. }));
    let (_, key, purpose) = lost(&mut world, &effect);
    assert_eq!((key.attempt, purpose), (2, Purpose::Work));

    let mut plan = tasks_plan(2);
    plan.job.verification = Some(Verification { depth: Depth::Standard, attempts: 2 });
    let mut world = World::new(plan, vec![row("T1", &[])], done);
    let verifies = |effect: &Effect| matches!(effect, Effect::Prepare { purpose: Purpose::Verify, .. });
    let effect = until(&mut world, verifies);
    let (_, key, purpose) = lost(&mut world, &effect);
    assert_eq!((key.attempt, purpose), (3, Purpose::Work));
}

#[test]
fn what_a_reviewer_was_to_look_at_is_gone_with_its_checkout() {
    let mut plan = tasks_plan(2);
    plan.review = Some(ReviewSpec::default());
    let mut world = World::new(plan, vec![row("T1", &[])], done);
    let reviews = |effect: &Effect| matches!(effect, Effect::Prepare { purpose: Purpose::Review, .. });
    let effect = until(&mut world, reviews);
    let (_, key, purpose) = lost(&mut world, &effect);
    assert_eq!((key.attempt, purpose), (3, Purpose::Work));
}

#[test]
fn a_council_that_was_asked_is_not_asked_again_because_a_checkout_is_gone() {
    let candidate = |world: &World, lane| match world.run.lane(lane) {
        Some(LaneState::Advancing(turn, outcome, judged)) => Box::new(Candidate {
            purpose: turn.purpose,
            outcome: outcome.clone(),
            judged: judged.clone(),
            evidence: None,
        }),
        other => panic!("{other:?}"),
    };
    for (asked, then) in [(0, Council::Unasked), (1, Council::Over), (2, Council::Over)] {
        let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
        let effect = until(&mut world, |effect| matches!(effect, Effect::Commit { .. }));
        let lane = effect.lane().unwrap();
        let council = match asked {
            0 => Council::Unasked,
            1 => Council::Asked(candidate(&world, lane)),
            _ => Council::Over,
        };
        world.run.lanes.get_mut(&lane).unwrap().state.turn_mut().unwrap().council = council;
        lost(&mut world, &effect);
        assert_eq!(world.run.lane(lane).unwrap().turn().unwrap().council, then, "{asked}");
    }
}

#[test]
fn a_checkout_that_goes_too_often_is_said_with_how_often() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    world.losses = vec![0, 0, 0, 0];
    assert_eq!(world.finish(), StopReason::DestructiveChange);
    let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
        panic!()
    };
    assert!(detail.contains("gone 4 times while T1 was worked on"), "{detail}");
}

#[test]
fn a_checkout_that_cannot_be_filled_is_tried_again_after_pauses_and_not_for_ever() {
    let opens = |effect: &Effect| matches!(effect, Effect::Open { .. });
    for (failures, ends) in [(5, StopReason::Complete), (6, StopReason::SetupFailed)] {
        let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
        let mut tried = Vec::new();
        for _ in 0..failures {
            let lane = until(&mut world, opens).lane().unwrap();
            tried.push(world.now.wall);
            world.input(Input::from(report::LaneLost::unfilled(lane, "no such host".to_owned())));
            assert!(!world.run.outstanding().iter().any(opens), "it is waited first");
        }
        assert_eq!(world.finish(), ends);
        let pauses: Vec<_> = tried.windows(2).map(|pair| between(pair[0], pair[1])).collect();
        assert!(pauses.is_sorted() && pauses[0] >= Duration::from_secs(8), "{pauses:?}");
        let said = |entry: &Entry| match &entry.fact {
            Fact::Noticed(report::Noticed { text }) => text.clone(),
            Fact::RunFinished { detail, .. } => detail.clone(),
            _ => String::new(),
        };
        let said: Vec<String> = world.journal.iter().map(said).collect();
        assert_eq!(said.iter().filter(|text| text.contains("filled")).count(), failures, "{said:?}");
        assert!(!said.iter().any(|text| text.contains("removed")), "{said:?}");
    }
}

#[test]
fn an_interrupted_call_in_a_lane_is_repeated_in_the_same_checkout() {
    let agent = |task: &TaskId, purpose, call| match call {
        1 => AgentCall { class: Class::Interrupted, writes: Vec::new(), claims: false },
        _ => done(task, purpose, call),
    };
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], agent);
    assert_eq!(world.finish(), StopReason::Complete);
    let opened = world.journal.iter().filter(|entry| entry.fact.name() == "lane_opened").count();
    assert_eq!((opened, world.calls), (1, 2));
}

#[test]
fn what_the_agent_has_put_together_is_put_together_again_where_others_have_overtaken_it() {
    // Of journals of old a person is asked at once.
    for (most, ends, calls) in [(0, StopReason::Blocked, 3), (3, StopReason::Complete, 4)] {
        conflicts_again(most, ends, calls);
    }
}

fn conflicts_again(most: u32, ends: StopReason, calls: u32) {
    let mut plan = tasks_plan(2);
    plan.lanes = plan.lanes.map(|lanes| LanesSpec { merges: most, ..lanes });
    let mut world = World::new(plan, vec![row("T1", &[]), row("T2", &[])], both);
    let effect = until(&mut world, merges);
    let lane = effect.lane().unwrap();
    let again = |effect: &Effect| matches!(effect, Effect::Merge { turn, lane: of, .. } if turn.attempt == 2 && *of == lane);
    until(&mut world, again);
    let evidence: Evidence = world.evidence(lane);
    let outcome = MergeOutcome::Conflict { paths: vec!["both".to_owned()] };
    let task = world.run.task_in(lane).unwrap().id.clone();
    world.input(Input::from(report::Merged { lane, tip: "t9".to_owned(), outcome, evidence }));
    assert_eq!(world.finish(), ends);
    let parked = (ends == StopReason::Blocked).then_some("merged with the branch it conflicts in both");
    assert_eq!((world.run.parked_because(&task), world.calls), (parked, calls));
}

#[test]
fn while_an_agent_puts_its_work_together_nothing_lands_that_it_would_have_to_put_together_again() {
    let rows = ["T1", "T2", "T3", "T4"].map(|id| row(id, &[]));
    let mut world = World::new(tasks_plan(4), rows.to_vec(), both);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.calls, 4 + 3, "all but the first have to, each once");
}

#[test]
fn a_run_that_has_not_begun_or_has_ended_takes_nothing_in() {
    let now = Now { wall: "2026-11-21T22:00:00Z".parse().unwrap(), monotonic: Duration::ZERO };
    let notice = || Input::notice("what".to_owned());
    assert_eq!(Run::new().decide(now, notice()), []);
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    assert_eq!(world.run.decide(world.now, notice()).len(), 1);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.decide(world.now, notice()), []);
}

#[test]
fn facts_are_numbered_from_one_and_none_is_left_out_or_told_twice() {
    let mut world = World::new(tasks_plan(1), vec![row("T1", &[])], done);
    assert_eq!(world.finish(), StopReason::Complete);
    let numbers: Vec<u64> = world.journal.iter().map(|entry| entry.seq).collect();
    assert_eq!(numbers, (1..=world.journal.len() as u64).collect::<Vec<_>>());
    assert_eq!(Run::folded(&world.journal).unwrap(), world.run);
    assert!(Run::folded(&world.journal[1..]).is_err(), "the first is left out");
    let mut run = Run::new();
    assert!(run.apply(&world.journal[1]).is_err(), "the first is left out");
    run.apply(&world.journal[0]).unwrap();
    assert!(run.apply(&world.journal[0]).is_err(), "it is told twice");
}
