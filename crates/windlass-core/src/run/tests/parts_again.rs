//! What a resumed run makes of its parts: what a person did meanwhile with their pull requests counts, and a branch's file does
//! not say of other tasks how far they are.

use super::evidence::branched;
use super::going_out::{answer, asked, steps};
use super::guarding::detail;
use super::lanes_world::row;
use super::parts::{
    Becomes, asks, does, goes, left_to_a_person, looks, next, of, opens, plan, standing, stands, status,
    three,
};
use super::world::{Act, World};
use crate::fact::Fact;
use crate::forge::PullRequestState;
use crate::report::{DeliveryReport, DeliveryStep, DeliveryTask};
use crate::run::Effect;
use crate::tasks::TaskProgress;
use crate::values::{StopReason, TaskRow, TaskState};

fn restarts(world: &mut World) {
    world.restart(world.journal.len());
}

/// Up to where nothing is looked at again any longer, each of which is seen so; which parts those were.
fn sees(world: &mut World, state: PullRequestState) -> Vec<u32> {
    let before = world.journal.len();
    let works = |effect: &Effect| matches!(effect, Effect::Prepare { .. });
    loop {
        match asks(world) {
            Some(DeliveryTask::LookAgain) => answer(world, DeliveryReport::Viewed(stands(state))),
            Some(_) => break,
            None if world.run.outstanding().iter().any(works) || !world.step() => break,
            None => {}
        }
    }
    let seen = world.journal[before..].iter().filter_map(|entry| match &entry.fact {
        Fact::Delivery(DeliveryStep::PartSeen { part, .. }) => Some(*part),
        _ => None,
    });
    seen.collect()
}

/// The first of three is over so, and the run died while it worked on the last one.
fn after(becomes: Becomes) -> World {
    let mut world = of(plan(), three(), does);
    goes(&mut world, 1, becomes);
    assert_ne!(next(&mut world), Err(StopReason::Blocked));
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    restarts(&mut world);
    world
}

#[test]
fn a_resumed_run_looks_again_at_what_has_a_pull_request_and_is_not_merged() {
    for (becomes, looked) in [
        (Becomes::Left, &[1][..]),
        (Becomes::Closed, &[1]),
        (Becomes::Red, &[1]),
        (Becomes::Merged, &[]),
        (Becomes::MergedByPerson, &[]),
        (Becomes::Nothing, &[]),
    ] {
        let mut world = after(becomes);
        assert_eq!(sees(&mut world, PullRequestState::Open), looked, "{becomes:?}");
    }
}

// It was forgotten, where the run died while the branch of another part was made or its pull request was looked at.
#[test]
fn what_cannot_be_looked_at_at_once_is_looked_at_once_the_part_under_way_is_over() {
    for is_branched in [false, true] {
        let mut world = of(plan(), three(), does);
        goes(&mut world, 1, Becomes::Closed);
        asked(&mut world, DeliveryTask::Branch);
        if is_branched {
            branched(&mut world);
            opens(&mut world, 2);
            asked(&mut world, DeliveryTask::View);
        }
        restarts(&mut world);
        if is_branched {
            asked(&mut world, DeliveryTask::View);
        } else {
            branched(&mut world);
            opens(&mut world, 2);
        }
        looks(&mut world, stands(PullRequestState::Merged));
        assert_eq!(sees(&mut world, PullRequestState::Merged), [1]);
        assert_eq!(next(&mut world), Ok("T2".to_owned()));
    }
}

#[test]
fn what_a_person_merged_meanwhile_is_done_and_sets_free_what_waited_for_it() {
    for becomes in [Becomes::Left, Becomes::Closed, Becomes::Red] {
        let mut world = after(becomes);
        assert_eq!(sees(&mut world, PullRequestState::Merged), [1]);
        let counters = world.run.counters();
        assert_eq!((counters.done, counters.parked), (1, 0), "{becomes:?}");
        assert_eq!(standing(&world, "T1"), Some(TaskProgress::Done), "{becomes:?}");
        opens(&mut world, 2);
        looks(&mut world, stands(PullRequestState::Merged));
        assert_eq!(next(&mut world), Ok("T2".to_owned()), "{becomes:?}");
        goes(&mut world, 3, Becomes::Merged);
        assert_eq!(world.finish(), StopReason::Complete);
        assert_eq!(detail(&world), "3 pull requests, 3 merged", "{becomes:?}");
    }
}

#[test]
fn what_a_person_closed_meanwhile_is_parked_and_what_was_parked_before_stays_so_for_its_own_reason() {
    let closed = "a person closed it; the branch is kept";
    for (becomes, why) in [
        (Becomes::Left, format!("pull request page 1: {closed}")),
        (Becomes::Closed, format!("pull request page 1, branch windlass/r-test0000-1: {closed}")),
        (Becomes::Red, "pull request page 1, branch windlass/r-test0000-1: checks fail".to_owned()),
    ] {
        let mut world = after(becomes);
        assert_eq!(sees(&mut world, PullRequestState::Closed), [1]);
        assert_eq!(world.run.parked_because(&"T1".into()), Some(why.as_str()), "{becomes:?}");
        assert_eq!(standing(&world, "T1"), Some(TaskProgress::Parked), "{becomes:?}");
    }
}

#[test]
fn a_run_whose_last_open_task_a_person_merged_is_complete() {
    let mut world = of(plan(), vec![row("T1", &[])], does);
    goes(&mut world, 1, Becomes::Closed);
    assert_eq!(world.finish(), StopReason::Blocked);
    restarts(&mut world);
    assert_eq!(sees(&mut world, PullRequestState::Merged), [1]);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(detail(&world), "1 pull request, 1 merged");
}

#[test]
fn what_is_left_to_a_person_is_looked_at_again_where_an_open_task_waits_for_it() {
    let looked = |world: &World| {
        steps(world).iter().filter(|step| matches!(step, DeliveryStep::PartSeen { .. })).count()
    };
    for (dependencies, looks) in [(&[][..], 0), (&["T1"], 1)] {
        let rows = vec![row("T1", &[]), row("T2", &[]), row("T3", dependencies)];
        let mut world = of(left_to_a_person(), rows, does);
        for number in 1..=2 {
            branched(&mut world);
            opens(&mut world, number);
        }
        next(&mut world).ok();
        assert_eq!(looked(&world), looks * 2, "after each part, as long as {dependencies:?} is waited for");
    }
}

#[test]
fn the_file_of_a_branch_says_of_other_tasks_less_than_the_run_knows() {
    let (done, open) = (TaskState::Done, TaskState::Open);
    let (is_done, parked) = (Some(TaskProgress::Done), Some(TaskProgress::Parked));
    for (becomes, in_file, expected) in [
        (Becomes::Merged, open, is_done),
        (Becomes::MergedByPerson, open, is_done),
        (Becomes::Nothing, open, is_done),
        (Becomes::Left, open, is_done),
        (Becomes::Closed, done, parked),
        (Becomes::Red, done, parked),
    ] {
        let mut world = of(plan(), vec![row("T1", &[]), row("T2", &[])], does);
        goes(&mut world, 1, becomes);
        asked(&mut world, DeliveryTask::Branch);
        restarts(&mut world);
        world.tasks = Some(with(three(), in_file));
        asked(&mut world, DeliveryTask::Branch);
        assert_eq!(standing(&world, "T1"), expected, "{becomes:?}");
        assert_eq!(standing(&world, "T2"), Some(TaskProgress::Open), "{becomes:?}");
    }
}

/// The first of these as the file has it, and one that somebody has added: what is as it was is not read again.
fn with(mut rows: Vec<TaskRow>, state: TaskState) -> Vec<TaskRow> {
    rows[0].state = state;
    rows.push(row("T9", &[]));
    rows
}

#[test]
fn the_task_of_the_part_under_way_stands_where_the_run_knows_it_to_be() {
    let half = |call| if call == 1 { Act::works("half").writes(status(false)) } else { does(call) };
    // Its branch is being made: nobody has done anything of it.
    let mut world = of(plan(), three(), does);
    asked(&mut world, DeliveryTask::Branch);
    world.tasks = Some(with(three(), TaskState::Open));
    restarts(&mut world);
    asked(&mut world, DeliveryTask::Branch);
    assert_eq!(standing(&world, "T1"), Some(TaskProgress::Open));

    // Between two iterations of it.
    let mut world = of(plan(), three(), half);
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::CloseTask { .. }));
    world.step();
    world.tasks = Some(with(three(), TaskState::Done));
    restarts(&mut world);
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    assert_eq!(standing(&world, "T1"), Some(TaskProgress::Active));

    // It is done, and its pull request is looked at.
    let mut world = of(plan(), three(), does);
    branched(&mut world);
    opens(&mut world, 1);
    world.tasks = Some(with(three(), TaskState::Open));
    restarts(&mut world);
    asked(&mut world, DeliveryTask::View);
    assert_eq!(standing(&world, "T1"), Some(TaskProgress::Done));
}
