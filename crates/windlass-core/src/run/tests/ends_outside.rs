//! What a limit leaves outside and how that is told, and what a forge that says little is asked.

use std::time::Duration;

use super::evidence::{branched, of_tasks_after, per};
use super::going_out::{answer, asked, goes_out, opened, seen, steps};
use super::guarding::detail;
use super::plans::boxes;
use super::world::{Act, DOLLAR, World, planned};
use crate::forge::PullRequestState;
use crate::report::{DeliveryReport, DeliveryTask, PullRequestSeen};
use crate::run::Effect;
use crate::spec::{DeliverySpec, Limits, Mode, PullRequestPer, RunSpec};
use crate::values::{StopReason, later};

type Limit = fn(&mut Limits);

fn refused() -> DeliveryReport {
    DeliveryReport::Refused { why: "it is not allowed".to_owned() }
}

fn is_open() -> DeliveryReport {
    DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false }
}

#[test]
fn whichever_limit_ends_a_run_what_stands_goes_out() {
    let cases: [(Limit, StopReason); 5] = [
        (|limits| limits.iterations = Some(1), StopReason::MaxIterations),
        (|limits| limits.cost = Some(DOLLAR), StopReason::MaxCost),
        (|limits| limits.tokens = Some(100), StopReason::MaxTokens),
        (|limits| limits.duration = Some(Duration::from_secs(10)), StopReason::MaxDuration),
        (|limits| limits.stagnation = Some(1), StopReason::Stagnated),
    ];
    for (limit, reason) in cases {
        let mut plan = goes_out();
        limit(&mut plan.limits);
        let agent = |call, _| if call == 1 { Act::works("tree").costs(DOLLAR) } else { Act::idles() };
        let mut world = World::new(plan, agent);
        asked(&mut world, DeliveryTask::Push);
        answer(&mut world, refused());
        assert_eq!(world.finish(), reason);
    }
}

#[test]
fn what_a_build_has_done_before_it_changed_nothing_goes_out() {
    let (job, limits) = (planned(Mode::Build).job, planned(Mode::Build).limits);
    let agent = |call, _| if call == 1 { Act::works("tree") } else { Act::idles() };
    let mut world = World::new(RunSpec { job, limits, ..goes_out() }, agent).with_status(boxes(1));
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, refused());
    assert_eq!(world.finish(), StopReason::NoChanges);
}

#[test]
fn where_it_stands_is_told_as_far_as_it_came() {
    let pushed = || DeliveryReport::Pushed { head: "c1".to_owned() };
    for (answers, told) in [
        (vec![refused()], "what stands is in branch windlass/r-test0000: it is not allowed"),
        (
            vec![pushed(), refused()],
            "what stands is in branch windlass/r-test0000, pushed to origin: it is not allowed",
        ),
        (
            vec![pushed(), is_open()],
            "what stands is in pull request url, branch windlass/r-test0000: open, for a person to merge",
        ),
    ] {
        let mut plan = goes_out();
        plan.limits.iterations = Some(1);
        let mut world = World::new(plan, |_, _| Act::works("tree"));
        asked(&mut world, DeliveryTask::Push);
        for report in answers {
            answer(&mut world, report);
        }
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert!(detail(&world).ends_with(told), "{}", detail(&world));
    }
}

#[test]
fn a_forge_that_will_not_answer_in_time_is_not_waited_for() {
    let mut world = opened(goes_out());
    let again = Some(later(world.now.wall, Duration::from_hours(2)));
    for (passes, again) in [(false, None), (true, again)] {
        let why = "nobody is logged in".to_owned();
        answer(&mut world, DeliveryReport::Unreachable { why, passes, again });
        assert!(!world.run.is_delivering(), "it is over");
        assert_eq!(world.finish(), StopReason::NeedsHuman);
        world.restart(world.journal.len());
        asked(&mut world, DeliveryTask::View);
    }
}

fn left_to_a_person(plan: RunSpec) -> RunSpec {
    let delivery = plan.delivery.map(|delivery| DeliverySpec { merge: None, ..delivery });
    RunSpec { delivery, ..plan }
}

#[test]
fn what_is_a_persons_to_merge_is_not_merged_by_a_resumed_run() {
    let mut world = World::new(left_to_a_person(goes_out()), |_, _| Act::claims("tree"));
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    let before = world.journal.len();
    answer(&mut world, is_open());
    world.restart(before + 1);
    asked(&mut world, DeliveryTask::View);
    answer(&mut world, DeliveryReport::Viewed(seen()));
    assert!(!world.run.is_delivering(), "{:?}", steps(&world).last());
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn nothing_is_asked_outside_before_a_resumed_run_has_looked_at_its_files() {
    let delivers = |effect: &Effect| matches!(effect, Effect::Deliver { .. });
    let surveys = |effect: &Effect| matches!(effect, Effect::Survey(_));
    let mut world = opened(goes_out());
    world.restart(world.journal.len());
    world.until(surveys);
    assert!(!world.run.outstanding().iter().any(delivers));
    asked(&mut world, DeliveryTask::View);
}

#[test]
fn a_branch_is_made_for_the_iteration_that_comes_next() {
    let mut world = World::new(per(PullRequestPer::Iteration, goes_out()), |_, _| Act::claims("tree"));
    asked(&mut world, DeliveryTask::Branch);
    let orders = world.run.outstanding();
    let [Effect::Deliver { part: Some(part), .. }] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!(part.iteration, 1);
}

const WAITS: &str = "T2 waits until the pull request of T1 is merged (url); `windlass resume` goes on then";

/// The pull request of T1 is left to a person, and T2 waits for it.
fn waits_for_a_merge() -> World {
    let mut world = of_tasks_after(left_to_a_person);
    branched(&mut world);
    asked(&mut world, DeliveryTask::Push);
    answer(&mut world, DeliveryReport::Pushed { head: "c1".to_owned() });
    answer(&mut world, is_open());
    asked(&mut world, DeliveryTask::LookAgain);
    world
}

#[test]
fn a_task_that_waits_for_a_merge_begins_once_a_person_has_merged_it() {
    for state in [PullRequestState::Merged, PullRequestState::Open] {
        let mut world = waits_for_a_merge();
        let orders = world.run.outstanding();
        assert!(matches!(&orders[..], [Effect::Deliver { number: Some(7), .. }]), "{orders:?}");
        answer(&mut world, DeliveryReport::Viewed(PullRequestSeen { state, ..seen() }));
        if state == PullRequestState::Merged {
            asked(&mut world, DeliveryTask::Branch);
        } else {
            assert_eq!(world.finish(), StopReason::Blocked);
            assert!(detail(&world).contains(WAITS), "{}", detail(&world));
        }
    }
}

#[test]
fn what_a_silent_forge_does_not_say_of_an_earlier_pull_request_is_asked_for_an_hour() {
    let mut world = waits_for_a_merge();
    let began = world.now.wall;
    let silent = || DeliveryReport::Unreachable { why: "no answer".to_owned(), passes: true, again: None };
    for _ in 0..200 {
        answer(&mut world, silent());
        if !world.run.is_delivering() {
            break;
        }
        asked(&mut world, DeliveryTask::LookAgain);
    }
    let waited = crate::values::between(began, world.now.wall);
    assert!(waited > Duration::from_mins(55), "{waited:?}");
    assert_eq!(world.finish(), StopReason::Blocked);
    assert!(detail(&world).contains(WAITS), "{}", detail(&world));
}
