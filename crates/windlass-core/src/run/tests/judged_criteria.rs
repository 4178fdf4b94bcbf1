//! Success criteria that only a judgement shows to hold: a fresh agent judges them before their task counts as done.

use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, World};
use crate::fact::Fact;
use crate::run::{Effect, OrderContext};
use crate::spec::{JudgedCriterion, ReviewScope, ReviewSpec, RunSpec};
use crate::values::Purpose::{self, Review, Work};
use crate::values::{Class, JobStatus, ReviewVerdict, StatusSource, StopReason, TaskEnd, Verdict};

const CRITERIA: [&str; 2] = ["It is fast", "It is small"];

/// T1 has two criteria, another task one.
fn plan(scope: ReviewScope) -> RunSpec {
    let of = |task: &str, text: &str| JudgedCriterion { task: task.into(), text: text.to_owned() };
    let criteria = vec![of("T1", CRITERIA[0]), of("T9", "It is loud"), of("T1", CRITERIA[1])];
    let review = Some(ReviewSpec { scope, criteria, ..ReviewSpec::default() });
    RunSpec { review, checks: Vec::new(), lanes: None, ..two_lanes() }
}

fn status(complete: bool) -> JobStatus {
    JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() }
}

/// Each call writes something else; the first ones claim nothing.
fn world(plan: RunSpec, silent: u32, reviewer: impl FnMut(u32, &str) -> Act + 'static) -> World {
    let agent = move |call: u32, _| Act::works(&format!("tree {call}")).writes(status(call > silent));
    begun(World::new(plan, agent).reviewed(reviewer))
}

fn begun(mut world: World) -> World {
    world.tasks = Some(vec![row("T1", &[])]);
    world.status = Some(status(false));
    world
}

fn purposes(world: &World) -> Vec<Purpose> {
    let purpose = |fact: &Fact| match fact {
        Fact::CallReserved { purpose, .. } => Some(*purpose),
        _ => None,
    };
    world.facts().filter_map(purpose).collect()
}

fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

fn ends(world: &World) -> Vec<TaskEnd> {
    let end = |fact: &Fact| match fact {
        Fact::TaskClosed(closed) => Some(closed.end.clone()),
        _ => None,
    };
    world.facts().filter_map(end).collect()
}

/// What the reviewer who is about to be called is asked about.
fn asked(world: &mut World) -> Vec<String> {
    let is_review = |effect: &Effect| matches!(effect, Effect::Prepare { purpose: Review, .. });
    world.until(is_review);
    let effect = world.run.outstanding().into_iter().find(is_review).unwrap();
    let context = OrderContext::of(&world.run, &effect, world.now);
    context.prompt.unwrap().review.unwrap().criteria
}

// rows: 135
#[test]
fn a_task_is_done_once_each_of_its_own_criteria_is_met() {
    let reviewer = |review, _: &str| {
        if review == 1 { Act::judges_criteria(&[true, false]) } else { Act::judges_criteria(&[true, true]) }
    };
    let mut world = world(plan(ReviewScope::Criteria), 0, reviewer);
    assert_eq!(asked(&mut world), CRITERIA);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Work, Review, Work, Review]);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    let why = "a reviewer rejected it: not met: It is small".to_owned();
    assert_eq!(ends(&world), [TaskEnd::Again { why }, TaskEnd::Done]);
    assert_eq!(world.commits, 1, "what is not met is not committed as done");
    let said = world.facts().find_map(|fact| match fact {
        Fact::CallFinished { summary, .. } => summary.review.clone(),
        _ => None,
    });
    let words: Vec<String> = said.unwrap().criteria.into_iter().map(|one| one.criterion).collect();
    assert_eq!(words, CRITERIA, "the journal has their words");
}

// rows: 135
#[test]
fn work_that_is_not_called_done_is_not_judged() {
    let mut plain = world(plan(ReviewScope::Criteria), 1, |_, _| Act::judges_criteria(&[true, true]));
    assert_eq!(plain.finish(), StopReason::Complete);
    assert_eq!(purposes(&plain), [Work, Work, Review]);
    // Where each iteration is looked over, it is one call, and the criteria are in it once the task is called done.
    let reviewer =
        |review, _: &str| if review == 1 { Act::passes() } else { Act::judges_criteria(&[true, true]) };
    let mut each = world(plan(ReviewScope::EachIteration), 1, reviewer);
    assert_eq!(asked(&mut each), Vec::<String>::new());
    assert_eq!(each.finish(), StopReason::Complete);
    assert_eq!(purposes(&each), [Work, Review, Work, Review]);
}

// rows: 135
#[test]
fn an_answer_that_leaves_one_out_shows_nothing_and_is_not_held_against_the_task() {
    let answers = |review, _: &str| match review {
        1 => Act::judges_criteria(&[true]),
        2 => Act::passes(),
        _ => Act::judges_criteria(&[true, true]),
    };
    let mut world = world(plan(ReviewScope::Criteria), 0, answers);
    assert_eq!(world.finish(), StopReason::Complete);
    let again = TaskEnd::Again { why: String::new() };
    assert_eq!(ends(&world), [again.clone(), again, TaskEnd::Done]);
    let mut silent = self::world(plan(ReviewScope::Criteria), 0, |_, _| Act::of(Class::Success));
    assert_eq!(silent.finish(), StopReason::ReviewStalemate);
    assert_eq!(silent.commits, 0);
}

// rows: 135
#[test]
fn passing_with_one_that_is_not_met_is_no_verdict() {
    let contradicts = |_, _: &str| {
        let mut act = Act::judges_criteria(&[true, false]);
        act.report.review.as_mut().unwrap().verdict = ReviewVerdict::Pass;
        act
    };
    let mut world = world(plan(ReviewScope::Criteria), 0, contradicts);
    assert_eq!(world.finish(), StopReason::ReviewStalemate);
}

// rows: 135
#[test]
fn a_task_that_was_done_before_is_judged_although_nothing_changed() {
    let mut world = begun(
        World::new(plan(ReviewScope::Criteria), |_, _| Act::idles())
            .reviewed(|_, _| Act::judges_criteria(&[true, true])),
    );
    world.status = Some(status(true));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(purposes(&world), [Work, Review]);
    assert_eq!(verdicts(&world), [Verdict::ClaimAccepted]);
}

// rows: 135
#[test]
fn the_same_one_not_met_three_times_parks_the_task() {
    let mut plan = plan(ReviewScope::Criteria);
    if let Some(tasks) = &mut plan.job.tasks {
        tasks.attempts = 9;
    }
    let mut world = world(plan, 0, |_, _| Act::judges_criteria(&[false, true]));
    world.finish();
    let reason = "a reviewer rejected it 3 times for the same: not met: It is fast".to_owned();
    assert_eq!(ends(&world).last(), Some(&TaskEnd::Parked { reason }));
}

// rows: 135
#[test]
fn nobody_who_was_skipped_has_judged_anything() {
    let mut world = world(plan(ReviewScope::EachIteration), 0, |_, _| Act::passes());
    world.few_lines = Some(1);
    world.finish();
    assert!(verdicts(&world).iter().all(|verdict| *verdict == Verdict::ClaimRefused));
    assert_eq!(world.commits, 0);
}
