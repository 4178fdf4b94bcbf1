//! Three servers, some of which go away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use windlass_fleet::journal::{Appended, Journal, Sequence};
use windlass_fleet::leases::{LeaseKey, Leases, Renewed, Taken};
use windlass_fleet::names::Class;
use windlass_fleet::orders::{Published, Queue};
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, Fleet, FleetError};

use super::support::{cluster, fences, holder, order, run, settings_for, short, soon};

/// A cluster needs some seconds to have another leader, more on a busy machine.
fn patiently() -> Deadline {
    Deadline::after(Duration::from_secs(90))
}

const JOURNAL: &str = "windlass_night_journal";

/// Appends lines while something happens; at least so many, and on until it is over. Gives all lines, as they were written.
fn append_while(journal: &Journal, least: usize, over: &AtomicBool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = Sequence(0);
    while lines.len() < least || !over.load(Ordering::SeqCst) {
        let line = format!("line {}", lines.len());
        match journal.append(line.as_bytes(), at, patiently()).unwrap() {
            Appended::Written(sequence) => at = sequence,
            Appended::Refused { newest } => {
                panic!("nobody else writes, and the newest is {newest:?} after {at:?}")
            }
        }
        lines.push(line);
    }
    lines
}

fn read(journal: &Journal) -> Vec<String> {
    let mut lines = Vec::new();
    journal
        .read(Sequence(0), patiently(), |line| lines.push(String::from_utf8(line.bytes).unwrap()))
        .unwrap();
    lines
}

#[test]
fn a_leader_that_is_killed_while_a_journal_grows_costs_a_pause_and_no_line() {
    let (mut nats, fleet) = cluster();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let over = AtomicBool::new(false);
    let written = thread::scope(|scope| {
        let writing = scope.spawn(|| append_while(&journal, 50, &over));
        for _ in 0..3 {
            let leader = nats.leader_of(JOURNAL);
            nats.server(leader).kill();
            nats.leader_of(JOURNAL);
            nats.server(leader).start();
            nats.wait_until_ready();
        }
        over.store(true, Ordering::SeqCst);
        writing.join().unwrap()
    });
    assert_eq!(read(&journal), written);
}

#[test]
fn a_leader_that_is_frozen_while_a_journal_grows_costs_a_pause_and_no_line() {
    let (mut nats, fleet) = cluster();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let over = AtomicBool::new(false);
    let leader = nats.leader_of(JOURNAL);
    let written = thread::scope(|scope| {
        let writing = scope.spawn(|| append_while(&journal, 20, &over));
        nats.server(leader).freeze();
        let others: Vec<usize> = (0..3).filter(|server| *server != leader).collect();
        let elected = windlass_testkit::environment::wait_until(Duration::from_mins(1), || {
            let name = nats.server(others[0]).leader_of(JOURNAL);
            let old = nats.server(leader).name().to_owned();
            name.is_some_and(|name| !name.is_empty() && name != old)
        });
        assert!(elected, "no other leader");
        nats.server(leader).thaw();
        nats.wait_until_ready();
        over.store(true, Ordering::SeqCst);
        writing.join().unwrap()
    });
    assert_eq!(read(&journal), written);
}

#[test]
fn a_server_that_freezes_is_left_for_another_one() {
    let (mut nats, _) = cluster();
    // It is the only one whose address is known; the others it names itself.
    let only = vec![nats.urls().swap_remove(0)];
    let fleet = Fleet::connect(&settings_for(only, Role::Runner), soon()).unwrap();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let over = AtomicBool::new(true);
    let mut written = append_while(&journal, 3, &over);
    let end = journal.newest(soon()).unwrap();
    nats.server(0).freeze();
    assert!(matches!(journal.append(b"after", end, patiently()).unwrap(), Appended::Written(_)));
    written.push("after".to_owned());
    assert_eq!(read(&journal), written);
}

#[test]
fn all_servers_killed_and_back_have_all_that_they_acknowledged() {
    let (mut nats, fleet) = cluster();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let leases = Leases::of(&fleet);
    let queue = Queue::of(&fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    let key = "k".parse().unwrap();
    assert!(matches!(queue.publish(&any, &key, &order(1), fences(), soon()).unwrap(), Published::New(_)));
    let Taken::Won(mut held) = leases.take(&LeaseKey::Run(run()), None, &holder("r"), soon()).unwrap() else {
        panic!("lost")
    };
    let over = AtomicBool::new(true);
    let written = append_while(&journal, 100, &over);
    let end = journal.newest(soon()).unwrap();
    let mut followed = journal.follow(Sequence(0), soon()).unwrap();
    for line in &written[..50] {
        assert_eq!(followed.next(soon()).unwrap().unwrap().bytes, line.as_bytes());
    }
    for server in 0..3 {
        nats.server(server).kill();
    }
    let began = Instant::now();
    let error = journal.append(b"nowhere", end, short()).unwrap_err();
    assert!(matches!(error, FleetError::Unreachable { .. } | FleetError::TimedOut { .. }), "{error:?}");
    assert!(error.may_pass() && began.elapsed() < Duration::from_secs(10));

    for server in 0..3 {
        nats.server(server).start();
    }
    nats.wait_until_ready();
    assert_eq!(read(&journal)[..100], written);
    assert_eq!(leases.renew(&mut held, patiently()).unwrap(), Renewed::Kept);
    // The very line that was not acknowledged: it is there once, whether it had come through or not.
    assert!(matches!(journal.append(b"nowhere", end, patiently()).unwrap(), Appended::Written(_)));
    assert_eq!(read(&journal).len(), 101);
    let rest = std::iter::from_fn(|| followed.next(patiently()).unwrap()).take(51);
    let rest: Vec<String> = rest.map(|line| String::from_utf8(line.bytes).unwrap()).collect();
    assert_eq!((&rest[..50], rest[50].as_str()), (&written[50..], "nowhere"));
    let taken = queue.take(&any, Duration::from_mins(1)).unwrap().unwrap();
    assert_eq!(taken.errand, order(1));
    taken.acknowledge(patiently()).unwrap();
}

#[test]
fn two_of_three_gone_is_an_error_within_the_deadline_and_passes() {
    let (mut nats, fleet) = cluster();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let over = AtomicBool::new(true);
    let mut written = append_while(&journal, 5, &over);
    let end = journal.newest(soon()).unwrap();
    let gone = [nats.leader_of(JOURNAL), (nats.leader_of(JOURNAL) + 1) % 3];
    for server in gone {
        nats.server(server).kill();
    }
    let began = Instant::now();
    let error = journal.append(b"one more", end, Deadline::after(Duration::from_secs(5))).unwrap_err();
    assert!(error.may_pass() && began.elapsed() < Duration::from_secs(20), "{error:?}");
    let copy = fleet.clone();
    let waiting = thread::spawn(move || Journal::of(&copy, &run()).unwrap().newest(patiently()));
    for server in gone {
        nats.server(server).start();
    }
    nats.wait_until_ready();
    assert!(waiting.join().unwrap().unwrap() >= end);
    assert!(matches!(journal.append(b"one more", end, patiently()).unwrap(), Appended::Written(_)));
    written.push("one more".to_owned());
    assert_eq!(read(&journal), written);
}

#[test]
fn while_a_leader_goes_away_of_two_takers_exactly_one_wins_each_lease() {
    let (mut nats, fleet) = cluster();
    let leader = nats.leader_of("KV_windlass_night_leases");
    let rounds = 40;
    let take = |name: &str| -> Vec<u16> {
        let leases = Leases::of(&fleet);
        let won = |lane: &u16| {
            let key = LeaseKey::Lane(run(), windlass_core::values::LaneId(*lane));
            matches!(leases.take(&key, None, &holder(name), patiently()).unwrap(), Taken::Won(_))
        };
        (0..rounds).filter(won).collect()
    };
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(|| take("one"));
        let other = scope.spawn(|| take("other"));
        nats.server(leader).kill();
        (one.join().unwrap(), other.join().unwrap())
    });
    let mut all: Vec<u16> = one.into_iter().chain(other).collect();
    all.sort_unstable();
    assert_eq!(all, (0..rounds).collect::<Vec<u16>>());
}
