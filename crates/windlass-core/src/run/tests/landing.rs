//! What is known of a task at each fact of its way to the branch, and what a runner that takes over makes of that.

use super::lanes_world::{AgentCall, World, row, tasks_plan};
use super::waking::{at_work_with, two_lanes};
use super::world::fold;
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{CommitKind, Effect, Input, LaneState};
use crate::tasks::TaskProgress;
use crate::values::{
    CheckOutcome, CommitNotes, Hook, HookCommand, HookName, LandOutcome, LaneId, MergeOutcome, Named,
    Purpose, StopReason, TaskEnd, TaskId, TaskRow, TaskState,
};

fn done(task: &TaskId, _: Purpose, _: u32) -> AgentCall {
    let file: &'static str = Box::leak(task.0.clone().into_boxed_str());
    AgentCall::done(file, "done")
}

pub(super) fn until(world: &mut World, mut found: impl FnMut(&Effect) -> bool) -> Effect {
    for turn in 0..2000 {
        if let Some(effect) = world.run.outstanding().into_iter().find(&mut found) {
            return effect;
        }
        assert!(world.step(turn * 7), "the run ended first: {:?}", world.run.phase());
    }
    panic!("it never came")
}

/// After each fact: what it was, and how its task stands as far as anything is decided.
fn standings(world: &World) -> Vec<(&'static str, Option<TaskProgress>)> {
    let journal = &world.journal;
    let at = |length: usize| fold(&journal[..length]).tasks_as_decided().standing(&"T1".into());
    (1..=journal.len()).map(|length| (journal[length - 1].fact.name(), at(length))).collect()
}

#[test]
fn what_has_landed_is_done_before_that_is_written_down() {
    for lanes in [1, 2] {
        let mut world = World::new(tasks_plan(lanes), vec![row("T1", &[])], done);
        assert_eq!(world.finish(), StopReason::Complete);
        let decisive = if lanes == 1 { "iteration_finished" } else { "landed" };
        let standings = standings(&world);
        let from = standings.iter().position(|(fact, _)| *fact == decisive).unwrap();
        assert!(standings[from..].iter().all(|(_, standing)| *standing == Some(TaskProgress::Done)));
        assert!(standings[..from].iter().all(|(_, standing)| *standing != Some(TaskProgress::Done)));
    }
}

#[test]
fn what_was_kept_from_the_branch_is_not_done_and_parked_as_soon_as_that_is_decided() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    let Effect::Land { lane, .. } = until(&mut world, |effect| matches!(effect, Effect::Land { .. })) else {
        panic!()
    };
    world.input(Input::from(report::Landed {
        lane,
        outcome: LandOutcome::Refused { why: "the tip is held".to_owned() },
    }));
    assert_eq!(world.finish(), StopReason::Blocked);
    let standings = standings(&world);
    assert!(standings.iter().all(|(_, standing)| *standing != Some(TaskProgress::Done)), "{standings:?}");
    let decided = standings.iter().position(|(fact, _)| *fact == "iteration_finished").unwrap();
    assert_eq!(standings[decided].1, Some(TaskProgress::Parked));
    assert_eq!(world.run.parked_because(&"T1".into()), Some("the tip is held"));
}

// Its work is on the branch: whoever takes over from there asks no agent, checks nothing and commits nothing again.
#[test]
fn a_runner_that_dies_right_after_a_landing_does_nothing_of_it_again() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    assert_eq!(world.finish(), StopReason::Complete);
    let landed = world.journal.iter().position(|entry| entry.fact.name() == "landed").unwrap();
    world.restart(landed + 1);
    let run = fold(&world.journal[..=landed]);
    let Some(LaneState::Judging(_, outcome, _)) = run.lane(LaneId(1)) else {
        panic!("{:?}", run.lane(LaneId(1)))
    };
    assert_eq!(outcome.in_git.commit.as_deref(), Some("l2"), "what landed is what is known of it");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.calls, world.landings.len()), (1, 1));
    let again = world.journal[landed + 1..].iter().map(|entry| entry.fact.name());
    assert_eq!(again.filter(|name| ["kept", "committed", "merged", "landed"].contains(name)).count(), 0);
}

#[test]
fn a_commit_that_a_hook_altered_lands_once_its_checks_have_passed_again() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    let Effect::Commit { lane, what, .. } =
        until(&mut world, |effect| matches!(effect, Effect::Commit { .. }))
    else {
        panic!()
    };
    assert_eq!(what, CommitKind::Complete);
    let evidence = world.evidence(lane);
    let commit = Some("c".to_owned());
    let notes = CommitNotes::default();
    world.input(Input::from(report::Committed {
        lane,
        commit,
        evidence,
        altered: true,
        refused: None,
        notes,
    }));
    assert!(world.run.outstanding().iter().any(|effect| matches!(effect, Effect::RunCheck { .. })));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.landings.len(), 1);
}

// Found by nights (seed 157812): what the branch had got meanwhile landed as that task's, and no gate had seen it.
#[test]
fn a_task_that_changed_nothing_is_judged_with_what_the_branch_got_meanwhile() {
    for moved in [true, false] {
        let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
        let Effect::Open { lane, .. } = until(&mut world, |effect| matches!(effect, Effect::Open { .. }))
        else {
            panic!()
        };
        let evidence = world.evidence(lane);
        world.input(Input::from(report::LaneOpened {
            lane,
            base: "here".to_owned(),
            evidence,
            snapshot: None,
        }));
        let merges = |effect: &Effect| matches!(effect, Effect::Merge { .. });
        until(&mut world, merges);
        let tip = if moved { "there" } else { "here" }.to_owned();
        let outcome = MergeOutcome::Clean { commit: None, retest: false };
        let evidence = world.evidence(lane);
        world.input(Input::from(report::Merged { lane, tip, outcome, evidence }));
        let gated = matches!(world.run.outstanding()[..], [Effect::RunCheck { .. }]);
        assert_eq!(gated, moved, "{:?}", world.run.outstanding());
        let Some(Fact::Merged(report::Merged { outcome, .. })) =
            world.journal.last().map(|entry| &entry.fact)
        else {
            panic!()
        };
        assert_eq!(*outcome, MergeOutcome::Clean { commit: None, retest: moved });
        if moved {
            // Killed before the gates have said anything, the same tip is not news any more, and they are asked all the same.
            world.restart(world.journal.len());
            until(&mut world, merges);
            let outcome = MergeOutcome::Clean { commit: None, retest: false };
            let evidence = world.evidence(lane);
            world.input(Input::from(report::Merged { lane, tip: "there".to_owned(), outcome, evidence }));
            assert!(matches!(world.run.outstanding()[..], [Effect::RunCheck { .. }]));
        }
    }
}

#[test]
fn the_agent_is_told_what_it_has_to_put_together() {
    let agent = |task: &TaskId, purpose, _| match purpose {
        Purpose::Merge => AgentCall::done("both", "T1 and T2"),
        _ => AgentCall::done("both", &task.0),
    };
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[]), row("T2", &[])], agent);
    let merges = |effect: &Effect| matches!(effect, Effect::Prepare { purpose: Purpose::Merge, .. });
    let Effect::Prepare { lane, .. } = until(&mut world, merges) else { panic!() };
    let other = if lane == LaneId(1) { LaneId(2) } else { LaneId(1) };
    assert_eq!(world.run.conflicts_in(lane), ["both"]);
    assert_eq!(world.run.work_in(lane), Some("c"));
    assert!(world.run.conflicts_in(other).is_empty() && world.run.work_in(other).is_none());
    assert_eq!(world.finish(), StopReason::Complete);
    // Where the checks of the whole fail, no path is to blame, and what failed is told.
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[]), row("T2", &[])], done);
    world.gate = |files| files.len() < 2;
    let Effect::Prepare { lane, .. } = until(&mut world, merges) else { panic!() };
    assert!(world.run.conflicts_in(lane).is_empty());
    assert_eq!(world.run.refused_in(lane).iter().map(CheckOutcome::passed).collect::<Vec<_>>(), [false]);
}

#[test]
fn a_checkout_begins_at_the_tip_with_its_task_and_with_nothing_else() {
    let agent = |task: &TaskId, purpose, call| match call {
        1 => AgentCall { claims: false, ..done(task, purpose, call) },
        _ => done(task, purpose, call),
    };
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], agent);
    let mut fresh = Vec::new();
    for _ in 0..2 {
        let Effect::Open { lane, .. } = until(&mut world, |effect| matches!(effect, Effect::Open { .. }))
        else {
            panic!()
        };
        fresh.push(world.run.task_is_fresh(lane));
        world.step(0);
        assert!(!world.run.task_is_fresh(lane), "it is open");
    }
    assert_eq!(fresh, [true, false]);
}

#[test]
fn unfinished_work_is_committed_as_progress_and_finished_work_as_whole() {
    let agent = |_: &TaskId, _, call: u32| match call {
        1 => AgentCall { claims: false, ..AgentCall::done("half", "1") },
        _ => AgentCall::done("whole", "2"),
    };
    let mut world = World::new(tasks_plan(1), vec![row("T1", &[])], agent);
    let mut kinds = Vec::new();
    for iteration in [1, 2] {
        let commit = until(
            &mut world,
            |effect| matches!(effect, Effect::Commit { turn, .. } if turn.iteration == iteration),
        );
        let Effect::Commit { what, .. } = commit else { panic!() };
        kinds.push(what);
        world.step(0);
    }
    assert_eq!(kinds, [CommitKind::Progress, CommitKind::Complete]);
}

#[test]
fn without_checks_a_change_speaks_for_a_task() {
    for lanes in [1, 2] {
        let mut plan = tasks_plan(lanes);
        plan.checks.clear();
        let mut world = World::new(plan, vec![row("T1", &[])], done);
        assert_eq!(world.finish(), StopReason::Complete);
        assert_eq!(world.calls, 1);
    }
}

fn ended_after_one(world: &mut World) {
    until(world, |effect| matches!(effect, Effect::Call { .. }));
    world.input(Input::Stop { by: crate::values::StopSource::Command, least: 1 });
    assert_eq!(world.finish(), StopReason::StopRequested);
}

// It may be a person who wrote that, or an agent that took the last task out of the file before its runner died: the run has
// not seen it, and is not complete.
#[test]
fn what_the_file_calls_done_between_two_sessions_is_done_and_completes_nothing() {
    for lanes in [1, 2] {
        let mut world = World::new(tasks_plan(lanes), vec![row("T1", &[]), row("T2", &["T1"])], done);
        ended_after_one(&mut world);
        world.rows[1].state = TaskState::Done;
        world.restart(world.journal.len());
        assert_eq!(world.finish(), StopReason::Blocked, "{lanes}");
        assert_eq!(world.calls, 1, "{lanes}");
    }
}

#[test]
fn checks_that_fail_when_every_task_is_done_already_are_named_as_what_stands_in_the_way() {
    let all_done = TaskRow { state: TaskState::Done, ..row("T1", &[]) };
    let mut world = World::new(tasks_plan(1), vec![all_done], done);
    world.gate = |_| false;
    assert_eq!(world.finish(), StopReason::Blocked);
    let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
        panic!()
    };
    assert!(
        detail.starts_with("every task is done in the file, and a check fails before anything is done: `"),
        "{detail}"
    );
}

#[test]
fn a_lane_leaves_a_task_that_somebody_else_has_done_meanwhile() {
    let agent = |task: &TaskId, purpose, call| AgentCall { claims: call > 1, ..done(task, purpose, call) };
    let mut world = World::new(tasks_plan(1), vec![row("T1", &[]), row("T2", &[])], agent);
    ended_after_one(&mut world);
    assert_eq!(
        world.run.task_in(LaneId(0)).map(|row| row.id.0.as_str()),
        Some("T1"),
        "it stays with its task"
    );
    let kept = fold(&world.journal);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.started(), ["T1", "T1", "T2"], "it went on with it");
    assert!(kept.task_in(LaneId(0)).is_some());

    let mut world = World::new(tasks_plan(1), vec![row("T1", &[]), row("T2", &[])], agent);
    ended_after_one(&mut world);
    world.rows[0].state = TaskState::Done;
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.started(), ["T1", "T2"]);
}

#[test]
fn only_the_end_that_was_decided_closes_a_task_and_only_that_task() {
    let mut world = World::new(tasks_plan(1), vec![row("T1", &[]), row("T2", &[])], done);
    until(&mut world, |effect| matches!(effect, Effect::CloseTask { .. }));
    let closed = |task: &str, end: TaskEnd| {
        Fact::TaskClosed(report::TaskClosed {
            lane: LaneId(0),
            iteration: 1,
            task: task.into(),
            end,
            branch: None,
            evidence: world.evidence(LaneId(0)),
            snapshot: None,
        })
    };
    let again = TaskEnd::Again { why: String::new() };
    for (fact, legal) in [
        (closed("T2", TaskEnd::Done), false),
        (closed("T1", again), false),
        (closed("T1", TaskEnd::Done), true),
    ] {
        let entry = Entry { seq: world.run.next_seq(), at: world.now, fact };
        assert_eq!(world.run.clone().apply(&entry).is_ok(), legal, "{entry:?}");
    }
}

// Their numbers follow each other: what a hook said of one iteration is not said of another.
#[test]
fn a_hook_is_asked_about_one_iteration_at_a_time() {
    let mut plan = two_lanes();
    let command = HookCommand::Shell("./may-it-begin".to_owned());
    plan.hooks =
        vec![Hook { name: HookName::NextIteration, command, timeout: std::time::Duration::from_mins(1) }];
    let world = at_work_with(plan, &["T1", "T2"]);
    let due = world.facts().filter_map(|fact| match fact {
        Fact::HookDue { lane, iteration } => Some((lane.0, *iteration)),
        _ => None,
    });
    assert_eq!(due.collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    let asking = world.run.lanes().filter(|(_, state)| matches!(state, LaneState::Asking));
    assert_eq!(asking.count(), 1, "the second is asked about once the first has begun");
}

#[test]
fn tasks_that_are_as_they_were_are_not_read_again() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], done);
    until(&mut world, |effect| matches!(effect, Effect::Open { .. }));
    world.restart(world.journal.len());
    until(&mut world, |effect| matches!(effect, Effect::Open { .. }));
    let read = world.journal.iter().filter(|entry| entry.fact.name() == "tasks_read").count();
    assert_eq!(read, 1);
}
