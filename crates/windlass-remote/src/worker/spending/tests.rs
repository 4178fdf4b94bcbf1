use windlass_core::values::{Bill, Listed};

use super::*;

fn minutes(count: u64) -> Duration {
    Duration::from_mins(count)
}

/// Before a worker began.
fn ago(count: u64) -> Duration {
    BEGINNING.saturating_sub(minutes(count))
}

fn dollars(count: f64) -> Cost {
    Cost::from_dollars(count)
}

fn call(number: u32) -> Call {
    (RunId("r-00000001".to_owned()), CallId(number))
}

fn costs(cost: f64) -> CallReport {
    CallReport { cost: Some(dollars(cost)), ..CallReport::default() }
}

fn clock(minute: i8) -> Timestamp {
    format!("2026-03-02T03:{minute:02}:00Z").parse().unwrap()
}

#[test]
fn an_hour_is_what_counts() {
    let most = Some(dollars(2.0));
    let mut spending = Spending::default();
    assert_eq!(spending.room(minutes(0), most, 0), Room::Free);
    spending.end(minutes(0), &call(1), &costs(1.5));
    assert_eq!(spending.room(minutes(10), most, 0), Room::Free);
    spending.end(minutes(30), &call(2), &costs(0.5));
    assert_eq!(spending.room(minutes(59), most, 0), Room::Spent);
    assert_eq!(spending.room(minutes(59), None, 0), Room::Free);
    assert_eq!(spending.room(minutes(60), most, 0), Room::Free, "the first is an hour old");
    assert_eq!(
        spending.room(minutes(60), Some(Cost::ZERO), 0),
        Room::Spent,
        "a limit of nothing takes nothing"
    );
}

#[test]
fn what_is_at_work_has_its_money_set_aside() {
    for (most, spent, lanes, calls, room) in [
        (1.0, &[][..], 0, 0, Room::Free),
        // Of a lane whose call has not begun, and of one whose call has.
        (1.0, &[], 1, 0, Room::Free),
        (1.0, &[], 1, 1, Room::Free),
        (1.0, &[], 2, 1, Room::SetAside),
        (1.0, &[], 2, 2, Room::SetAside),
        (0.1, &[], 0, 0, Room::Free),
        (0.1, &[], 1, 0, Room::SetAside),
        // What calls have cost says what the next will.
        (9.0, &[2.0, 2.0], 1, 1, Room::Free),
        (9.0, &[2.0, 2.0], 2, 1, Room::SetAside),
        (9.0, &[4.0, 4.0], 0, 0, Room::Free),
        (9.0, &[5.0, 4.0], 0, 0, Room::Spent),
        // Its lane is lost; what it costs is not known yet.
        (1.0, &[], 0, 2, Room::SetAside),
    ] {
        let mut spending = Spending::default();
        for cost in spent {
            spending.end(minutes(1), &call(9), &costs(*cost));
        }
        for number in 0..calls {
            spending.begin(call(number));
        }
        let found = spending.room(minutes(2), Some(dollars(most)), lanes);
        assert_eq!(found, room, "{most} {spent:?} {lanes} {calls}");
    }
}

#[test]
fn a_call_that_says_nothing_of_its_cost_costs_what_was_set_aside_or_what_its_tokens_do() {
    let said = |cost: Option<f64>, listed| {
        let unreported = Listed { cost: dollars(listed), ..Listed::default() };
        CallReport {
            cost: cost.map(dollars),
            bill: Bill { unreported, ..Bill::default() },
            ..CallReport::default()
        }
    };
    for (report, cost) in [
        (said(Some(0.02), 0.0), 0.02),
        (said(None, 0.0), 0.5),
        (said(None, 0.2), 0.5),
        (said(None, 3.0), 3.0),
    ]
    .map(|(report, cost)| (report, dollars(cost)))
    {
        let mut spending = Spending::default();
        spending.begin(call(1));
        spending.end(minutes(1), &call(1), &report);
        assert_eq!(spending.spent, [(minutes(1), cost)]);
        assert!(spending.under_way.is_empty());
    }
}

#[test]
fn what_nobody_hears_the_end_of_is_spent() {
    let mut spending = Spending::default();
    spending.begin(call(1));
    let other = (RunId("r-00000002".to_owned()), CallId(1));
    spending.begin(other.clone());
    spending.lose(minutes(7), |run| *run == call(1).0);
    assert_eq!(spending.spent, [(minutes(7), LEAST_RESERVATION)]);
    assert_eq!(spending.under_way.keys().collect::<Vec<_>>(), [&other]);
}

#[test]
fn whoever_starts_again_knows_what_was_spent_within_the_hour() {
    let mut spending = Spending::default();
    let now = BEGINNING + minutes(40);
    spending.end(BEGINNING + minutes(10), &call(1), &costs(1.5));
    spending.end(now, &call(2), &costs(0.1));
    spending.begin(call(3));
    let kept = |clock_then| spending.kept(now, clock(clock_then));
    assert_eq!(kept(40).spent[0], KeptCost { at: clock(10), cost_usd: dollars(1.5) });
    let found = |then: i8, later: i8| Spending::found(kept(then), clock(later));
    let lost = (BEGINNING, dollars(0.8));
    // At once, half an hour later, and where the clock was set back.
    let all = |first: u64, second: u64| vec![(ago(second), dollars(0.1)), (ago(first), dollars(1.5)), lost];
    let sorted = |mut all: Vec<(Duration, Cost)>| {
        all.sort_unstable();
        all
    };
    assert_eq!(found(40, 40).spent, sorted(all(30, 0)));
    assert_eq!(found(40, 55).spent, sorted(all(45, 15)));
    assert_eq!(found(40, 0).spent, sorted(all(0, 0)));
    let (mut at_once, mut late) = (found(40, 40), found(20, 55));
    assert_eq!(at_once.room(BEGINNING, Some(dollars(2.4)), 0), Room::Spent);
    assert_eq!(late.spent, [(ago(35), dollars(0.1)), lost], "the first is an hour old");
    assert_eq!(late.room(BEGINNING, Some(dollars(2.4)), 0), Room::Free);
    assert!(at_once.under_way.is_empty());
}
