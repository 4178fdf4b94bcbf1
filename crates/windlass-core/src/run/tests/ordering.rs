//! Orders and reports: what is ordered once, what an order says, and what comes too late.

use strum::VariantNames;

use super::world::{Act, World, check, plan};
use crate::report::{self, Report};
use crate::run::{Due, Effect, Epoch, Order, OrderContext, Orders, Reported};
use crate::values::{CheckKind, LaneId, Now};

const LANE: LaneId = LaneId(0);

fn due(orders: &mut Orders, world: &World) -> Due {
    orders.due(&world.run, world.now)
}

/// The orders of a whole run, each with the number of the newest fact when it was given.
fn all_orders(world: &mut World) -> Vec<(u64, Order)> {
    let mut orders = Orders::default();
    let mut given = Vec::new();
    for _ in 0..500 {
        let facts = world.run.next_seq() - 1;
        given.extend(due(&mut orders, world).orders.into_iter().map(|order| (facts, order)));
        if !world.step() {
            return given;
        }
    }
    panic!("the run does not end");
}

fn working() -> World {
    let mut plan = plan();
    plan.limits.iterations = Some(2);
    plan.checks = vec![check(CheckKind::Gate, "test")];
    World::new(plan, |call, _| Act::claims(&format!("tree {call}")))
}

#[test]
fn each_effect_is_ordered_once_and_withdrawn_when_it_was_seen_done() {
    let mut world = working();
    let mut orders = Orders::default();
    let first = due(&mut orders, &world);
    let [survey] = &first.orders[..] else { panic!("{first:?}") };
    assert!(matches!(survey.effect, Effect::Survey(_)));
    assert!(due(&mut orders, &world).orders.is_empty(), "it was ordered already");
    world.until(|effect| matches!(effect, Effect::RunCheck { .. }));
    let next = due(&mut orders, &world);
    assert_eq!(next.withdrawn, std::slice::from_ref(&survey.effect));
}

#[test]
fn what_answers_an_order_is_a_fact_with_at_least_its_number_and_later_orders_have_higher_ones() {
    let mut world = working();
    let given = all_orders(&mut world);
    assert!(given.len() > 8, "{given:?}");
    for (facts, order) in &given {
        assert_eq!(order.epoch, Epoch(facts + 1));
    }
    let epochs: Vec<Epoch> = given.iter().map(|(_, order)| order.epoch).collect();
    assert!(epochs.is_sorted());
}

#[test]
fn each_effect_has_a_row_on_the_page_of_effects() {
    let page = include_str!("../../../../../docs/effects.md");
    for effect in Effect::VARIANTS {
        assert!(page.contains(&format!("\n| `{effect}`")), "docs/effects.md has no row for {effect}");
    }
}

#[test]
fn an_order_survives_the_wire() {
    for (_, order) in all_orders(&mut working()) {
        let text = serde_json::to_string(&order).unwrap();
        assert!(text.starts_with(r#"{"v":1,"run":"r-test0000","#), "{text}");
        assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order, "{text}");
    }
}

#[test]
fn an_order_of_another_version_is_refused_by_its_number() {
    let (_, order) = all_orders(&mut working()).swap_remove(0);
    let text = serde_json::to_string(&order).unwrap().replace(r#""v":1"#, r#""v":7"#);
    let refused = serde_json::from_str::<Order>(&text).unwrap_err().to_string();
    assert!(refused.starts_with("it is of version 7, and this windlass knows version 1"), "{refused}");
}

#[test]
fn a_context_has_what_its_effect_needs_and_nothing_else() {
    let has = |context: &OrderContext| {
        let OrderContext { began: _, prompt, attempt, tasks, clocks, hook, delivery, decision, issue } =
            context;
        assert!(delivery.is_none() && decision.is_none() && issue.is_none());
        [prompt.is_some(), attempt.is_some(), tasks.is_some(), clocks.is_some(), hook.is_some()]
    };
    for (_, order) in all_orders(&mut working()) {
        let expected = match order.effect {
            Effect::Prepare { .. } => [true, false, false, false, false],
            Effect::Keep { .. } => [false, true, false, false, false],
            Effect::Call { .. } => [false, false, false, true, false],
            _ => [false; 5],
        };
        assert_eq!(has(&order.context), expected, "{:?}", order.effect);
    }
}

// A wait came and went while a prompt was being written: it is ordered again, and only the newer answer may begin a call.
#[test]
fn what_answers_an_order_that_another_took_the_place_of_is_late() {
    let mut world = working();
    let mut orders = Orders::default();
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    let first = due(&mut orders, &world).orders.swap_remove(0);
    let mut later = Orders::default();
    let now = Now { monotonic: world.now.monotonic, ..world.now };
    world.input(crate::run::Input::notice("meanwhile"));
    let second = later.due(&world.run, now).orders.swap_remove(0);
    assert!(first.epoch < second.epoch);
    let prepared = |epoch| Reported::of(epoch, report::Prepared { lane: LANE });
    assert!(!orders.is_late(&prepared(first.epoch)));
    assert!(later.is_late(&prepared(first.epoch)));
    assert!(!later.is_late(&prepared(second.epoch)));
    let said = Reported::of(first.epoch, Report::notice("the disk is nearly full"));
    assert!(!later.is_late(&said), "what a person should know is heard");
    assert!(!later.is_late(&Reported::unasked(report::Prepared { lane: LANE })));
    let elsewhere = Reported::of(first.epoch, report::Prepared { lane: LaneId(3) });
    assert!(!later.is_late(&elsewhere), "another lane's orders are none of its");
}

#[test]
fn an_order_of_an_earlier_session_is_late_even_where_nothing_came_after_it() {
    let mut world = working();
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    let order = due(&mut Orders::default(), &world).orders.swap_remove(0);
    let prepared = |order: &Order| Reported::of(order.epoch, report::Prepared { lane: LANE });
    let mut orders = Orders::of_session(&world.run);
    assert!(orders.is_late(&prepared(&order)));
    world.restart(world.journal.len());
    let first = due(&mut orders, &world).orders.swap_remove(0);
    assert!(!orders.is_late(&prepared(&first)), "the session's own");
}

#[test]
fn whoever_ends_a_call_takes_no_order_s_place() {
    let mut world = working();
    let mut orders = Orders::default();
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    let call = due(&mut orders, &world).orders.swap_remove(0);
    world.input(crate::run::Input::Stop { by: crate::values::StopSource::Terminate, least: 2 });
    let end = due(&mut orders, &world).orders;
    let [Order { effect: Effect::EndCall { .. }, epoch, .. }] = &end[..] else { panic!("{end:?}") };
    assert!(*epoch > call.epoch);
    let Effect::Call { call: id, .. } = call.effect else { panic!("{call:?}") };
    let report = Box::new(super::world::report(crate::values::Class::Success));
    assert!(!orders.is_late(&Reported::of(call.epoch, report::CallEnded { lane: LANE, call: id, report })));
}

#[test]
fn a_report_survives_the_wire() {
    let call = crate::values::CallId(7);
    let ended = super::world::report(crate::values::Class::Success);
    let reports = [
        Reported::of(Epoch(3), report::Prepared { lane: LANE }),
        Reported::of(Epoch(4), report::CallEnded { lane: LANE, call, report: Box::new(ended) }),
        Reported::unasked(Report::notice("something")),
    ];
    for reported in reports {
        let text = serde_json::to_string(&reported).unwrap();
        assert_eq!(serde_json::from_str::<Reported>(&text).unwrap(), reported, "{text}");
    }
    let text = serde_json::to_string(&Reported::unasked(report::LaneLost::removed(LANE))).unwrap();
    assert_eq!(text, r#"{"v":1,"report":{"what":"lane_lost","lane":0}}"#);
}
