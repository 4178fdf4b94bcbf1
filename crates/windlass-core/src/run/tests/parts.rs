//! Tasks with a pull request each: what becomes of it says how its task stands, and whether the others go on.

use std::time::Duration;

use super::evidence::{branched, per};
use super::going_out::{answer, asked, goes_out, seen, steps};
use super::guarding::detail;
use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, World};
use crate::forge::{CheckTally, Mergeability, PullRequestState};
use crate::report::{DeliveryReport, DeliveryStep, DeliveryTask, PullRequestSeen};
use crate::run::Effect;
use crate::spec::{DeliverySpec, PullRequestPer, RunSpec};
use crate::tasks::TaskProgress;
use crate::values::{JobStatus, StatusSource, StopReason, TaskRow};

/// What the file says of the task that is worked on.
pub(super) fn status(complete: bool) -> JobStatus {
    JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() }
}

/// A tree of its own, in which the task is done.
pub(super) fn does(call: u32) -> Act {
    Act::works(&format!("tree {call}")).writes(status(true))
}

pub(super) fn plan() -> RunSpec {
    let mut plan =
        per(PullRequestPer::Task, RunSpec { lanes: None, checks: goes_out().checks, ..two_lanes() });
    plan.delivery.iter_mut().for_each(|delivery| delivery.ci_retries = 0);
    plan
}

pub(super) fn left_to_a_person() -> RunSpec {
    let delivery = plan().delivery.map(|delivery| DeliverySpec { merge: None, ..delivery });
    RunSpec { delivery, ..plan() }
}

pub(super) fn of(plan: RunSpec, rows: Vec<TaskRow>, mut agent: impl FnMut(u32) -> Act + 'static) -> World {
    let mut world = World::new(plan, move |call, _| agent(call));
    world.tasks = Some(rows);
    world.status = Some(status(false));
    world
}

/// Two tasks for themselves, and one between them that waits for the first.
pub(super) fn three() -> Vec<TaskRow> {
    vec![row("T1", &[]), row("T2", &["T1"]), row("T3", &[])]
}

/// What becomes of a pull request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Becomes {
    Merged,
    MergedByPerson,
    Closed,
    Red,
    Conflicting,
    /// No check appears, and it is not merged without.
    Left,
    /// There is nothing to open one for.
    Nothing,
    /// The push is refused.
    Refused,
}

/// The work of the next part is pushed, and its pull request is opened.
pub(super) fn opens(world: &mut World, number: u64) {
    asked(world, DeliveryTask::Push);
    let head = format!("c{}", world.commits);
    answer(world, DeliveryReport::Pushed { head });
    answer(world, DeliveryReport::Opened { number, url: format!("page {number}"), found: false });
}

/// It is looked at, and what was pushed last is its head.
pub(super) fn looks(world: &mut World, seen: PullRequestSeen) {
    asked(world, DeliveryTask::View);
    let head = format!("c{}", world.commits);
    answer(world, DeliveryReport::Viewed(PullRequestSeen { head, ..seen }));
}

pub(super) fn stands(state: PullRequestState) -> PullRequestSeen {
    PullRequestSeen { state, ..seen() }
}

fn checked(checks: CheckTally) -> PullRequestSeen {
    PullRequestSeen { checks, ..seen() }
}

/// The next part is worked on, and this becomes of it.
pub(super) fn goes(world: &mut World, number: u64, becomes: Becomes) {
    branched(world);
    match becomes {
        Becomes::Nothing => {
            asked(world, DeliveryTask::Push);
            return answer(world, DeliveryReport::Nothing { why: "it is in the base".to_owned() });
        }
        Becomes::Refused => {
            asked(world, DeliveryTask::Push);
            return answer(world, DeliveryReport::Refused { why: "it is not allowed".to_owned() });
        }
        _ => opens(world, number),
    }
    match becomes {
        Becomes::Merged => {
            looks(world, seen());
            asked(world, DeliveryTask::Merge);
            answer(world, DeliveryReport::Merged { commit: "m1".to_owned() });
        }
        Becomes::MergedByPerson => looks(world, stands(PullRequestState::Merged)),
        Becomes::Closed => looks(world, stands(PullRequestState::Closed)),
        Becomes::Red => looks(world, checked(CheckTally { failed: 1, ..CheckTally::default() })),
        Becomes::Conflicting => {
            looks(world, PullRequestSeen { mergeability: Mergeability::Conflicting, ..seen() });
        }
        Becomes::Left => {
            looks(world, checked(CheckTally::default()));
            world.pass(Duration::from_mins(6));
            looks(world, checked(CheckTally::default()));
        }
        Becomes::Nothing | Becomes::Refused => {}
    }
}

pub(super) fn standing(world: &World, task: &str) -> Option<TaskProgress> {
    world.run.tasks().standing(&task.into())
}

/// What is asked of git or the forge now.
pub(super) fn asks(world: &World) -> Option<DeliveryTask> {
    world.run.outstanding().into_iter().find_map(|effect| match effect {
        Effect::Deliver { task, .. } => Some(task),
        _ => None,
    })
}

/// The task of the part that comes next, or how the run ends; what is looked at again is open.
pub(super) fn next(world: &mut World) -> Result<String, StopReason> {
    loop {
        match asks(world) {
            Some(DeliveryTask::Branch) => break,
            Some(DeliveryTask::LookAgain) => answer(world, DeliveryReport::Viewed(seen())),
            _ if world.step() => {}
            _ => return Err(world.finish()),
        }
    }
    let Some(DeliveryStep::PartBegun { task: Some(task), .. }) = steps(world).pop() else {
        panic!("{:?}", steps(world).last())
    };
    Ok(task.0.clone())
}

#[test]
fn what_becomes_of_a_pull_request_says_how_its_task_stands_and_what_comes_next() {
    let (done, parked) = (Some(TaskProgress::Done), Some(TaskProgress::Parked));
    let next_is = |task: &str| Ok(task.to_owned());
    for (becomes, stands, counted, expected) in [
        (Becomes::Merged, done, (1, 0), next_is("T2")),
        (Becomes::MergedByPerson, done, (1, 0), next_is("T2")),
        (Becomes::Nothing, done, (1, 0), next_is("T2")),
        // What waits for the merge waits; it is done all the same.
        (Becomes::Left, done, (1, 0), next_is("T3")),
        (Becomes::Closed, parked, (0, 1), next_is("T3")),
        (Becomes::Red, parked, (0, 1), next_is("T3")),
        (Becomes::Conflicting, parked, (0, 1), next_is("T3")),
        // What git does not do for one task it does for none.
        (Becomes::Refused, done, (0, 0), Err(StopReason::NeedsHuman)),
    ] {
        let mut world = of(plan(), three(), does);
        goes(&mut world, 1, becomes);
        assert_eq!(standing(&world, "T1"), stands, "{becomes:?}");
        let counters = world.run.counters();
        assert_eq!((counters.done, counters.parked), counted, "{becomes:?}");
        assert_eq!(next(&mut world), expected, "{becomes:?}");
    }
}

#[test]
fn tasks_that_are_parked_are_counted_until_one_is_done_and_named_with_their_pull_requests() {
    let rows = (1..=3).map(|number| row(&format!("T{number}"), &[])).collect();
    let mut world = of(plan(), rows, does);
    for (number, becomes, parked) in
        [(1, Becomes::Closed, 1), (2, Becomes::Closed, 2), (3, Becomes::Merged, 0)]
    {
        goes(&mut world, number, becomes);
        assert_eq!(world.run.counters().parked, parked);
    }
    assert_eq!(world.finish(), StopReason::Blocked);
    let why = |task: u32| {
        format!(
            "T{task} (pull request page {task}, branch windlass/r-test0000-{task}: a person closed it; the branch is kept)"
        )
    };
    assert_eq!(detail(&world), format!("parked: {}, {}", why(1), why(2)));
}

#[test]
fn in_the_end_it_is_told_how_many_pull_requests_there_are_and_which_of_them_are_open() {
    let (merged, left) = (Becomes::Merged, Becomes::Left);
    for (all, told) in [
        (vec![Becomes::Nothing], ""),
        (vec![merged], "1 pull request, 1 merged"),
        (vec![left], "1 pull request, 1 open: page 1"),
        (vec![left, merged], "2 pull requests, 1 merged, 1 open: page 1"),
        (vec![left, left], "2 pull requests, 2 open: page 1 page 2"),
    ] {
        let rows = (1..=all.len()).map(|number| row(&format!("T{number}"), &[])).collect();
        let mut world = of(plan(), rows, does);
        for (number, becomes) in (1..).zip(&all) {
            goes(&mut world, number, *becomes);
        }
        assert_eq!(world.finish(), StopReason::Complete, "{all:?}");
        assert_eq!(detail(&world), told, "{all:?}");
    }
}

// Between them a task goes on where it is: its gates passed, and it is not done.
#[test]
fn a_task_leaves_once_it_is_done_and_before_another_one_begins() {
    let mut world = of(plan(), three(), |call| match call {
        1 => Act::works("half").writes(status(false)),
        _ => does(call),
    });
    branched(&mut world);
    asked(&mut world, DeliveryTask::Push);
    let counters = world.run.counters();
    assert_eq!((counters.started, counters.finished, world.commits), (2, 2, 2));
}

#[test]
fn red_checks_go_back_to_the_task_that_they_are_about() {
    let mut plan = plan();
    plan.delivery.iter_mut().for_each(|delivery| delivery.ci_retries = 1);
    let mut world = of(plan, three(), does);
    goes(&mut world, 1, Becomes::Red);
    asked(&mut world, DeliveryTask::ReadLogs);
    answer(&mut world, DeliveryReport::Read { findings: Vec::new() });
    assert_eq!(standing(&world, "T1"), Some(TaskProgress::Active));
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    assert_eq!(world.run.task_in(crate::values::LaneId(0)).map(|row| row.id.0.as_str()), Some("T1"));
    opens(&mut world, 1);
    assert_eq!(world.commits, 2, "it is committed on the same branch");
    looks(&mut world, stands(PullRequestState::Merged));
    assert_eq!(next(&mut world), Ok("T2".to_owned()));
}

// Its gates speak for it, and nothing had to be changed.
#[test]
fn a_task_that_changed_nothing_is_done_without_a_pull_request() {
    let mut world = of(plan(), three(), |call| match call {
        1 => Act::idles().writes(status(true)),
        _ => does(call),
    });
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    super::going_out::nothing_is_committed(&mut world);
    assert_eq!(next(&mut world), Ok("T2".to_owned()));
    assert_eq!((world.run.counters().done, world.commits), (1, 0));
}

#[test]
fn a_task_whose_gates_passed_with_files_that_are_in_no_commit_is_parked_for_itself() {
    let mut world = of(plan(), three(), does);
    branched(&mut world);
    super::shown::commits_beside(&mut world);
    assert_eq!(next(&mut world), Ok("T3".to_owned()));
    assert_eq!(world.run.counters().parked, 1);
    goes(&mut world, 2, Becomes::Merged);
    assert_eq!(world.finish(), StopReason::Blocked);
    let said = "parked: T1 (branch windlass/r-test0000-1: the newest work was not pushed, since its gates passed with files that are in no commit: settings.env; \
                have git ignore them, or commit them, and push it yourself); 1 task waits";
    assert_eq!(detail(&world), said);
}
