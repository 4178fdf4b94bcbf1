//! Letters and signals, on one server.

use std::thread;
use std::time::Duration;

use windlass_core::values::LaneId;
use windlass_fleet::leases::{LeaseEpoch, LeaseKey, Leases};
use windlass_fleet::names::WorkerName;
use windlass_fleet::orders::{Answer, Delivered, Fences, LARGEST_ORDER, Letters};
use windlass_fleet::settings::Role;
use windlass_fleet::signals::{LONGEST_TEXT, Signal, Signals};
use windlass_fleet::{Deadline, FleetError};

use super::raw::Raw;
use super::support::{connect, fences, night, order, report, run, short, soon};

fn worker() -> WorkerName {
    "Host-1".parse().unwrap()
}

#[test]
fn an_order_reaches_the_holder_and_its_answer_comes_back() {
    let (nats, fleet) = night();
    let letters = Letters::of(&fleet);
    assert_eq!(letters.order(&worker(), &order(5), fences(), soon()).unwrap(), Delivered::Nobody);

    let there = Letters::of(&connect(&nats, Role::Worker));
    let mut mailbox = there.mailbox_of_worker(&worker(), soon()).unwrap();
    let sent = Fences { lane: Some(LeaseEpoch(23)), ..fences() };
    let reason = "its epoch is 22\nand not 23".to_owned();
    thread::scope(|scope| {
        let sending = scope.spawn(|| letters.order(&worker(), &order(5), sent, soon()).unwrap());
        let letter = mailbox.next(soon()).unwrap().unwrap();
        assert_eq!((letter.content.clone(), letter.fences), (order(5), sent));
        letter.answer(&Answer::Refused { reason: reason.clone() }).unwrap();
        let said = Answer::Refused { reason: "its epoch is 22 and not 23".to_owned() };
        assert_eq!(sending.join().unwrap(), Delivered::Answered(said));
    });
    assert!(mailbox.next(short()).unwrap().is_none());
    drop(mailbox);
    assert_eq!(letters.order(&worker(), &order(5), fences(), soon()).unwrap(), Delivered::Nobody);
}

#[test]
fn a_report_reaches_the_runner_and_one_that_is_not_answered_is_an_error() {
    let (nats, fleet) = night();
    let mut mailbox = Letters::of(&fleet).mailbox_of_run(&run(), soon()).unwrap();
    let there = Letters::of(&connect(&nats, Role::Worker));
    let error = there.report(&run(), &report("ready"), fences(), short()).unwrap_err();
    assert!(matches!(error, FleetError::TimedOut { .. }), "{error:?}");
    let first = mailbox.next(soon()).unwrap().unwrap();
    assert_eq!(first.content, report("ready"));
    // Nobody waits any more.
    first.answer(&Answer::Accepted).unwrap();

    thread::scope(|scope| {
        let sending = scope.spawn(|| there.report(&run(), &report("done"), fences(), soon()).unwrap());
        // What was sent again and again before it was given up is still there.
        let letter = std::iter::from_fn(|| mailbox.next(soon()).unwrap())
            .find(|letter| letter.content == report("done"))
            .unwrap();
        letter.answer(&Answer::Accepted).unwrap();
        assert_eq!(sending.join().unwrap(), Delivered::Answered(Answer::Accepted));
    });
}

// attack(fleet): orders and reports are garbage
// holds: they are refused and answered so
#[test]
fn a_letter_that_is_none_is_an_error_and_refused() {
    let (nats, fleet) = night();
    let letters = Letters::of(&fleet);
    let mut mailbox = letters.mailbox_of_worker(&worker(), soon()).unwrap();
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let subject = "windlass.night.worker.Host-1.orders";
    let fence = "Windlass-Runner-Epoch: 3";
    let huge = vec![b' '; LARGEST_ORDER + 1];
    for payload in [&b"{}"[..], b"\xff", &huge] {
        assert!(raw.publish_with(subject, None, fence, payload));
        let error = mailbox.next(soon()).unwrap_err();
        assert!(matches!(error, FleetError::Garbled { .. }), "{error:?}");
    }
    // With somebody who waits, it is said to them.
    let sound = serde_json::to_vec(&order(1)).unwrap();
    assert!(raw.publish_with(subject, None, "X: y", &sound));
    assert!(mailbox.next(soon()).is_err());
    assert!(raw.publish_with(subject, None, fence, &sound));
    assert_eq!(mailbox.next(soon()).unwrap().unwrap().content, order(1));
}

#[test]
fn signals_reach_whoever_listens_and_garbage_is_an_error() {
    let (nats, fleet) = night();
    let signals = Signals::of(&fleet);
    let there = Signals::of(&connect(&nats, Role::Worker));
    let mut cancels = there.hear_cancel(&run(), soon()).unwrap();
    let mut drains = there.hear_drain(&worker(), soon()).unwrap();
    let mut live = signals.hear_live(&run(), soon()).unwrap();

    signals.cancel(&run(), fences(), soon()).unwrap();
    assert_eq!(cancels.next(soon()).unwrap(), Some(Signal::Cancel(fences())));
    signals.drain(&worker(), soon()).unwrap();
    assert_eq!(drains.next(soon()).unwrap(), Some(Signal::Drain));
    let text = "ä".repeat(LONGEST_TEXT);
    there.live(&run(), LaneId(3), &text).unwrap();
    let cut = text[..LONGEST_TEXT].to_owned();
    assert_eq!(live.next(soon()).unwrap(), Some(Signal::Live { lane: LaneId(3), text: cut }));

    let mut raw = Raw::connect(&nats.urls()[0], None);
    assert!(raw.publish("windlass.night.run.r-00000001.live.99999", b"text"));
    assert!(raw.publish("windlass.night.run.r-00000001.live.1", &vec![b'x'; LONGEST_TEXT + 1]));
    assert!(raw.publish("windlass.night.run.r-00000001.live.2", b"\xff"));
    assert!(live.next(soon()).is_err() && live.next(soon()).is_err());
    let replaced = Signal::Live { lane: LaneId(2), text: "\u{fffd}".to_owned() };
    assert_eq!(live.next(soon()).unwrap(), Some(replaced));
    assert!(raw.publish("windlass.night.run.r-00000001.cancel", b""));
    assert!(cancels.next(soon()).is_err());
    assert_eq!(cancels.next(Deadline::after(Duration::ZERO)).unwrap(), None);
}

#[test]
fn what_an_agent_says_is_lost_without_servers_and_nothing_waits_for_them() {
    let (mut nats, fleet) = night();
    let signals = Signals::of(&fleet);
    signals.live(&run(), LaneId(3), "while they are there").unwrap();
    nats.server(0).kill();
    Leases::of(&fleet).look(&LeaseKey::Run(run()), short()).unwrap_err();
    // More than any queue holds: whoever waited here would stop an agent.
    let lost = (0..10_000).filter(|_| signals.live(&run(), LaneId(3), "while they are away").is_err());
    assert_eq!(lost.count(), 10_000);
}
