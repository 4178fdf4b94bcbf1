use super::*;
use crate::run::testing::report;
use crate::values::{Ended, Listed};

const fn dollars(dollars: u64) -> Cost {
    Cost::from_micros(dollars * 1_000_000)
}

fn summary(cost: Cost, listed: Cost, estimated: bool) -> CallSummary {
    let tokens = Tokens { input: 3, ..Tokens::default() };
    CallSummary { cost, estimated, listed, tokens, ..CallSummary::uneventful() }
}

// rows: 55
#[test]
fn what_is_set_aside_is_not_left_and_what_is_charged_is_spent() {
    let mut ledger = Ledger::default();
    assert_eq!((ledger.reservation(), ledger.next_call()), (LEAST_RESERVATION, CallId(1)));
    ledger.reserve(CallId(1), dollars(1));
    ledger.reserve(CallId(2), dollars(2));
    assert_eq!((ledger.next_call(), ledger.reserved_for(CallId(2))), (CallId(3), Some(dollars(2))));
    ledger.charge(CallId(1), 1, &summary(dollars(3), Cost::ZERO, false));
    assert!(!ledger.is_estimated());
    assert_eq!((ledger.spent(), ledger.tokens().total(), ledger.next_call()), (dollars(3), 3, CallId(3)));
    assert_eq!(ledger.reserved_for(CallId(1)), None);
    ledger.charge(CallId(2), 1, &summary(dollars(5), Cost::ZERO, true));
    assert_eq!((ledger.spent(), ledger.estimated()), (dollars(8), dollars(5)));
    assert_eq!(ledger.reservation(), dollars(4));
    ledger.charge(CallId(3), 1, &summary(Cost::ZERO, Cost::ZERO, false));
    assert_eq!(ledger.estimated(), dollars(5), "an estimate stays one");
    assert_eq!(ledger.tokens().total(), 9);
}

/// The list's price of so many millions of tokens at 4 dollars for each.
fn read(millions: u64) -> Listed {
    Listed::known(dollars(4 * millions))
}

fn charged(ledger: &Ledger, cost: Option<Cost>, bill: Bill) -> (Cost, bool) {
    let report = CallReport { cost, bill, ..report(crate::values::Class::Success) };
    let charge = ledger.charge_for(CallId(9), &report);
    (charge.cost, charge.estimated)
}

#[test]
fn what_a_call_named_while_it_worked_is_charged_at_least() {
    let mut ledger = Ledger::default();
    ledger.reserve(CallId(9), dollars(3));
    let rows = [
        // Reported, named, charged, estimated.
        (None, 0, dollars(3), true),
        (None, 2, dollars(3), true),
        (None, 4, dollars(4), true),
        (Some(dollars(4)), 4, dollars(4), false),
        (Some(dollars(1)), 4, dollars(4), true),
        (Some(dollars(5)), 4, dollars(5), false),
    ];
    for (reported, named, cost, estimated) in rows {
        let bill = Bill { named: dollars(named), ..Bill::default() };
        assert_eq!(charged(&ledger, reported, bill), (cost, estimated), "{reported:?} {named}");
    }
}

#[test]
fn a_call_is_charged_what_it_reported_where_that_can_be() {
    let ledger = Ledger::default();
    let whole = |millions| Bill { reported: read(millions), ..Bill::default() };
    let rows = [
        // Reported, listed, charged, estimated.
        (dollars(8), 2, dollars(8), false),
        (dollars(80), 2, dollars(80), false),
        (dollars(81), 2, dollars(81), true),
        (Cost::from_micros(800_000), 2, Cost::from_micros(800_000), false),
        (Cost::from_micros(799_999), 2, dollars(8), true),
        (Cost::ZERO, 2, dollars(8), true),
        (Cost::ZERO, 0, Cost::ZERO, false),
        (dollars(7), 0, dollars(7), false),
    ];
    for (reported, millions, cost, estimated) in rows {
        assert_eq!(
            charged(&ledger, Some(reported), whole(millions)),
            (cost, estimated),
            "{reported} {millions}"
        );
    }
    let beside = |known| Listed { cost: dollars(8), guessed: true, known };
    let unknown = |known| Bill { reported: beside(known), ..Bill::default() };
    for (reported, known, cost, estimated) in [
        (Cost::ZERO, Cost::ZERO, Cost::ZERO, false),
        (dollars(900), Cost::ZERO, dollars(900), false),
        // The other model's price is known: that of the listed one alone is more than was reported.
        (Cost::ZERO, dollars(5), dollars(8), true),
        (Cost::from_micros(499_999), dollars(5), dollars(8), true),
        (Cost::from_micros(500_000), dollars(5), Cost::from_micros(500_000), false),
        (dollars(900), dollars(5), dollars(900), false),
    ] {
        assert_eq!(charged(&ledger, Some(reported), unknown(known)), (cost, estimated), "{reported} {known}");
    }
    let doubted = |millions| Bill { doubted: true, ..whole(millions) };
    assert_eq!(charged(&ledger, Some(dollars(9)), doubted(2)), (dollars(9), true));
    assert_eq!(charged(&ledger, Some(dollars(7)), doubted(2)), (dollars(8), true));
}

#[test]
fn a_call_that_died_is_charged_what_it_used_and_at_least_what_was_set_aside() {
    let mut ledger = Ledger::default();
    ledger.reserve(CallId(9), dollars(3));
    let died = |millions| Bill { unreported: read(millions), ..Bill::default() };
    assert_eq!(charged(&ledger, None, died(0)), (dollars(3), true));
    assert_eq!(charged(&ledger, None, died(2)), (dollars(8), true));
    let first = Bill { reported: read(1), ..died(2) };
    assert_eq!(charged(&ledger, Some(dollars(5)), first), (dollars(13), true), "it went on after its result");
    // This run pays half of the list.
    ledger.charge(CallId(1), 1, &summary(dollars(2), dollars(4), false));
    assert_eq!(charged(&ledger, None, died(2)), (dollars(4), true));
    assert_eq!(charged(&ledger, None, died(1)), (dollars(3), true));
    assert_eq!(
        charged(&ledger, Some(Cost::ZERO), Bill { reported: read(2), ..Bill::default() }),
        (dollars(4), true)
    );
    // An estimate teaches nothing.
    ledger.charge(CallId(2), 1, &summary(dollars(50), dollars(4), true));
    assert_eq!(charged(&ledger, None, died(2)), (dollars(4), true));
}

#[test]
fn what_runs_pay_is_believed_within_bounds_and_only_where_the_list_has_a_price_for_it() {
    let died = Bill { unreported: read(2), ..Bill::default() };
    let after = |calls: &[(Cost, Cost)]| {
        let mut ledger = Ledger::default();
        for (number, (cost, listed)) in (1..).zip(calls) {
            ledger.charge(CallId(number), 1, &summary(*cost, *listed, false));
        }
        charged(&ledger, None, died).0
    };
    assert_eq!(after(&[]), dollars(8));
    assert_eq!(after(&[(Cost::ZERO, dollars(4))]), dollars(8), "one that was free shows no price");
    assert_eq!(
        after(&[(dollars(100), Cost::ZERO), (dollars(4), dollars(4))]),
        dollars(8),
        "nor one without tokens"
    );
    assert_eq!(after(&[(dollars(1), dollars(100))]), Cost::from_micros(800_000));
    assert_eq!(after(&[(dollars(100), dollars(1))]), dollars(80));
}

#[test]
fn what_a_lost_call_is_heard_to_have_cost_replaces_its_estimate_once() {
    let lost = CallSummary { ended: Ended::Lost, ..summary(dollars(5), Cost::ZERO, true) };
    let seen = CallSummary { ended: Ended::Exited(0), ..summary(dollars(5), Cost::ZERO, true) };
    let heard = |cost, tokens| CallReport {
        cost,
        tokens: Tokens { input: tokens, ..Tokens::default() },
        ..report(crate::values::Class::Success)
    };
    let mut ledger = Ledger::default();
    ledger.charge(CallId(1), 7, &summary(dollars(1), Cost::ZERO, false));
    ledger.charge(CallId(2), 7, &seen);
    ledger.charge(CallId(3), 8, &lost);
    let news = |ledger: &Ledger, call, cost, tokens| {
        ledger
            .recharge_for(CallId(call), &heard(cost, tokens))
            .map(|(charge, _)| (charge.cost, charge.estimated))
    };
    assert_eq!(news(&ledger, 1, Some(dollars(2)), 3), None, "it was never lost");
    assert_eq!(news(&ledger, 2, Some(dollars(2)), 3), None, "its end was seen");
    assert_eq!(news(&ledger, 9, Some(dollars(2)), 3), None, "nobody knows it");
    assert_eq!(news(&ledger, 3, None, 3), None, "it says nothing new");
    assert_eq!(news(&ledger, 3, Some(dollars(5)), 3), Some((dollars(5), false)), "what was guessed is known");
    assert_eq!(news(&ledger, 3, None, 4), Some((dollars(5), true)), "no less than before without a total");
    assert_eq!(news(&ledger, 3, Some(dollars(2)), 4), Some((dollars(2), false)));
    let charge = Charge { cost: dollars(2), estimated: false, listed: Cost::ZERO };
    let tokens = Tokens { input: 40, ..Tokens::default() };
    let replaced = ledger.recharge(CallId(3), charge, tokens).unwrap();
    assert_eq!((replaced.iteration, replaced.cost, replaced.tokens.total()), (8, dollars(5), 3));
    assert_eq!((ledger.spent(), ledger.estimated(), ledger.tokens().total()), (dollars(8), dollars(5), 46));
    assert_eq!(ledger.recharge(CallId(3), charge, tokens), None, "once");
    assert_eq!(news(&ledger, 3, Some(dollars(1)), 4), None);
    assert_eq!(ledger.next_call(), CallId(4), "it is no further call");
}

#[test]
fn what_of_a_charge_is_an_estimate_is_all_of_it_or_nothing() {
    let charge = |estimated| Charge { cost: dollars(2), estimated, listed: dollars(7) };
    assert_eq!([charge(true), charge(false)].map(|charge| charge.estimate()), [dollars(2), Cost::ZERO]);
}
