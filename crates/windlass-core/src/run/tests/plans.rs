//! The modes of seed 002: plan and build.

use super::world::{Act, World, check, planned};
use crate::fact::Fact;
use crate::run::Effect;
use crate::spec::{Mode, RunSpec};
use crate::values::{CheckKind, Class, Items, JobStatus, StatusSource, StopReason};

/// A plan of three tasks; the mark tells its bytes apart.
pub(super) fn boxes(done: u64) -> JobStatus {
    JobStatus {
        source: StatusSource::PlanFile,
        mark: format!("{done} done"),
        items: Some(Items { done, total: 3 }),
        complete: done == 3,
        ..JobStatus::default()
    }
}

/// A plan that validates, or not, with these bytes.
fn draft(mark: &str, valid: bool) -> JobStatus {
    JobStatus { mark: mark.to_owned(), complete: valid, ..boxes(0) }
}

fn detail(world: &World) -> String {
    let told = |fact: &Fact| match fact {
        Fact::RunFinished { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    world.facts().find_map(told).unwrap()
}

// rows: 5, 48
#[test]
fn a_build_goes_on_until_no_box_is_open() {
    let mut world = World::new(planned(Mode::Build), |call, _| {
        Act::works(&format!("tree {call}")).writes(boxes(u64::from(call)))
    })
    .with_status(boxes(0));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 3);
}

#[test]
fn what_nobody_can_work_on_blocks_a_build_before_it_costs_anything() {
    let doubt = "PLAN.md:2: has the box `[?]`: write `[ ]`, `[~]` or `[x]`";
    let stuck = JobStatus { blockers: vec![doubt.to_owned()], ..boxes(2) };
    let mut world =
        World::new(planned(Mode::Build), |_, _| panic!("nothing is begun")).with_status(stuck.clone());
    assert_eq!(world.finish(), StopReason::Blocked);
    assert!(detail(&world).starts_with(doubt), "{}", detail(&world));
    let mut world = World::new(planned(Mode::Build), move |_, _| Act::works("tree").writes(stuck.clone()))
        .with_status(boxes(1));
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.count("iteration_finished"), 1);
}

// rows: 48
#[test]
fn no_open_box_before_the_first_iteration_is_nothing_to_do() {
    let mut world = World::new(planned(Mode::Build), |_, _| panic!("nothing is begun")).with_status(boxes(3));
    assert_eq!(world.finish(), StopReason::NothingToDo);
    assert_eq!(detail(&world), "no box of the plan is open");
}

#[test]
fn red_gates_are_worked_on_although_no_box_is_open() {
    let gated = RunSpec { checks: vec![check(CheckKind::Gate, "make test")], ..planned(Mode::Build) };
    let mut world = World::new(gated, |_, _| Act::works("mended").writes(boxes(3)))
        .with_status(boxes(3))
        .checking(|_, tree| tree == "mended");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 1);
}

// rows: 63
#[test]
fn a_build_that_changes_nothing_ends_with_no_changes_and_a_failed_iteration_is_a_failure_instead() {
    let mut world = World::new(planned(Mode::Build), |_, _| Act::idles()).with_status(boxes(1));
    assert_eq!(world.finish(), StopReason::NoChanges);
    assert_eq!(world.count("iteration_finished"), 1);
    let mut world =
        World::new(planned(Mode::Build), |_, _| Act::of(Class::TaskFailure)).with_status(boxes(1));
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    // Any of HEAD, tree and plan is enough.
    let mut world = World::new(planned(Mode::Build), |call, _| {
        if call == 1 { Act::idles().writes(boxes(2)) } else { Act::idles() }
    })
    .with_status(boxes(1));
    assert_eq!(world.finish(), StopReason::NoChanges);
    assert_eq!(world.count("iteration_finished"), 2);
}

// rows: 48, 63
#[test]
fn smart_termination_can_be_switched_off() {
    let mut plan = planned(Mode::Build);
    plan.limits.iterations = Some(4);
    if let Some(job) = &mut plan.job.plan {
        job.smart_termination = false;
    }
    for boxes in [boxes(3), boxes(1)] {
        let mut world = World::new(plan.clone(), |_, _| Act::idles()).with_status(boxes);
        assert_eq!(world.finish(), StopReason::MaxIterations);
    }
}

#[test]
fn a_plan_that_is_deleted_emptied_or_broken_ends_the_run_and_completes_nothing() {
    let gone = JobStatus { mark: "gone".to_owned(), ..JobStatus::default() };
    let empty = JobStatus { items: Some(Items::default()), mark: "empty".to_owned(), ..boxes(0) };
    let broken = JobStatus { problem: Some("the plan is not UTF-8".to_owned()), ..boxes(3) };
    for (left, said) in [
        (gone, "IMPLEMENTATION_PLAN.md is missing"),
        (empty, "IMPLEMENTATION_PLAN.md has no task"),
        (broken, "the plan is not UTF-8"),
    ] {
        let mut world = World::new(planned(Mode::Build), move |_, _| Act::works("tree").writes(left.clone()))
            .with_status(boxes(1));
        assert_eq!(world.finish(), StopReason::Missing);
        let undo = "; `windlass restore r-test0000 1 --before` brings back what was there";
        assert_eq!(detail(&world), format!("{said}{undo}"));
    }
}

// rows: 4, 98
#[test]
fn planning_ends_when_the_plan_is_good_and_a_further_pass_changes_nothing() {
    let mut world = World::new(planned(Mode::Plan), |call, _| match call {
        1 => Act::works("one").writes(draft("one", false)),
        2 => Act::works("two").writes(draft("two", true)),
        _ => Act::idles(),
    })
    .with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 3);
}

#[test]
fn a_pass_that_failed_or_did_nothing_at_all_proves_nothing() {
    let mut empty = Act::idles();
    empty.report.tool_uses = 0;
    for (act, reason) in
        [(Act::of(Class::TaskFailure), StopReason::ConsecutiveFailures), (empty, StopReason::Stagnated)]
    {
        let mut world =
            World::new(planned(Mode::Plan), move |_, _| act.clone()).with_status(draft("good", true));
        assert_eq!(world.finish(), reason);
    }
    // A good plan that was there before is good when one pass leaves it as it is.
    let mut world = World::new(planned(Mode::Plan), |_, _| Act::idles()).with_status(draft("good", true));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 1);
}

#[test]
fn what_planning_changes_beyond_the_plan_is_undone_and_neither_progress_nor_a_pass() {
    let mut world =
        World::new(
            planned(Mode::Plan),
            |call, _| {
                if call < 3 { Act::works("strayed") } else { Act::idles() }
            },
        )
        .with_status(draft("good", true));
    world.strays = vec![("strayed".to_owned(), "start".to_owned())];
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(
        (world.tree.as_str(), world.run.forbidden_changes()),
        ("start", &["src/main.rs".to_owned()][..])
    );
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.count("refused"), world.count("iteration_finished")), (2, 3));
    assert!(world.run.forbidden_changes().is_empty());
    let progress = world.facts().any(|fact| matches!(fact, Fact::IterationFinished { progress: true, .. }));
    assert!(!progress);
}

#[test]
fn a_runner_that_dies_while_it_undoes_goes_on_with_that() {
    let mut world =
        World::new(planned(Mode::Plan), |_, _| Act::works("strayed")).with_status(draft("good", true));
    world.strays = vec![("strayed".to_owned(), "start".to_owned())];
    world.until(|effect| matches!(effect, Effect::Refuse { .. }));
    world.restart(world.journal.len());
    // A person may have written something meanwhile: first it is kept.
    assert!(matches!(world.run.outstanding()[..], [Effect::Keep { .. }]));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.tree, "start");
}
