//! What was done, and whose answer was lost: it counts, once.

use std::time::Duration;

use windlass_core::values::LaneId;
use windlass_fleet::journal::{Appended, Journal, Sequence};
use windlass_fleet::leases::{LeaseKey, Leases, Renewed, Taken, Tenure};
use windlass_fleet::names::Class;
use windlass_fleet::orders::{Published, Queue};
use windlass_fleet::settings::Role;
use windlass_fleet::store::{Files, Store};
use windlass_fleet::{Deadline, Fleet};
use windlass_testkit::Nats;
use windlass_testkit::environment::wait_until;

use super::lossy::Lossy;
use super::support::{fences, holder, night, order, run, settings_for, soon};

struct Bed {
    nats: Nats,
    lossy: Lossy,
    fleet: Fleet,
}

impl Bed {
    fn new() -> Bed {
        let (nats, _) = night();
        let lossy = Lossy::before(&nats);
        let fleet = Fleet::connect(&settings_for(vec![lossy.url()], Role::Runner), soon()).unwrap();
        Bed { nats, lossy, fleet }
    }

    /// Does something whose first answer is lost.
    fn losing<T>(&self, subject: &str, doing: impl FnOnce() -> T) -> T {
        let before = self.lossy.lost();
        self.lossy.lose_answer_to(subject);
        let done = doing();
        let lost = wait_until(Duration::from_secs(30), || self.lossy.lost() == before + 1);
        assert!(lost, "no answer was lost at {subject}");
        done
    }
}

#[test]
fn a_line_whose_answer_was_lost_is_written_once() {
    let bed = Bed::new();
    let journal = Journal::of(&bed.fleet, &run()).unwrap();
    let subject = "windlass.night.journal.";
    let mut at = Sequence(0);
    for line in ["one", "two"] {
        let appended = bed.losing(subject, || journal.append(line.as_bytes(), at, soon()).unwrap());
        let Appended::Written(sequence) = appended else { panic!("{appended:?}") };
        at = sequence;
    }
    let mut lines = Vec::new();
    journal.read(Sequence(0), soon(), |line| lines.push(line.bytes)).unwrap();
    assert_eq!(lines, [b"one", b"two"]);
}

#[test]
fn a_line_that_somebody_else_wrote_first_is_refused_also_where_the_answer_was_lost() {
    let bed = Bed::new();
    let journal = Journal::of(&bed.fleet, &run()).unwrap();
    let other = Journal::of(&bed.fleet, &run()).unwrap();
    let Appended::Written(newest) = other.append(b"theirs", Sequence(0), soon()).unwrap() else { panic!() };
    let appended =
        bed.losing("windlass.night.journal.", || journal.append(b"theirs", Sequence(0), soon()).unwrap());
    assert_eq!(appended, Appended::Refused { newest });
}

#[test]
fn a_lease_is_ones_own_also_where_the_answer_was_lost() {
    let bed = Bed::new();
    let leases = Leases::of(&bed.fleet);
    let key = LeaseKey::Lane(run(), LaneId(1));
    let subject = "$KV.windlass_night_leases.lane.";
    let taken = bed.losing(subject, || leases.take(&key, None, &holder("one"), soon()).unwrap());
    let Taken::Won(mut held) = taken else { panic!("{taken:?}") };
    let seen = leases.look(&key, soon()).unwrap().unwrap();
    assert_eq!((seen.epoch, seen.tenure), (held.epoch(), Tenure::Held(holder("one"))));
    assert_eq!(bed.losing(subject, || leases.renew(&mut held, soon()).unwrap()), Renewed::Kept);
    assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
    assert_eq!(bed.losing(subject, || leases.release(held, soon()).unwrap()), Renewed::Kept);
    assert_eq!(leases.look(&key, soon()).unwrap().unwrap().tenure, Tenure::Free);
}

#[test]
fn a_renewal_that_was_given_up_is_settled_by_what_comes_next() {
    let bed = Bed::new();
    let leases = Leases::of(&bed.fleet);
    let subject = "$KV.windlass_night_leases.lane.";
    for (lane, then_released) in [(1, false), (2, true)] {
        let key = LeaseKey::Lane(run(), LaneId(lane));
        let Taken::Won(mut held) = leases.take(&key, None, &holder("one"), soon()).unwrap() else { panic!() };
        let epoch = held.epoch();
        bed.lossy.break_at(subject);
        let given_up = leases.renew(&mut held, Deadline::after(Duration::from_secs(1))).unwrap_err();
        assert!(given_up.may_pass(), "{given_up:?}");
        bed.lossy.mend();
        if then_released {
            assert_eq!(leases.release(held, soon()).unwrap(), Renewed::Kept);
            assert_eq!(leases.look(&key, soon()).unwrap().unwrap().tenure, Tenure::Free);
        } else {
            assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
            assert_eq!(leases.look(&key, soon()).unwrap().unwrap().epoch, epoch);
        }
    }
}

#[test]
fn an_order_whose_answers_were_lost_is_there_once_and_gone_once_acknowledged() {
    let bed = Bed::new();
    let queue = Queue::of(&bed.fleet);
    let any = Class::default();
    queue.open_class(&any, soon()).unwrap();
    let key = "k".parse().unwrap();
    let published = bed
        .losing("windlass.night.orders.", || queue.publish(&any, &key, &order(1), fences(), soon()).unwrap());
    assert!(matches!(published, Published::Before(_)), "{published:?}");
    assert_eq!(queue.class(&any, soon()).unwrap().pending, 1);
    let taken = queue.take(&any, Duration::from_secs(20)).unwrap().unwrap();
    bed.losing("$JS.ACK.", || taken.acknowledge(soon()).unwrap());
    let state = queue.class(&any, soon()).unwrap();
    assert_eq!((state.pending, state.taken), (0, 0));
}

#[test]
fn a_piece_of_a_file_whose_answer_was_lost_is_there_once() {
    let bed = Bed::new();
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("file"), folder.path().join("copy"));
    std::fs::write(&path, vec![7; 1_200_000]).unwrap();
    let files = Files::of(&bed.fleet, Store::Code);
    let content = bed.losing("$O.windlass_night_code.C.", || files.put(&path, 2_000_000, soon()).unwrap());
    let pieces_and_name = 4;
    let counted = wait_until(Duration::from_secs(30), || {
        bed.nats.messages_of("OBJ_windlass_night_code") == Some(pieces_and_name)
    });
    assert!(counted, "{:?}", bed.nats.messages_of("OBJ_windlass_night_code"));
    files.get(&content, &copy, 2_000_000, soon()).unwrap();
    assert!(std::fs::read(&copy).unwrap() == std::fs::read(&path).unwrap());
}
