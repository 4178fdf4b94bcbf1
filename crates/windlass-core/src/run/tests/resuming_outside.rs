//! What a resumption means for work that is on its way out: what is over is left alone or looked at anew, and what was waited
//! for is waited for from the beginning.

use std::time::Duration;

use super::evidence::{branched, per};
use super::going_out::{answer, asked, goes_out, opened, seen};
use super::outside::{TEN_SECONDS, counts, is_silent, limit_stands, limited};
use super::world::{Act, World};
use crate::forge::{CheckTally, PullRequestState};
use crate::report::{DeliveryReport, DeliveryTask, PullRequestSeen};
use crate::run::{Effect, Input};
use crate::spec::PullRequestPer;
use crate::values::StopReason;

fn restarts(world: &mut World) {
    world.restart(world.journal.len());
}

/// What is asked of git or the forge from now on, as far as nobody answers; the next call of an agent is called so as well.
fn next(world: &mut World) -> String {
    let mut found = None;
    world.until(|effect| {
        found = match effect {
            Effect::Deliver { task, .. } => Some(format!("{task:?}")),
            Effect::Prepare { .. } => Some("an agent".to_owned()),
            _ => None,
        };
        found.is_some()
    });
    found.unwrap()
}

fn red() -> DeliveryReport {
    let checks = CheckTally { failed: 1, ..CheckTally::default() };
    DeliveryReport::Viewed(PullRequestSeen { checks, ..seen() })
}

fn refused() -> DeliveryReport {
    DeliveryReport::Refused { why: "it is not allowed".to_owned() }
}

/// What was being done, what came of it, and with what the run ended.
fn ends(mut world: World, report: DeliveryReport, reason: StopReason) -> World {
    answer(&mut world, report);
    assert!(!world.run.is_delivering(), "it is over");
    assert_eq!(world.finish(), reason);
    world
}

fn pushing() -> World {
    let mut world = World::new(goes_out(), |call, _| Act::claims(&format!("tree {call}")));
    asked(&mut world, DeliveryTask::Push);
    world
}

fn opening() -> World {
    let mut world = pushing();
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    world
}

#[test]
fn what_a_person_was_needed_for_is_looked_at_anew() {
    let mut plan = goes_out();
    plan.delivery.iter_mut().for_each(|delivery| delivery.ci_retries = 0);
    let closed = PullRequestSeen { state: PullRequestState::Closed, ..seen() };
    for (world, report, reason, expected) in [
        (opened(plan), red(), StopReason::CiFailed, "View"),
        (opened(goes_out()), DeliveryReport::Viewed(closed), StopReason::ClosedByPerson, "View"),
        (pushing(), refused(), StopReason::NeedsHuman, "Push"),
        // Git looks first whether that is there.
        (opening(), refused(), StopReason::NeedsHuman, "Push"),
    ] {
        let mut world = ends(world, report, reason);
        restarts(&mut world);
        assert_eq!(next(&mut world), expected, "after {reason:?}");
    }
}

// The branch of a part could not be checked out: without it there is nothing to look at.
#[test]
fn a_part_without_a_branch_gets_one() {
    let mut world = World::new(per(PullRequestPer::Iteration, goes_out()), |_, _| Act::claims("tree"));
    asked(&mut world, DeliveryTask::Branch);
    let mut world = ends(world, refused(), StopReason::NeedsHuman);
    restarts(&mut world);
    branched(&mut world);
    assert_eq!(next(&mut world), "an agent");
    asked(&mut world, DeliveryTask::Push);
    let mut world = ends(world, refused(), StopReason::NeedsHuman);
    restarts(&mut world);
    assert_eq!(next(&mut world), "Push", "it has a branch");
}

#[test]
fn what_is_merged_is_not_looked_at_again() {
    let merged = || PullRequestSeen { state: PullRequestState::Merged, ..seen() };
    for report in [DeliveryReport::Viewed(merged()), DeliveryReport::Merged { commit: "m1".to_owned() }] {
        let mut world = opened(goes_out());
        if matches!(report, DeliveryReport::Merged { .. }) {
            answer(&mut world, DeliveryReport::Viewed(seen()));
            asked(&mut world, DeliveryTask::Merge);
        }
        let before = world.journal.len();
        answer(&mut world, report);
        // The runner died before it could say that the run is over.
        world.restart(before + 1);
        let asks = |effect: &Effect| matches!(effect, Effect::Deliver { .. });
        while !matches!(world.run.phase(), crate::run::Phase::Ended(_)) {
            assert!(!world.run.outstanding().iter().any(asks));
            world.step();
        }
        assert_eq!(world.finish(), StopReason::Complete);
        assert!(world.run.is_merged());
    }
}

#[test]
fn a_run_that_a_limit_ended_works_on_with_a_higher_one_and_its_pull_request_is_for_later() {
    let mut plan = goes_out();
    plan.limits.iterations = Some(1);
    let agent = |call, _| if call == 1 { Act::works("half") } else { Act::claims("whole") };
    let mut world = World::new(plan.clone(), agent);
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    let opened = DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false };
    let mut world = ends(world, opened, StopReason::MaxIterations);
    plan.limits.iterations = Some(2);
    world.input(Input::Resume(Box::new(plan)));
    assert_eq!(next(&mut world), "an agent");
    asked(&mut world, DeliveryTask::Push);
    let pushed = world.run.outstanding();
    assert!(matches!(&pushed[..], [Effect::Deliver { head, .. }] if head == "c2"), "{pushed:?}");
}

#[test]
fn checks_go_back_to_the_agent_once_more_after_a_person_has_seen_that_they_failed() {
    let mut world = opened(goes_out());
    answer(&mut world, red());
    answer(&mut world, DeliveryReport::Read { findings: Vec::new() });
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c2".to_owned() });
    answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: true });
    let again = || {
        let checks = CheckTally { failed: 1, ..CheckTally::default() };
        DeliveryReport::Viewed(PullRequestSeen { head: "c2".to_owned(), checks, ..seen() })
    };
    let mut world = ends(world, again(), StopReason::CiFailed);
    restarts(&mut world);
    asked(&mut world, DeliveryTask::View);
    answer(&mut world, again());
    asked(&mut world, DeliveryTask::ReadLogs);
}

/// How long a forge that does not answer is asked again, and how the run ends then.
fn patience(world: &mut World, task: DeliveryTask) -> (StopReason, Duration) {
    let mut waited = Duration::ZERO;
    for _ in 0..200 {
        asked(world, task);
        let before = world.now.wall;
        is_silent(world);
        if !world.run.is_delivering() {
            return (world.finish(), waited);
        }
        asked(world, task);
        waited += crate::values::between(before, world.now.wall);
    }
    panic!("it is asked for ever");
}

#[test]
fn a_forge_that_does_not_answer_is_asked_for_an_hour_and_after_a_resumption_for_another() {
    let mut world = opened(goes_out());
    for session in 1..=2 {
        let (reason, waited) = patience(&mut world, DeliveryTask::View);
        assert_eq!(reason, StopReason::NeedsHuman);
        let minutes = waited.as_secs() / 60;
        assert!((55..=61).contains(&minutes), "{minutes} minutes in session {session}");
        restarts(&mut world);
    }
    // The runner may die while it waits as well.
    asked(&mut world, DeliveryTask::View);
    for _ in 0..20 {
        is_silent(&mut world);
        asked(&mut world, DeliveryTask::View);
    }
    restarts(&mut world);
    let (_, waited) = patience(&mut world, DeliveryTask::View);
    assert!(waited > Duration::from_mins(55), "{waited:?}");
}

#[test]
fn a_refused_merge_is_tried_three_times_and_after_a_resumption_three_times_more() {
    let mut world = opened(goes_out());
    for _session in 1..=2 {
        for _try in 1..=3 {
            asked(&mut world, DeliveryTask::View);
            answer(&mut world, DeliveryReport::Viewed(seen()));
            asked(&mut world, DeliveryTask::Merge);
            assert!(world.run.is_delivering());
            answer(&mut world, refused());
        }
        assert!(!world.run.is_delivering(), "a person has to look at it");
        assert_eq!(world.finish(), StopReason::NeedsHuman);
        restarts(&mut world);
    }
}

#[test]
fn a_usage_limit_that_stands_after_a_resumption_is_not_the_time_of_the_run() {
    let mut world = limited();
    is_silent(&mut world);
    restarts(&mut world);
    asked(&mut world, DeliveryTask::Push);
    limit_stands(&mut world, TEN_SECONDS * 2);
    assert_eq!(counts(&mut world, TEN_SECONDS), Duration::ZERO);
}
