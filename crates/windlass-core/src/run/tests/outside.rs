//! What follows once there is a pull request, and that nobody works while something outside is waited for.

use std::time::Duration;

use super::going_out::{answer, asked, goes_out, opened, seen};
use super::world::{Act, DOLLAR, World};
use crate::forge::{CheckTally, MergeStrategy};
use crate::report::{DeliveryReport, DeliveryTask, PullRequestSeen};
use crate::run::{Effect, Input};
use crate::spec::{DeliverySpec, Readiness, RunSpec};
use crate::values::{StopReason, between, later};

/// What is asked of the forge once there is a pull request; where it is left to a person, how the run ends.
fn once_opened(plan: RunSpec, found: bool) -> Result<DeliveryTask, StopReason> {
    let mut world = World::new(plan, |call, _| Act::claims(&format!("tree {call}")));
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found });
    let asked = world.run.outstanding().into_iter().find_map(|effect| match effect {
        Effect::Deliver { task, .. } => Some(task),
        _ => None,
    });
    asked.ok_or_else(|| world.finish())
}

// What an earlier session opened as a draft at a limit is shown to be done now.
#[test]
fn who_merges_it_and_whether_it_was_a_draft_says_what_follows_an_opened_pull_request() {
    let (by_run, by_person) = (Some(MergeStrategy::Squash), None);
    let (view, mark) = (Ok(DeliveryTask::View), Ok(DeliveryTask::MarkReady));
    let (done, at_limit) = (Err(StopReason::Complete), Err(StopReason::MaxIterations));
    for (merge, readiness, found, is_done, expected) in [
        (by_run, Readiness::Ready, false, true, view),
        (by_run, Readiness::Ready, true, true, view),
        (by_person, Readiness::Ready, true, true, mark),
        (by_person, Readiness::Ready, false, true, done),
        (by_person, Readiness::Draft, true, true, done),
        (by_person, Readiness::Draft, false, true, done),
        (by_run, Readiness::Ready, true, false, at_limit),
        (by_run, Readiness::Ready, false, false, at_limit),
        (by_person, Readiness::Ready, true, false, at_limit),
        (by_person, Readiness::Draft, false, false, at_limit),
    ] {
        let mut plan = goes_out();
        plan.delivery = plan.delivery.map(|delivery| DeliverySpec { readiness, merge, ..delivery });
        if !is_done {
            (plan.job.completion_threshold, plan.limits.iterations) = (2, Some(1));
        }
        let said = format!("{merge:?} {readiness:?}, found: {found}, done: {is_done}");
        assert_eq!(once_opened(plan, found), expected, "{said}");
    }
}

pub(super) const TEN_SECONDS: Duration = Duration::from_secs(10);

/// What of this time counts as the run's own.
pub(super) fn counts(world: &mut World, time: Duration) -> Duration {
    let before = world.run.active(world.now);
    world.pass(time);
    world.run.active(world.now).saturating_sub(before)
}

fn looks_at_pending_checks(world: &mut World) {
    let checks = CheckTally { pending: 1, ..CheckTally::default() };
    answer(world, DeliveryReport::Viewed(PullRequestSeen { checks, ..seen() }));
}

#[test]
fn what_is_waited_for_outside_is_not_the_time_of_the_run_and_what_follows_is() {
    let mut world = opened(goes_out());
    for _ in 0..2 {
        assert_eq!(counts(&mut world, TEN_SECONDS), TEN_SECONDS, "it looks");
        looks_at_pending_checks(&mut world);
        assert_eq!(counts(&mut world, TEN_SECONDS), Duration::ZERO, "it waits");
        let waited = world.run.active(world.now);
        asked(&mut world, DeliveryTask::View);
        assert_eq!(world.run.active(world.now), waited, "it waited until now");
    }
    looks_at_pending_checks(&mut world);
    let kept = world.journal.len();
    world.restart(kept);
    asked(&mut world, DeliveryTask::View);
    assert_eq!(counts(&mut world, TEN_SECONDS), TEN_SECONDS, "another session looks at once");
}

/// A usage limit is waited for, the money is spent, and what there is has to go out.
pub(super) fn limited() -> World {
    let mut plan = goes_out();
    plan.limits.cost = Some(DOLLAR);
    let mut world = World::new(plan, |call, now| match call {
        1 => Act::works("tree"),
        _ => Act::limited(Some(later(now.wall, Duration::from_hours(1)))).costs(DOLLAR),
    });
    asked(&mut world, DeliveryTask::Push);
    world
}

/// The forge cannot be asked: it is waited for a while.
pub(super) fn is_silent(world: &mut World) {
    let why = "it does not answer".to_owned();
    answer(world, DeliveryReport::Unreachable { why, passes: true, again: None });
}

/// Until so long before the limit ends.
pub(super) fn limit_stands(world: &mut World, left: Duration) {
    let until = world.run.backoff().expect("it is waited for").until;
    world.pass(between(world.now.wall, until).saturating_sub(left));
}

fn limit_ends(world: &mut World) {
    limit_stands(world, Duration::ZERO);
    world.input(Input::Tick);
    assert!(world.run.backoff().is_none());
}

#[test]
fn where_a_usage_limit_and_the_forge_are_waited_for_time_counts_once_both_waits_are_over() {
    let mut world = limited();
    assert_eq!(counts(&mut world, TEN_SECONDS), Duration::ZERO, "the limit is waited for");
    is_silent(&mut world);
    asked(&mut world, DeliveryTask::Push);
    assert_eq!(counts(&mut world, TEN_SECONDS), Duration::ZERO, "the forge is asked, and the limit stands");
    limit_ends(&mut world);
    assert_eq!(counts(&mut world, TEN_SECONDS), TEN_SECONDS, "nothing is waited for");

    let mut world = limited();
    limit_stands(&mut world, TEN_SECONDS);
    is_silent(&mut world);
    limit_ends(&mut world);
    assert_eq!(counts(&mut world, Duration::from_secs(1)), Duration::ZERO, "the forge is waited for");
    asked(&mut world, DeliveryTask::Push);
    assert_eq!(counts(&mut world, TEN_SECONDS), TEN_SECONDS, "nothing is waited for");
}
