use crate::fleet::leases::{Holder, Revision, Tenure};
use crate::report::{self, LaneLost, Report};
use crate::run::{OrderContext, TurnKey, WireVersion};
use crate::values::{RunId, TaskId};
use proptest::prelude::*;

use super::*;

const LANE: LaneId = LaneId(1);

fn own() -> WorkerName {
    "runner-1".parse().unwrap()
}

fn turn() -> TurnKey {
    TurnKey { iteration: 1, attempt: 1 }
}

fn order(epoch: u64, effect: Effect) -> Order {
    let run = RunId("r-00000001".to_owned());
    Order { version: WireVersion, run, epoch: Epoch(epoch), effect, context: OrderContext::default() }
}

fn open(epoch: u64) -> Order {
    order(epoch, Effect::Open { lane: LANE, turn: turn() })
}

fn keep(epoch: u64) -> Order {
    order(epoch, Effect::Keep { lane: LANE, turn: turn() })
}

fn lease(epoch: u64, worker: Option<&str>) -> Lease {
    let holder = worker.map(|name| Holder::of(name.parse().unwrap()));
    let tenure = holder.map_or(Tenure::Free, Tenure::Held);
    Lease { revision: Revision(epoch), epoch: LeaseEpoch(epoch), tenure }
}

/// A lane that this worker took with order 1.
fn held(worker: &str) -> Placements {
    let mut placements = Placements::default();
    placements.ordered(LANE, &open(1));
    assert_eq!(placements.route(LANE, &open(1)), Route::Offer);
    placements.offered(LANE, Epoch(1));
    assert_eq!(placements.route(LANE, &open(1)), Route::Wait);
    assert_eq!(placements.saw(LANE, Some(&lease(7, Some(worker))), &own()), Seen::Taken);
    placements
}

fn opened(epoch: u64) -> Reported {
    let prepared = report::Prepared { lane: LANE };
    Reported::of(Epoch(epoch), prepared)
}

#[test]
fn whoever_has_taken_a_lane_is_sent_the_newest_order_whichever_it_took() {
    let mut placements = held("a");
    let Route::Send(tenant) = placements.route(LANE, &open(1)) else { panic!("not sent") };
    assert_eq!((tenant.worker.as_str(), tenant.epoch), ("a", LeaseEpoch(7)));
    placements.ordered(LANE, &keep(2));
    assert!(matches!(placements.route(LANE, &keep(2)), Route::Send(_)));
    assert_eq!(placements.route(LANE, &open(1)), Route::Nowhere, "an older one is nobody's");
}

#[test]
fn a_lane_that_is_lost_gives_its_order_back_once_and_the_next_one_is_lost_too() {
    let mut placements = held("a");
    placements.ordered(LANE, &keep(2));
    let Seen::Lost(loss) = placements.saw(LANE, Some(&lease(9, Some("b"))), &own()) else {
        panic!("not lost")
    };
    assert_eq!((loss.worker.as_str(), loss.outstanding), ("a", Some(keep(2))));
    assert_eq!(placements.route(LANE, &keep(2)), Route::Nowhere);
    placements.ordered(LANE, &keep(3));
    assert_eq!(placements.route(LANE, &keep(3)), Route::Lost);
    assert_eq!(placements.give_up(LANE, Epoch(3)), Some(keep(3)));
    placements.ordered(LANE, &open(4));
    assert_eq!(placements.route(LANE, &open(4)), Route::Offer);
}

#[test]
fn a_lane_whose_task_is_over_is_given_back_without_having_been_lost() {
    let mut placements = held("a");
    let end = TaskEnd::Done;
    let task = TaskId("T1".to_owned());
    let close =
        order(2, Effect::CloseTask { lane: LANE, turn: turn(), task, end, since: None, attempts: vec![] });
    placements.ordered(LANE, &close);
    placements.leaves(LANE);
    assert!(matches!(placements.route(LANE, &close), Route::Send(_)));
    placements.ordered(LANE, &open(3));
    assert_eq!(placements.route(LANE, &open(3)), Route::Wait, "until its lease is free");
    assert_eq!(placements.saw(LANE, Some(&lease(8, None)), &own()), Seen::Same);
    assert_eq!(placements.route(LANE, &open(3)), Route::Offer);
}

#[test]
fn a_lane_that_its_worker_has_not_got_is_offered_once_its_lease_is_free_and_not_before() {
    let mut placements = held("a");
    placements.refused(LANE, LeaseEpoch(6));
    assert!(matches!(placements.route(LANE, &open(1)), Route::Send(_)), "that was another lease");
    placements.refused(LANE, LeaseEpoch(7));
    assert_eq!(placements.route(LANE, &open(1)), Route::Wait);
    assert_eq!(placements.saw(LANE, Some(&lease(7, Some("a"))), &own()), Seen::Same);
    assert_eq!(placements.route(LANE, &open(1)), Route::Wait, "whoever took it would throw it away");
    let loss = placements.lose(LANE, "is silent").unwrap();
    assert_eq!(loss.outstanding, None, "nothing was begun");
    assert_eq!(placements.route(LANE, &open(1)), Route::Offer);
}

#[test]
fn what_was_ordered_of_a_worker_that_was_started_anew_is_lost_with_its_lease() {
    let mut placements = held("a");
    placements.ordered(LANE, &keep(2));
    placements.refused(LANE, LeaseEpoch(7));
    assert_eq!(placements.route(LANE, &keep(2)), Route::Wait);
    assert_eq!(placements.lose(LANE, "is silent").unwrap().outstanding, Some(keep(2)));
}

#[test]
fn an_outcome_counts_once_and_only_of_the_holder() {
    let mut placements = held("a");
    assert_eq!(placements.hearing(LANE, LeaseEpoch(7), 1), Hearing::New);
    assert_eq!(placements.heard(LANE, LeaseEpoch(7), 1, &[opened(1)]), Hearing::New);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(7), 1), Hearing::Again);
    // The same, which came once more while the first was brought.
    assert_eq!(placements.heard(LANE, LeaseEpoch(7), 1, &[opened(1)]), Hearing::Again);
    assert_eq!(placements.heard(LANE, LeaseEpoch(6), 2, &[opened(1)]), Hearing::Late);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(6), 2), Hearing::Late);
    assert_eq!(placements.outstanding(LANE), None);
    assert_eq!(placements.hearing(LaneId(9), LeaseEpoch(7), 1), Hearing::Late);
}

#[test]
fn a_lease_that_was_given_back_begins_nothing_anew() {
    let mut placements = held("a");
    assert_eq!(placements.heard(LANE, LeaseEpoch(7), 3, &[opened(1)]), Hearing::New);
    placements.left(LANE, LeaseEpoch(7));
    placements.ordered(LANE, &open(5));
    assert_eq!(placements.route(LANE, &open(5)), Route::Offer);
    // Its return did not arrive.
    assert_eq!(placements.saw(LANE, Some(&lease(7, Some("a"))), &own()), Seen::Same);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(7), 3), Hearing::Again, "it comes once more");
    assert_eq!(placements.route(LANE, &open(5)), Route::Wait, "until that lease is stale");
    assert_eq!(placements.lose(LANE, "is silent").unwrap().outstanding, None);
    assert_eq!(placements.route(LANE, &open(5)), Route::Offer);
    assert_eq!(placements.saw(LANE, Some(&lease(9, Some("a"))), &own()), Seen::Taken);
}

#[test]
fn whoever_takes_a_lane_while_its_old_lease_still_seems_to_be_there_is_heard() {
    let mut placements = held("a");
    placements.given_up(LANE, LeaseEpoch(7), "cannot").unwrap();
    placements.ordered(LANE, &open(2));
    placements.offered(LANE, Epoch(2));
    // Its lease is given back, and that has not arrived when it is looked at.
    assert_eq!(placements.saw(LANE, Some(&lease(7, Some("a"))), &own()), Seen::Same);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(9), 1), Hearing::Late);
    assert_eq!(placements.saw(LANE, Some(&lease(9, Some("b"))), &own()), Seen::Taken);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(9), 1), Hearing::New);
}

#[test]
fn what_is_left_of_a_task_closes_it_whether_it_was_asked_for_or_will_be() {
    let parks = |epoch| {
        let (task, end) = (TaskId("T1".to_owned()), TaskEnd::Parked { reason: "it failed".to_owned() });
        let (since, attempts) = (None, Vec::new());
        order(epoch, Effect::CloseTask { lane: LANE, turn: turn(), task, end, since, attempts })
    };
    let mut placements = held("a");
    placements.ordered(LANE, &parks(2));
    assert_eq!(placements.left_behind(LANE), Some(parks(2)));
    assert_eq!(placements.left_behind(LANE), None);
    // The one who asked for it died: to this runner it comes unasked.
    let mut placements = held("a");
    assert_eq!(placements.left_behind(LANE), None);
    placements.ordered(LANE, &parks(3));
    assert_eq!(placements.route(LANE, &parks(3)), Route::Lost, "nobody is asked again");
}

#[test]
fn a_worker_is_told_that_its_task_is_over_also_when_the_next_one_is_ordered() {
    let mut placements = held("a");
    let (end, task) = (TaskEnd::Done, TaskId("T1".to_owned()));
    let close =
        order(4, Effect::CloseTask { lane: LANE, turn: turn(), task, end, since: None, attempts: vec![] });
    placements.ordered(LANE, &close);
    placements.leaves(LANE);
    // The letter did not arrive, and the task is closed here meanwhile.
    placements.ordered(LANE, &open(5));
    assert!(matches!(placements.route(LANE, &close), Route::Send(_)));
    assert_eq!(placements.route(LANE, &open(5)), Route::Wait);
    placements.left(LANE, LeaseEpoch(7));
    assert_eq!(placements.route(LANE, &close), Route::Nowhere);
    assert_eq!(placements.route(LANE, &open(5)), Route::Offer);
}

#[test]
fn who_takes_a_lane_for_which_nothing_is_ordered_is_to_hear_so() {
    let mut placements = held("a");
    assert_eq!(placements.heard(LANE, LeaseEpoch(7), 1, &[opened(1)]), Hearing::New);
    placements.left(LANE, LeaseEpoch(7));
    // The same order was in the queue once more.
    assert_eq!(placements.saw(LANE, Some(&lease(9, Some("b"))), &own()), Seen::Stray);
    assert_eq!(placements.hearing(LANE, LeaseEpoch(9), 1), Hearing::Late);
    placements.ordered(LANE, &open(5));
    assert_eq!(placements.route(LANE, &open(5)), Route::Offer);
    // A runner that begins takes workers as it finds them.
    let mut resumed = Placements::default();
    resumed.found(LANE, Some(&lease(9, Some("b"))), &own());
    assert_eq!(resumed.hearing(LANE, LeaseEpoch(9), 1), Hearing::New);
    resumed.found(LaneId(2), Some(&lease(9, Some("runner-1"))), &own());
    assert!(resumed.tenant(LaneId(2)).is_none());
}

#[test]
fn a_lane_is_given_up_by_whoever_has_it_and_by_nobody_before() {
    let mut placements = held("a");
    assert_eq!(placements.given_up(LANE, LeaseEpoch(6), "is full"), None);
    assert!(placements.given_up(LANE, LeaseEpoch(7), "is full").is_some());
    assert_eq!(placements.given_up(LANE, LeaseEpoch(7), "is full"), None, "it comes again");
}

#[test]
fn what_is_said_on_the_way_answers_nothing() {
    let spawned = report::CallSpawned { lane: LANE, call: crate::values::CallId(1), pid: 1 };
    assert!(!is_answer(&spawned.into()));
    assert!(!is_answer(&Report::notice("x")));
    assert!(is_answer(&LaneLost::removed(LANE).into()));
}

/// What can happen to a lane.
#[derive(Clone, Debug)]
enum Step {
    Ordered { opens: bool },
    Offered,
    Saw(Option<&'static str>),
    Lost,
    Leaves,
    Heard,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        any::<bool>().prop_map(|opens| Step::Ordered { opens }),
        Just(Step::Offered),
        prop_oneof![Just(None), Just(Some("a")), Just(Some("b"))].prop_map(Step::Saw),
        Just(Step::Lost),
        Just(Step::Leaves),
        Just(Step::Heard),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    /// However leases change and orders follow: an order comes back at most once, and never after it was answered; one that is
    /// outstanding has a way that it can go; and only the holder that is known is heard.
    #[test]
    fn no_order_is_lost_twice_or_stuck(steps in steps()) {
        let mut placements = Placements::default();
        let (mut epoch, mut revision, mut number) = (0, 0, 0);
        let mut given: Vec<Epoch> = Vec::new();
        let mut back: Vec<Epoch> = Vec::new();
        let mut answered: Vec<Epoch> = Vec::new();
        for step in steps {
            match step {
                Step::Ordered { opens } => {
                    epoch += 1;
                    let order = if opens { open(epoch) } else { keep(epoch) };
                    placements.ordered(LANE, &order);
                    given.push(order.epoch);
                    prop_assert!(placements.route(LANE, &order) != Route::Nowhere);
                }
                Step::Offered => {
                    if let Some(order) = placements.outstanding(LANE).cloned()
                        && placements.route(LANE, &order) == Route::Offer
                    {
                        placements.offered(LANE, order.epoch);
                        prop_assert_eq!(placements.route(LANE, &order), Route::Wait);
                    }
                }
                Step::Saw(worker) => {
                    revision += 1;
                    if let Seen::Lost(loss) = placements.saw(LANE, Some(&lease(revision, worker)), &own()) {
                        back.extend(loss.outstanding.map(|order| order.epoch));
                    }
                }
                Step::Lost => {
                    let loss = placements.lose(LANE, "is gone");
                    back.extend(loss.and_then(|loss| loss.outstanding).map(|order| order.epoch));
                }
                Step::Leaves => placements.leaves(LANE),
                Step::Heard => {
                    number += 1;
                    if let Some(tenant) = placements.tenant(LANE).cloned() {
                        prop_assert_eq!(placements.hearing(LANE, tenant.epoch, number), Hearing::New);
                        let of = placements.outstanding(LANE).map(|order| order.epoch);
                        placements.heard(LANE, tenant.epoch, number, &of.map(|epoch| opened(epoch.0)).into_iter().collect::<Vec<_>>());
                        prop_assert_eq!(placements.hearing(LANE, tenant.epoch, number), Hearing::Again);
                        answered.extend(of);
                    }
                }
            }
        }
        let mut once = back.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), back.len());
        prop_assert!(back.iter().all(|epoch| given.contains(epoch) && !answered.contains(epoch)));
    }
}
