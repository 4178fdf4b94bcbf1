//! A part is of one task: where nobody is to work on that any longer, what comes next has a branch of its own.

use std::time::Duration;

use super::evidence::branched;
use super::going_out::{answer, asked};
use super::lanes_world::row;
use super::parts::{Becomes, does, goes, next, of, opens, plan, standing, stands, three};
use super::world::World;
use crate::forge::PullRequestState;
use crate::report::{DeliveryReport, DeliveryTask, IssueReport, IssueTask};
use crate::run::{DeliveryPart, Effect, Input};
use crate::spec::{IssuesSpec, RunSpec};
use crate::tasks::TaskProgress;
use crate::values::{Hook, HookCommand, HookName, LaneId, StopReason, StopSource, TaskId, TaskState};

/// The branch that is asked for, and the one that nothing was committed on before it.
fn branch(world: &mut World) -> (String, Option<String>) {
    asked(world, DeliveryTask::Branch);
    let orders = world.run.outstanding();
    let [Effect::Deliver { part: Some(DeliveryPart { branch, left, .. }), .. }] = orders.as_slice() else {
        panic!("{orders:?}")
    };
    (branch.clone(), left.clone().map(|(branch, _)| branch))
}

fn parks(world: &mut World, task: &str) {
    world.input(Input::Park { by: StopSource::Page, task: task.into() });
}

fn works_on(world: &mut World) -> String {
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    world.run.task_in(LaneId(0)).map(|row| row.id.0.clone()).unwrap_or_default()
}

fn with_hook() -> RunSpec {
    let command = HookCommand::Shell("./may-it-begin".to_owned());
    let hook = Hook { name: HookName::NextIteration, command, timeout: Duration::from_mins(1) };
    RunSpec { hooks: vec![hook], ..plan() }
}

// The next task was worked on in its branch, and left the machine as its pull request, or not at all.
#[test]
fn a_task_that_a_person_parks_before_it_is_begun_leaves_its_branch_to_nobody() {
    let name = |part: u32| format!("windlass/r-test0000-{part}");
    // While its branch is made, and while a hook is asked about its first iteration.
    let made = of(plan(), three(), does);
    let mut hooked = of(with_hook(), three(), does);
    branched(&mut hooked);
    hooked.until(|effect| matches!(effect, Effect::RunHook { .. }));
    for (mut world, is_branched) in [(made, false), (hooked, true)] {
        if !is_branched {
            asked(&mut world, DeliveryTask::Branch);
        }
        parks(&mut world, "T1");
        if !is_branched {
            branched(&mut world);
        }
        assert_eq!(branch(&mut world), (name(2), Some(name(1))), "branched: {is_branched}");
        assert_eq!(next(&mut world), Ok("T3".to_owned()));
        branched(&mut world);
        assert_eq!(works_on(&mut world), "T3");
        opens(&mut world, 7);
        assert_eq!(world.run.pull_request(), Some((7, "page 7")));
    }
}

#[test]
fn a_task_that_a_person_parks_while_it_is_worked_on_or_out_keeps_its_branch() {
    let mut world = of(plan(), three(), does);
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    parks(&mut world, "T1");
    opens(&mut world, 1);
    assert_eq!(standing(&world, "T1"), Some(TaskProgress::Done), "it was done all the same");
    parks(&mut world, "T3");
    assert_eq!(super::parts::asks(&world), Some(DeliveryTask::View));
}

/// Two issues with a pull request each; the branch for the first is there, and its lease is asked for.
fn of_issues() -> World {
    let mut plan = plan();
    let repository = plan.delivery.as_ref().unwrap().repository.clone();
    plan.job.tasks.as_mut().unwrap().issues =
        Some(IssuesSpec { repository, lease: Duration::from_mins(30), closes: true });
    let mut world = of(plan, vec![row("#1", &[]), row("#2", &[])], does);
    asked(&mut world, DeliveryTask::Branch);
    let leases = |effect: &Effect| matches!(effect, Effect::Issue { what: IssueTask::Lease, .. });
    assert!(!world.run.outstanding().iter().any(leases), "none is leased before it has a branch");
    branched(&mut world);
    world.until(leases);
    world
}

#[test]
fn an_issue_that_is_not_this_runs_leaves_its_branch_to_nobody() {
    let task = || TaskId::from("#1");
    let taken = || IssueReport::Taken { task: task(), by: "r-0".to_owned(), lasts: Duration::from_mins(30) };
    for (report, stands) in
        [(taken(), TaskProgress::Parked), (IssueReport::Closed { task: task() }, TaskProgress::Done)]
    {
        let mut world = of_issues();
        world.input(report.into());
        assert_eq!(standing(&world, "#1"), Some(stands));
        assert_eq!(next(&mut world), Ok("#2".to_owned()));
        let left = Some("windlass/r-test0000-1".to_owned());
        assert_eq!(branch(&mut world), ("windlass/r-test0000-2".to_owned(), left));
        // Somebody adds one, so that all are read again.
        world.tasks.iter_mut().for_each(|rows| rows.push(row("#3", &[])));
        world.restart(world.journal.len());
        asked(&mut world, DeliveryTask::Branch);
        assert_eq!(standing(&world, "#1"), Some(stands));
    }
}

#[test]
fn a_task_that_a_person_took_out_of_the_file_leaves_its_branch_to_nobody() {
    let without = |task: &str| Some(three().into_iter().filter(|row| row.id.0 != task).collect());
    // While its branch is made, and once it is there.
    let mut world = of(plan(), three(), does);
    asked(&mut world, DeliveryTask::Branch);
    world.tasks = without("T1");
    world.restart(world.journal.len());
    branched(&mut world);
    assert_eq!(next(&mut world), Ok("T3".to_owned()));

    let mut world = of(plan(), three(), does);
    goes(&mut world, 1, Becomes::Merged);
    branched(&mut world);
    assert_eq!(world.count("iteration_started"), 1, "nobody works on it yet");
    world.tasks = without("T2");
    world.restart(world.journal.len());
    assert_eq!(next(&mut world), Ok("T3".to_owned()));
}

#[test]
fn an_agent_whose_task_was_taken_out_of_the_file_is_seen_through_in_its_branch() {
    let mut world = of(plan(), three(), does);
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    world.tasks = Some(vec![row("T3", &[])]);
    world.restart(world.journal.len());
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    assert_eq!(super::parts::asks(&world), None);
    // What it did stays in its branch: nobody wants it out any longer.
    assert_eq!(next(&mut world), Ok("T3".to_owned()));
}

// A person stopped the run before it could leave.
#[test]
fn what_is_done_and_not_out_leaves_once_the_run_goes_on() {
    let mut world = of(plan(), three(), does);
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
    assert_eq!(world.finish(), StopReason::Interrupted);
    world.tasks.iter_mut().for_each(|rows| rows.push(row("T9", &[])));
    world.tasks.iter_mut().for_each(|rows| rows[0].state = TaskState::Done);
    world.restart(world.journal.len());
    asked(&mut world, DeliveryTask::Push);
    let orders = world.run.outstanding();
    let [Effect::Deliver { head, part: Some(part), .. }] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((head.as_str(), part.branch.as_str()), ("c1", "windlass/r-test0000-1"));
}

// A person merged the first meanwhile, and the second, which that set free, was worked on in the branch of the third.
#[test]
fn the_task_that_has_a_branch_is_the_next_one_whatever_was_set_free_meanwhile() {
    let mut world = of(plan(), three(), does);
    goes(&mut world, 1, Becomes::Closed);
    branched(&mut world);
    assert_eq!(world.count("iteration_started"), 1, "nobody works on it yet");
    world.restart(world.journal.len());
    asked(&mut world, DeliveryTask::LookAgain);
    answer(&mut world, DeliveryReport::Viewed(stands(PullRequestState::Merged)));
    assert_eq!(standing(&world, "T2"), Some(TaskProgress::Open));
    assert_eq!(works_on(&mut world), "T3");
}
