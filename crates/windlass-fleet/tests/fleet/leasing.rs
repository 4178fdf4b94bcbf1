//! Leases on one server.

use std::collections::BTreeSet;
use std::thread;

use windlass_core::values::LaneId;
use windlass_fleet::leases::{Lease, LeaseKey, Leases, Renewed, Taken, Tenure};
use windlass_fleet::settings::Role;

use super::raw::Raw;
use super::support::{connect, holder, night, run, soon};

fn won(taken: Taken) -> windlass_fleet::leases::Held {
    match taken {
        Taken::Won(held) => held,
        Taken::Lost(lease) => panic!("lost to {lease:?}"),
    }
}

#[test]
fn a_lease_is_taken_renewed_given_back_and_taken_again_under_a_higher_epoch() {
    let (_nats, fleet) = night();
    let leases = Leases::of(&fleet);
    let key = LeaseKey::Lane(run(), LaneId(3));
    assert_eq!(leases.look(&key, soon()).unwrap(), None);
    let mut held = won(leases.take(&key, None, &holder("one"), soon()).unwrap());
    let first = leases.look(&key, soon()).unwrap().unwrap();
    assert_eq!((first.epoch, first.tenure.clone()), (held.epoch(), Tenure::Held(holder("one"))));

    assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
    assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
    let renewed = leases.look(&key, soon()).unwrap().unwrap();
    assert!(renewed.revision > first.revision && renewed.epoch == first.epoch);

    assert_eq!(leases.release(held.clone(), soon()).unwrap(), Renewed::Kept);
    let free = leases.look(&key, soon()).unwrap().unwrap();
    assert_eq!((free.tenure.clone(), free.epoch), (Tenure::Free, first.epoch));
    let next = won(leases.take(&key, Some(&free), &holder("two"), soon()).unwrap());
    assert!(next.epoch() > held.epoch());
}

#[test]
fn whoever_was_taken_over_from_is_told_at_the_next_renewal() {
    let (nats, fleet) = night();
    let leases = Leases::of(&fleet);
    let key = LeaseKey::Run(run());
    let mut old = won(leases.take(&key, None, &holder("old"), soon()).unwrap());
    let seen = leases.look(&key, soon()).unwrap();
    let others = Leases::of(&connect(&nats, Role::Runner));
    let new = won(others.take(&key, seen.as_ref(), &holder("new"), soon()).unwrap());
    let gone = Renewed::Gone(leases.look(&key, soon()).unwrap());
    assert_eq!(leases.renew(&mut old, soon()).unwrap(), gone);
    assert_eq!(leases.release(old, soon()).unwrap(), gone);
    assert!(matches!(gone, Renewed::Gone(Some(Lease { epoch, .. })) if epoch == new.epoch()));
    // What was seen long ago wins nothing.
    assert!(matches!(
        leases.take(&key, seen.as_ref(), &holder("late"), soon()).unwrap(),
        Taken::Lost(Some(_))
    ));
    assert!(matches!(leases.take(&key, None, &holder("late"), soon()).unwrap(), Taken::Lost(Some(_))));
}

#[test]
fn of_two_takers_exactly_one_wins() {
    let (nats, fleet) = night();
    let takers: Vec<Leases> = (0..2).map(|_| Leases::of(&connect(&nats, Role::Worker))).collect();
    let mut winners = BTreeSet::new();
    for lane in 0..50 {
        let key = LeaseKey::Lane(run(), LaneId(lane));
        let take = |(number, leases): (usize, &Leases)| {
            let taken = leases.take(&key, None, &holder(&format!("w{number}")), soon()).unwrap();
            matches!(taken, Taken::Won(_)).then_some(number)
        };
        let won: Vec<usize> = thread::scope(|scope| {
            let threads: Vec<_> =
                takers.iter().enumerate().map(|taker| scope.spawn(move || take(taker))).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1, "lane {lane}");
        let lease = Leases::of(&fleet).look(&key, soon()).unwrap().unwrap();
        assert_eq!(lease.tenure, Tenure::Held(holder(&format!("w{}", won[0]))));
        winners.extend(won);
    }
    assert_eq!(winners.len(), 2, "one of them was always first: that was no race");
}

#[test]
fn all_leases_are_listed_and_what_is_none_is_left_out() {
    let (nats, fleet) = night();
    let leases = Leases::of(&fleet);
    let keys =
        [LeaseKey::Lane(run(), LaneId(0)), LeaseKey::Run(run()), LeaseKey::Worker("w1".parse().unwrap())];
    for key in &keys {
        won(leases.take(key, None, &holder("w1"), soon()).unwrap());
    }
    let mut raw = Raw::connect(&nats.urls()[0], None);
    assert!(raw.publish("$KV.windlass_night_leases.lane.r-00000001.007", b"{}"));
    assert!(raw.publish("$KV.windlass_night_leases.what.ever", b"{}"));
    let listed = leases.all(soon()).unwrap();
    assert_eq!(listed.iter().map(|(key, _)| key.clone()).collect::<BTreeSet<_>>(), BTreeSet::from(keys));
}

#[test]
fn a_value_that_is_none_ends_a_lease_and_is_no_free_one() {
    let (nats, fleet) = night();
    let leases = Leases::of(&fleet);
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let garbage: [&[u8]; 6] = [
        b"not json",
        b"{}",
        br#"{"v":2,"nonce":"x","beat":0}"#,
        br#"{"v":1,"nonce":"x","beat":0,"epoch":1000000}"#,
        b"\xff\xfe",
        b"",
    ];
    for (lane, value) in garbage.iter().enumerate() {
        let key = LeaseKey::Lane(run(), LaneId(u16::try_from(lane).unwrap()));
        let mut held = won(leases.take(&key, None, &holder("old"), soon()).unwrap());
        assert!(raw.publish(&format!("$KV.windlass_night_leases.lane.r-00000001.{lane}"), value));
        let seen = leases.look(&key, soon()).unwrap().unwrap();
        assert_eq!((seen.tenure.clone(), seen.epoch.0), (Tenure::Unknown, seen.revision.0));
        assert!(matches!(leases.take(&key, None, &holder("early"), soon()).unwrap(), Taken::Lost(Some(_))));
        assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Gone(Some(seen.clone())));
        let new = won(leases.take(&key, Some(&seen), &holder("new"), soon()).unwrap());
        assert!(new.epoch() > held.epoch());
    }
    // The server itself takes no large ones.
    assert!(raw.publish("$KV.windlass_night_leases.lane.r-00000001.9", &vec![b'x'; 100_000]));
    assert_eq!(leases.look(&LeaseKey::Lane(run(), LaneId(9)), soon()).unwrap(), None);
}
