use std::time::Duration;

use jiff::Timestamp;

use super::world::{Act, World, plan};
use crate::fact::Fact;
use crate::run::{Input, NotesShare, RESET_MARGIN};
use crate::values::{Class, Cost, Named, StopReason, between};

fn held(world: &World) -> Vec<Duration> {
    let pause = |entry: &crate::fact::Entry| match entry.fact {
        Fact::BackoffStarted { until, .. } => Duration::try_from(until.duration_since(entry.at.wall)).ok(),
        _ => None,
    };
    world.journal.iter().filter_map(pause).collect()
}

fn in_time(now: Timestamp, time: Duration) -> Timestamp {
    now.checked_add(time).unwrap()
}

// rows: 65
// Seed defect D3, core/loop.ts:489-496: a limit ended the run.
#[test]
fn a_usage_limit_is_waited_out_and_the_same_iteration_is_tried_again() {
    let mut world = World::new(plan(), |call, now| match call {
        2 => Act::limited(Some(in_time(now.wall, Duration::from_hours(3)))),
        _ => Act::claims(&format!("{call}")),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 3, "the refused attempt took no number");
    let waited = Duration::from_hours(3) - Duration::from_mins(1) + RESET_MARGIN;
    assert_eq!(held(&world), [waited]);
    assert!(
        world.run.active(world.now) < Duration::from_mins(10),
        "the wait does not count against the duration"
    );
}

/// A run that waits for a usage limit of two hours.
fn waiting() -> World {
    let mut world = World::new(plan(), |call, now| match call {
        1 => Act::limited(Some(in_time(now.wall, Duration::from_hours(2)))),
        _ => Act::claims(&format!("{call}")),
    });
    while held(&world).is_empty() {
        assert!(world.step());
    }
    world
}

/// One that goes on in another session, with this longest wait.
fn resumed_in_a_wait(wait: Duration) -> World {
    let mut world = waiting();
    let mut plan = plan();
    plan.limits.wait = wait;
    world.now.wall = in_time(world.now.wall, Duration::from_mins(7));
    world.input(Input::Resume(Box::new(plan)));
    world
}

#[test]
fn a_wait_goes_on_in_the_next_session_and_is_told_again() {
    let mut world = resumed_in_a_wait(plan().limits.wait);
    let waits: Vec<Timestamp> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::BackoffStarted { until, class: Class::UsageLimit, attempt: 1 } => Some(*until),
            _ => None,
        })
        .collect();
    assert_eq!((waits.len(), waits[0]), (2, waits[1]), "to the same time");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("released"), 1);
}

#[test]
fn what_is_waited_for_is_tried_at_once_where_a_person_wants_that() {
    let mut world = resumed_in_a_wait(plan().limits.wait);
    let before = world.now.wall;
    world.input(Input::TryNow);
    assert_eq!(world.run.backoff(), None);
    world.input(Input::TryNow);
    assert_eq!(world.count("released"), 1, "nothing is waited for");
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(between(before, world.now.wall) < Duration::from_hours(1), "it was not waited for");
    // Where it still refuses, it is waited for until then again.
    let mut world =
        World::new(plan(), |_, now| Act::limited(Some(in_time(now.wall, Duration::from_hours(2)))));
    while held(&world).is_empty() {
        assert!(world.step());
    }
    world.input(Input::TryNow);
    while held(&world).len() < 2 {
        assert!(world.step());
    }
    assert_eq!(world.run.backoff().map(|backoff| backoff.attempt), Some(2));
}

#[test]
fn a_wait_that_is_too_long_by_now_ends_no_run_that_does_not_wait() {
    let mut world = waiting();
    let mut plan = plan();
    plan.limits.wait = Duration::from_mins(1);
    world.input(Input::ResumeNow(Box::new(plan)));
    world.input(Input::TryNow);
    assert_eq!((world.run.backoff(), world.count("failing")), (None, 0));
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn a_wait_that_ends_as_the_next_session_begins_is_not_told_again() {
    let mut world = waiting();
    world.now.wall = world.run.backoff().unwrap().until;
    world.input(Input::Resume(Box::new(plan())));
    assert_eq!((held(&world).len(), world.count("released")), (1, 1));
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn a_wait_that_is_too_long_by_now_ends_the_run_before_anything_is_asked() {
    let mut world = resumed_in_a_wait(Duration::from_mins(1));
    assert_eq!(world.finish(), StopReason::LimitWaitExceeded);
    assert_eq!((world.count("call_reserved"), world.count("held")), (1, 1));
}

#[test]
fn a_limit_that_names_a_new_time_again_and_again_is_asked_less_and_less_and_not_for_ever() {
    let mut world = World::new(plan(), |_, now| {
        Act::limited(Some(in_time(now.wall, Duration::from_mins(1) + Duration::from_secs(2))))
    });
    assert_eq!(world.finish(), StopReason::LimitWaitExceeded);
    let pauses: Vec<u64> = held(&world).iter().map(Duration::as_secs).collect();
    assert_eq!(pauses[..5], [7, 120, 300, 600, 1200]);
    assert_eq!(pauses.len(), 20);
}

#[test]
fn a_reset_beyond_max_wait_ends_the_run_at_once() {
    let mut world =
        World::new(plan(), |_, now| Act::limited(Some(in_time(now.wall, Duration::from_hours(31)))));
    assert_eq!(world.finish(), StopReason::LimitWaitExceeded);
    assert!(held(&world).is_empty());
}

// rows: 65
#[test]
fn a_reset_that_came_before_the_call_had_ended_is_tried_at_once_and_only_once() {
    let mut world = World::new(plan(), |call, now| match call {
        1 | 2 => Act::limited(Some(in_time(now.wall, Duration::from_secs(30)))),
        _ => Act::claims(&format!("{call}")),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(held(&world), [Duration::ZERO, Duration::from_mins(5)]);
}

#[test]
fn a_limit_without_a_time_is_probed_after_2_5_10_and_20_minutes_and_never_for_ever() {
    let mut world = World::new(plan(), |_, _| Act::limited(None));
    assert_eq!(world.finish(), StopReason::LimitWaitExceeded);
    let minutes: Vec<u64> = held(&world).iter().map(|pause| pause.as_secs() / 60).collect();
    assert_eq!(minutes[..5], [2, 5, 10, 20, 20]);
    assert!(held(&world).iter().sum::<Duration>() <= plan().limits.wait);
}

// Seed defect D3, core/loop.ts:489-496: an outage ended the run.
#[test]
fn an_outage_that_cost_and_changed_nothing_repeats_the_iteration_within_its_bounds() {
    let mut world = World::new(plan(), |_, _| Act::of(Class::Outage).free());
    assert_eq!(world.finish(), StopReason::AgentUnavailable);
    assert_eq!((world.run.counters().started, world.run.counters().finished), (1, 0));
    let pauses = held(&world);
    assert!(pauses.len() <= 20);
    assert!(pauses[0] >= Duration::from_secs(8) && pauses[0] <= Duration::from_secs(12), "{:?}", pauses[0]);
    assert!(pauses.iter().all(|pause| *pause <= Duration::from_mins(12)));
}

#[test]
fn an_outage_that_cost_something_counts_as_an_iteration() {
    let mut world = World::new(plan(), |call, _| match call {
        1..=4 => Act::of(Class::Outage).costs(Cost::from_dollars(0.2)).leaves(&format!("{call}")),
        _ => Act::claims("done"),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 7);
    assert_eq!(held(&world).len(), 4, "it backs off all the same");
}

#[test]
fn an_outage_that_cost_something_or_changed_something_is_no_mere_retry() {
    let outage = || Act::of(Class::Outage);
    for (act, finished) in [
        (outage().free(), 1),
        (outage().costs(Cost::from_dollars(0.2)), 2),
        (outage().free().leaves("half of it"), 2),
    ] {
        let mut plan = plan();
        plan.job.completion_threshold = 1;
        let mut world =
            World::new(plan, move |call, _| if call == 1 { act.clone() } else { Act::claims("done") });
        assert_eq!(world.finish(), StopReason::Complete);
        assert_eq!(world.run.counters().finished, finished);
    }
}

#[test]
fn without_notes_a_prompt_that_is_too_long_is_not_tried_again() {
    let mut plan = plan();
    plan.job.notes_file = None;
    let mut world = World::new(plan, |_, _| Act::of(Class::ContextTooLong).free());
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.count("call_reserved"), 3);
}

#[test]
fn limits_and_outages_are_counted_apart_and_from_one() {
    let mut world = World::new(plan(), |call, _| match call {
        1 | 2 | 4 => Act::limited(None),
        3 | 5 => Act::of(Class::Outage).free(),
        _ => Act::claims(&format!("{call}")),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    let waits: Vec<(Class, u32)> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::BackoffStarted { class, attempt, .. } => Some((*class, *attempt)),
            _ => None,
        })
        .collect();
    let (limit, outage) = (Class::UsageLimit, Class::Outage);
    assert_eq!(waits, [(limit, 1), (limit, 2), (outage, 1), (limit, 3), (outage, 2)]);
}

#[test]
fn an_outage_that_is_over_is_forgotten() {
    let mut world = World::new(plan(), |call, _| match call {
        1..=60 if call % 12 != 0 => Act::of(Class::Outage).free(),
        1..=60 => Act::works(&format!("{call}")),
        _ => Act::claims("done"),
    });
    assert_eq!(world.finish(), StopReason::Complete);
}

// rows: 65
#[test]
fn what_only_a_person_can_mend_ends_the_run_at_once() {
    for class in [Class::Auth, Class::Billing, Class::Permission, Class::Config] {
        let mut world = World::new(plan(), move |_, _| Act::of(class).free());
        assert_eq!(world.finish(), StopReason::AgentUnavailable);
        assert_eq!(world.count("call_reserved"), 1, "{class:?}");
        assert_eq!(world.run.counters().finished, 0, "{class:?}: the iteration is still to be done");
    }
}

#[test]
fn a_prompt_that_is_too_long_is_tried_once_with_little_of_the_notes() {
    let mut world = World::new(plan(), |call, _| match call {
        2 => Act::works("x"),
        _ => Act::of(Class::ContextTooLong).free(),
    });
    world.until(|effect| {
        matches!(effect, crate::run::Effect::Prepare { notes: NotesShare::Little, turn, .. } if turn.iteration == 1)
    });
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.run.counters().finished, 4);
}

// rows: 61
#[test]
fn no_iteration_begins_before_its_wait_or_its_pause_is_over() {
    let mut world = World::new(plan(), |call, _| match call {
        1 => Act::of(Class::Outage).costs(Cost::from_dollars(0.2)).leaves("half"),
        _ => Act::claims("done"),
    });
    while world.run.backoff().is_none() {
        assert!(world.step());
    }
    world.pass(plan().clocks.delay);
    assert_eq!(world.run.decide(world.now, Input::Tick), [], "the pause is over, and the wait is not");
    assert_eq!(world.finish(), StopReason::Complete);
    let at = |name: &str| {
        let found = world.journal.iter().filter(move |entry| entry.fact.name() == name);
        found.map(|entry| entry.at.monotonic).collect::<Vec<_>>()
    };
    assert_eq!(at("released").len(), 1);
    assert!(at("iteration_started")[1] >= at("released")[0], "the next one begins after the wait");
    let pause = plan().clocks.delay;
    let pairs = at("iteration_finished").into_iter().zip(at("iteration_started").into_iter().skip(1));
    assert!(pairs.clone().count() > 2 && pairs.clone().all(|(end, next)| next >= end + pause), "{pairs:?}");
}
