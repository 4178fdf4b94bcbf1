//! What comes back from a pull request: who is told of it, how often, and that what was answered is not asked again.

use super::going_out::{answer, asked, goes_out, opened, seen};
use super::guarding::detail;
use super::world::World;
use crate::forge::CheckTally;
use crate::report::{DeliveryReport, DeliveryTask, ForgeFinding, PullRequestSeen, Returned};
use crate::run::{Effect, OrderContext};
use crate::values::StopReason;

fn finding(title: &str) -> Vec<ForgeFinding> {
    vec![ForgeFinding { title: title.to_owned(), text: "what it says".to_owned() }]
}

/// It is looked at, and what was pushed last is its head.
fn looks(world: &mut World, seen: PullRequestSeen) {
    let head = format!("c{}", world.commits);
    answer(world, DeliveryReport::Viewed(PullRequestSeen { head, ..seen }));
}

fn red() -> PullRequestSeen {
    PullRequestSeen { checks: CheckTally { failed: 1, ..CheckTally::default() }, ..seen() }
}

fn discussed(threads: &[&str]) -> PullRequestSeen {
    PullRequestSeen { threads: threads.iter().map(|thread| (*thread).to_owned()).collect(), ..seen() }
}

/// What the agent of the next iteration is told of its pull request.
fn told(world: &mut World) -> Option<(Returned, Vec<ForgeFinding>)> {
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    let orders = world.run.outstanding();
    let order = orders.iter().find(|effect| matches!(effect, Effect::Prepare { .. })).unwrap();
    OrderContext::of(&world.run, order, world.now).prompt.unwrap().returned
}

/// Up to the first look at the work of the next iteration.
fn opened_again(world: &mut World) {
    asked(world, DeliveryTask::Push);
    let head = format!("c{}", world.commits);
    answer(world, DeliveryReport::Pushed { head });
    asked(world, DeliveryTask::Open);
    answer(world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: true });
    asked(world, DeliveryTask::View);
}

#[test]
fn the_next_agent_is_told_what_came_back_and_why_and_those_after_it_are_not() {
    for (seen, read, because) in [
        (red(), DeliveryTask::ReadLogs, Returned::Checks),
        (discussed(&["one"]), DeliveryTask::ReadThreads, Returned::Review),
    ] {
        let mut world = opened(goes_out());
        assert_eq!(world.run.returned(), None);
        looks(&mut world, seen);
        asked(&mut world, read);
        answer(&mut world, DeliveryReport::Read { findings: finding("test") });
        assert_eq!(told(&mut world), Some((because, finding("test"))));
        asked(&mut world, DeliveryTask::Push);
        assert_eq!(world.run.returned(), None, "it was answered");
    }
}

#[test]
fn red_checks_go_back_as_often_as_is_configured() {
    let mut world = opened(goes_out());
    looks(&mut world, red());
    answer(&mut world, DeliveryReport::Read { findings: finding("test") });
    opened_again(&mut world);
    looks(&mut world, red());
    assert_eq!(world.finish(), StopReason::CiFailed);
    assert_eq!(world.run.counters().finished, 2);
    assert_eq!(detail(&world), "pull request url, branch windlass/r-test0000: checks fail");
}

#[test]
fn conversations_go_back_as_often_as_is_configured_and_each_of_them_once() {
    let again = |threads: &[&str]| {
        let mut world = opened(goes_out());
        looks(&mut world, discussed(&["one", "two"]));
        answer(&mut world, DeliveryReport::Read { findings: finding("src/main.rs:1") });
        opened_again(&mut world);
        looks(&mut world, discussed(threads));
        world
    };
    // Whoever began them may leave them open: they were answered.
    asked(&mut again(&["one", "two"]), DeliveryTask::Merge);
    let mut world = again(&["two", "three"]);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert!(detail(&world).ends_with("conversations of the review are not resolved"), "{}", detail(&world));
}

// What was only seen, while its checks were still awaited, is told all the same.
#[test]
fn a_conversation_that_nobody_was_told_of_is_not_answered() {
    let mut plan = goes_out();
    plan.delivery.iter_mut().for_each(|delivery| (delivery.ci_retries, delivery.review_rounds) = (2, 2));
    let mut world = opened(plan);
    for (threads, read) in [
        (&[][..], DeliveryTask::ReadLogs),
        (&["one"][..], DeliveryTask::ReadThreads),
        (&["one"][..], DeliveryTask::ReadLogs),
        (&["one", "two"][..], DeliveryTask::ReadThreads),
    ] {
        looks(&mut world, PullRequestSeen { checks: red().checks, ..discussed(threads) });
        asked(&mut world, read);
        answer(&mut world, DeliveryReport::Read { findings: finding("what was read") });
        opened_again(&mut world);
    }
}

// A forge shows what was there before for a while after a push.
#[test]
fn a_head_of_our_own_that_was_there_before_is_waited_out() {
    let mut world = opened(goes_out());
    looks(&mut world, red());
    answer(&mut world, DeliveryReport::Read { findings: Vec::new() });
    opened_again(&mut world);
    answer(&mut world, DeliveryReport::Viewed(seen()));
    asked(&mut world, DeliveryTask::View);
    looks(&mut world, seen());
    asked(&mut world, DeliveryTask::Merge);
}
