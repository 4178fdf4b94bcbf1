//! Tasks in one lane and in several: what is begun, merged, landed, parked, and how the run ends.

use std::time::Duration;

use proptest::prelude::*;

use super::lanes_world::{AgentCall, World, row, tasks_plan};
use crate::fact::Fact;
use crate::report;
use crate::run::{CommitKind, Effect, Input, Phase, Run};
use crate::tasks::TaskProgress;
use crate::values::{Class, Cost, Purpose, StopReason, TaskEnd, TaskId, TaskRow, TaskState, Verdict};

fn six() -> Vec<TaskRow> {
    vec![
        row("T1", &[]),
        row("T2", &["T1"]),
        row("T3", &["T1"]),
        row("T4", &["T2", "T3"]),
        row("T5", &[]),
        row("T6", &["T5"]),
    ]
}

fn own_file(task: &TaskId) -> AgentCall {
    let file: &'static str = Box::leak(task.0.clone().into_boxed_str());
    AgentCall::done(file, "done")
}

// rows: 6, 49
#[test]
fn tasks_are_worked_off_in_their_order_and_complete_the_run() {
    for lanes in [1, 3] {
        let mut world = World::new(tasks_plan(lanes), six(), |task, _, _| own_file(task));
        assert_eq!(world.finish(), StopReason::Complete, "{lanes} lanes");
        assert_eq!(world.run.tasks().counts().done, 6);
        assert_eq!(world.tip().len(), 6, "every task's work is there");
        assert_eq!(world.landings.len(), 6, "each once");
        let at = |id: &str| world.started().iter().position(|one| one == id).unwrap();
        assert!(at("T1") < at("T2") && at("T2") < at("T4") && at("T3") < at("T4") && at("T5") < at("T6"));
        assert!(world.most_at_the_branch <= 1);
    }
}

#[test]
fn a_task_that_fails_twice_is_parked_its_dependants_wait_and_the_rest_goes_on() {
    for lanes in [1, 2] {
        let agent = |task: &TaskId, _, _| if task.0 == "T2" { AgentCall::fails() } else { own_file(task) };
        let mut world = World::new(tasks_plan(lanes), six(), agent);
        assert_eq!(world.finish(), StopReason::Blocked);
        assert_eq!(world.run.tasks().standing(&"T2".into()), Some(TaskProgress::Parked));
        assert_eq!(world.run.tasks().standing(&"T4".into()), Some(TaskProgress::Open));
        assert_eq!(world.run.tasks().counts().done, 4);
        assert_eq!(world.started().iter().filter(|task| *task == "T2").count(), 2);
        assert!(world.run.parked_because(&"T2".into()).unwrap().starts_with("failed 2 times"));
        let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
            panic!()
        };
        assert!(detail.contains("T2") && detail.contains("1 task waits"), "{detail}");
    }
}

/// So many tasks; the agent fails at those that `bad` names.
fn with_bad(lanes: u16, tasks: u32, failures: u32, bad: fn(u32) -> bool) -> World {
    let rows = (1..=tasks).map(|number| row(&format!("T{number}"), &[])).collect();
    let agent = move |task: &TaskId, _: Purpose, _: u32| {
        if bad(task.0[1..].parse().unwrap()) { AgentCall::fails() } else { own_file(task) }
    };
    let mut plan = tasks_plan(lanes);
    plan.limits.failures = failures;
    World::new(plan, rows, agent)
}

#[test]
fn what_one_task_fails_at_is_not_held_against_another() {
    for lanes in [1, 3] {
        // The first two, then five in a row.
        let mut world = with_bad(lanes, 12, 3, |number| number < 3 || (4..9).contains(&number));
        assert_eq!(world.finish(), StopReason::Blocked, "{lanes} lanes");
        let counts = world.run.tasks().counts();
        assert_eq!((counts.done, counts.parked), (5, 7), "{lanes} lanes");
    }
}

#[test]
fn tasks_parked_one_after_another_before_any_is_done_end_the_run() {
    let mut world = with_bad(1, 9, 3, |number| number < 8);
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.run.tasks().counts().parked, 3);
    let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
        panic!()
    };
    assert!(
        detail.starts_with("3 tasks in a row were parked and none is done: T1 (failed 2 times"),
        "{detail}"
    );
    // Gone on with, it counts anew, and what is done then lets all the others have their turn.
    world.input(Input::Resume(Box::new(world.run.spec().unwrap().as_ref().clone())));
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.run.tasks().counts().parked, 6);
    // With lanes those at work are seen through, and one that is done then lets the rest go on.
    let mut world = with_bad(3, 9, 2, |number| number < 3);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.run.tasks().counts().done, 7);
}

// What breaks in the middle of a night: the tasks that are left are not used up by it.
#[test]
fn tasks_parked_one_after_another_after_some_were_done_end_the_run_later() {
    for (lanes, parked) in [(1, 6), (2, 12)] {
        let mut world = with_bad(lanes, 40, 3, |number| number > 4);
        assert_eq!(world.finish(), StopReason::ConsecutiveFailures, "{lanes} lanes");
        let counts = world.run.tasks().counts();
        assert_eq!((counts.done, counts.parked), (4, parked), "{lanes} lanes");
        let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
            panic!()
        };
        let said = format!("{parked} tasks in a row were parked and none was done since: T");
        assert!(detail.starts_with(&said), "{detail}");
    }
}

#[test]
fn one_task_that_fails_again_and_again_ends_a_run_that_allows_no_more() {
    let mut world = with_bad(1, 2, 3, |_| true);
    world.run = Run::new();
    let mut plan = tasks_plan(1);
    plan.limits.failures = 3;
    plan.job.tasks.as_mut().unwrap().attempts = 9;
    world.input(Input::Start(Box::new(plan)));
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!((world.calls, world.run.counters().failures), (3, 3));
}

#[test]
fn a_conflict_goes_to_the_agent_once_and_then_the_task_is_parked() {
    let rows = || vec![row("T1", &[]), row("T2", &[])];
    // Both write the same file; asked to put it together, the agent does.
    let agent = |task: &TaskId, purpose, _| match purpose {
        Purpose::Merge => AgentCall::done("both", "T1 and T2"),
        _ => AgentCall::done("both", &task.0),
    };
    let mut world = World::new(tasks_plan(2), rows(), agent);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.tip()["both"], "T1 and T2");
    assert_eq!(world.calls, 3);
    // The checks of the whole fail, and the agent cannot mend that.
    let agent = |task: &TaskId, _: Purpose, _: u32| own_file(task);
    let mut world = World::new(tasks_plan(2), rows(), agent);
    world.gate = |files| files.len() < 2;
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.landings.len(), 1, "what fails together does not land");
    assert_eq!(world.calls, 3);
    assert!(
        world
            .ends()
            .iter()
            .any(|(_, end)| matches!(end, TaskEnd::Parked { reason } if reason.contains("checks"))),
        "{:?}",
        world.ends()
    );
}

#[test]
fn a_branch_that_moved_is_merged_with_again() {
    let mut world =
        World::new(tasks_plan(2), vec![row("T1", &[]), row("T2", &[])], |task, _, _| own_file(task));
    world.moves = vec![1, 2];
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(world.tip().contains_key("by a person") && world.tip().len() == 3);
}

#[test]
fn a_checkout_that_another_git_keeps_locked_is_waited_for() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], |task, _, _| own_file(task));
    world.held = 100;
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.held, world.calls), (0, 1));
}

#[test]
fn nothing_waits_for_another_git_once_there_is_a_reason_to_end_and_a_resume_lands_it() {
    let mut plan = tasks_plan(2);
    plan.limits.duration = Some(Duration::from_mins(5));
    let mut world = World::new(plan, vec![row("T1", &[])], |task, _, _| own_file(task));
    world.held = 1000;
    assert_eq!(world.finish(), StopReason::MaxDuration);
    assert!((900..=970).contains(&world.held), "{}", world.held);
    assert_eq!(world.landings.len(), 0);
    world.held = 0;
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.landings.len(), world.calls), (1, 1));
}

// Seed defect D3, core/claude.ts:334, 349; core/loop.ts:443, 464: a task counted as done because its agent had ended well.
#[test]
fn a_claim_without_a_change_or_a_gate_is_none() {
    let mut plan = tasks_plan(1);
    plan.checks.clear();
    let idle = |_: &TaskId, _, _| AgentCall { class: Class::Success, writes: Vec::new(), claims: true };
    let mut world = World::new(plan, vec![row("T1", &[])], idle);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(
        world.run.parked_because(&"T1".into()),
        Some("failed 2 times: it was called done, and nothing had changed")
    );
}

/// What was committed of one task, whose agent leaves something and fails, then claims what the gate refuses, then does it.
fn commits(attempts: bool, lanes: u16) -> (World, Vec<CommitKind>) {
    let agent = |_: &TaskId, _: Purpose, call: u32| match call {
        1 => AgentCall { writes: vec![("half", "half".to_owned())], ..AgentCall::fails() },
        2 => AgentCall::done("red", "red"),
        _ => AgentCall {
            writes: vec![("red", String::new()), ("done", "done".to_owned())],
            ..AgentCall::done("more", "more")
        },
    };
    let mut plan = tasks_plan(lanes);
    let tasks = plan.job.tasks.as_mut().unwrap();
    (tasks.commits_attempts, tasks.attempts) = (attempts, 9);
    let mut world = World::new(plan, vec![row("T1", &[])], agent);
    world.gate = |files| files.get("red").is_none_or(String::is_empty);
    let mut kinds = Vec::new();
    for turn in 0..1000 {
        if !world.step(turn) {
            break;
        }
        let outstanding = world.run.outstanding();
        let commit = outstanding.iter().find_map(|effect| match effect {
            Effect::Commit { what, turn, .. } => Some((*what, turn.iteration)),
            _ => None,
        });
        kinds.extend(commit);
    }
    kinds.sort_by_key(|(_, iteration)| *iteration);
    kinds.dedup();
    (world, kinds.into_iter().map(|(kind, _)| kind).collect())
}

#[test]
fn failed_attempts_are_committed_where_that_is_wanted_and_never_count_as_done() {
    let (world, kinds) = commits(false, 1);
    assert_eq!((kinds, world.run.tasks().counts().done), (vec![CommitKind::Complete], 1));
    let (world, kinds) = commits(true, 1);
    assert_eq!(kinds, [CommitKind::Attempted, CommitKind::Attempted, CommitKind::Complete]);
    let ends: Vec<bool> = world.ends().into_iter().map(|(_, end)| end == TaskEnd::Done).collect();
    assert_eq!(ends, [false, false, true]);
    let (_, kinds) = commits(true, 2);
    assert_eq!(kinds, [CommitKind::Complete], "the work of a lane is nobody else's until it lands");
}

// Its gates, asked again after a crash, say something else.
#[test]
fn what_was_committed_as_an_attempt_is_not_accepted_in_that_iteration() {
    let mut plan = tasks_plan(1);
    plan.job.tasks.as_mut().unwrap().commits_attempts = true;
    let mut world = World::new(plan, vec![row("T1", &[])], |_, _, _| AgentCall::done("red", "red"));
    world.gate = |_| false;
    while !world.journal.iter().any(|entry| matches!(entry.fact, Fact::Committed(_))) {
        assert!(world.step(0));
    }
    world.restart(world.journal.len());
    world.gate = |_| true;
    while !world.journal.iter().any(|entry| matches!(entry.fact, Fact::IterationFinished { .. })) {
        assert!(world.step(0));
    }
    let verdict = world.journal.iter().find_map(|entry| match entry.fact {
        Fact::IterationFinished { verdict, .. } => Some(verdict),
        _ => None,
    });
    assert_eq!(verdict, Some(Verdict::ClaimRefused));
}

#[test]
fn the_attempts_of_a_parked_task_are_named_from_its_last_commit_on() {
    let mut plan = tasks_plan(1);
    plan.job.tasks.as_mut().unwrap().attempts = 3;
    let agent = |_: &TaskId, _: Purpose, call: u32| match call {
        1 => AgentCall { claims: false, ..AgentCall::done("a", "a") },
        _ => AgentCall::fails(),
    };
    let mut world = World::new(plan, vec![row("T1", &[])], agent);
    let mut named = Vec::new();
    for turn in 0..1000 {
        for effect in world.run.outstanding() {
            if let Effect::CloseTask { attempts, turn, .. } = effect {
                named.push((turn.iteration, attempts.iter().map(|turn| turn.iteration).collect::<Vec<_>>()));
            }
        }
        if !world.step(turn) {
            break;
        }
    }
    named.dedup();
    assert_eq!(named, [(1, vec![]), (2, vec![2]), (3, vec![2, 3]), (4, vec![2, 3, 4])]);
}

// rows: 49
#[test]
fn nothing_to_do_and_nothing_that_can_be_done() {
    let done = TaskRow { state: TaskState::Done, ..row("T1", &[]) };
    let mut world = World::new(tasks_plan(1), vec![done], |task, _, _| own_file(task));
    assert_eq!(world.finish(), StopReason::NothingToDo);
    let mut world =
        World::new(tasks_plan(2), vec![row("T1", &["T2"]), row("T2", &["T1"])], |task, _, _| own_file(task));
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.calls, 0);
}

#[test]
fn lanes_share_what_is_left() {
    let mut plan = tasks_plan(4);
    plan.limits.cost = Some(Cost::from_micros(8_000_000));
    let mut world = World::new(plan, six(), |task, _, _| own_file(task));
    world.finish();
    let budgets: Vec<u64> = world
        .journal
        .iter()
        .filter_map(|entry| match &entry.fact {
            Fact::CallReserved { budget, .. } => budget.map(Cost::micros),
            _ => None,
        })
        .collect();
    assert_eq!(&budgets[..2], [4_000_000, 4_000_000], "two tasks are ready at first: {budgets:?}");
}

#[test]
fn as_many_iterations_as_allowed_and_no_more() {
    for lanes in [1, 4] {
        let mut plan = tasks_plan(lanes);
        plan.limits.iterations = Some(3);
        let mut world = World::new(plan, six(), |task, _, _| own_file(task));
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert_eq!(world.started().len(), 3);
    }
}

#[test]
fn a_checkout_that_is_gone_is_made_again_and_no_fault_of_the_task() {
    for before in 0..12 {
        let mut world = World::new(tasks_plan(2), six(), |task, _, _| own_file(task));
        world.losses = vec![before];
        assert_eq!(world.finish(), StopReason::Complete, "after {before} effects");
        assert_eq!((world.landings.len(), world.tip().len()), (6, 6), "after {before} effects");
        assert_eq!(world.started().len(), 6, "no iteration was begun for it");
        let again = |entry: &&crate::fact::Entry| matches!(entry.fact, Fact::AttemptRepeats { .. });
        assert_eq!(world.journal.iter().filter(again).count(), 1, "after {before} effects");
        let said = |entry: &crate::fact::Entry| matches!(&entry.fact, Fact::Noticed(report::Noticed { text }) if text.contains("was removed"));
        assert!(world.journal.iter().any(said));
    }
}

#[test]
fn a_checkout_that_is_removed_again_and_again_ends_the_run_and_a_resume_tries_again() {
    let mut world = World::new(tasks_plan(2), vec![row("T1", &[])], |task, _, _| own_file(task));
    world.losses = vec![0, 0, 0, 0];
    assert_eq!(world.finish(), StopReason::DestructiveChange);
    assert_eq!(world.landings.len(), 0);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.landings.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    /// Killed after any fact, and again, in any order of effects: each task lands once, and all of it is there.
    #[test]
    fn whatever_the_order_and_the_kills_each_task_lands_once(
        lanes in 1_u16..5,
        picks in proptest::collection::vec(0_usize..97, 1..60),
        kills in proptest::collection::vec(1_usize..160, 0..4),
        losses in proptest::collection::vec(0_u32..60, 0..3),
        held in 0_u32..9,
    ) {
        let mut plan = tasks_plan(lanes);
        plan.limits.iterations = Some(500);
        let mut world = World::new(plan, six(), |task, _, _| own_file(task));
        world.losses = losses;
        world.held = held;
        let mut kills = kills.into_iter();
        let mut kill = kills.next();
        for step in 0..20_000 {
            if !world.step(picks[step % picks.len()]) {
                break;
            }
            if kill.is_some_and(|at| world.journal.len() >= at) {
                let at = kill.unwrap().max(1);
                world.restart(at.max(world.journal.len().saturating_sub(1)));
                kill = kills.next();
            }
        }
        prop_assert_eq!(world.run.phase(), Phase::Ended(StopReason::Complete));
        prop_assert_eq!(world.tip().len(), 6);
        prop_assert!(world.most_at_the_branch <= 1);
        let mut landed: Vec<&TaskId> = world.landings.iter().map(|(task, _)| task).collect();
        landed.sort();
        if lanes > 1 {
            landed.dedup();
            prop_assert_eq!(landed.len(), world.landings.len(), "{:?}", &world.landings);
        }
        let resting = world.run.lanes().all(|(_, state)| state.is_resting());
        prop_assert!(resting);
    }
}
