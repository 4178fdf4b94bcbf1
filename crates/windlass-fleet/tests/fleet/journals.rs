//! Journals on one server.

use windlass_core::values::RunId;
use windlass_fleet::FleetError;
use windlass_fleet::journal::{Appended, Journal, LONGEST_LINE, Line, Origin, Sequence};
use windlass_fleet::settings::Role;

use super::raw::Raw;
use super::support::{connect, night, run, short, soon};

fn written(appended: Appended) -> Sequence {
    match appended {
        Appended::Written(sequence) => sequence,
        Appended::Refused { newest } => panic!("refused, the newest is {newest:?}"),
    }
}

fn lines(journal: &Journal, after: Sequence) -> Vec<String> {
    let mut lines = Vec::new();
    let read = |line: Line| {
        assert_eq!(line.origin, Origin::Appended);
        lines.push(String::from_utf8(line.bytes).unwrap());
    };
    journal.read(after, soon(), read).unwrap();
    lines
}

#[test]
fn a_line_is_written_where_it_was_expected_and_nowhere_else() {
    let (nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let other_run = Journal::of(&fleet, &RunId("r-00000002".to_owned())).unwrap();
    assert_eq!(journal.newest(soon()).unwrap(), Sequence(0));
    let first = written(journal.append(b"one", Sequence(0), soon()).unwrap());
    written(other_run.append(b"elsewhere", Sequence(0), soon()).unwrap());
    let second = written(journal.append(b"two", first, soon()).unwrap());
    assert!(second > first);

    // Somebody else, even with the same line.
    let other = Journal::of(&connect(&nats, Role::Runner), &run()).unwrap();
    assert_eq!(other.append(b"two", first, soon()).unwrap(), Appended::Refused { newest: second });
    assert_eq!(other.append(b"two", Sequence(0), soon()).unwrap(), Appended::Refused { newest: second });
    // The same writer with another line at the same place.
    assert_eq!(journal.append(b"other", first, soon()).unwrap(), Appended::Refused { newest: second });
    assert_eq!(lines(&journal, Sequence(0)), ["one", "two"]);
    assert_eq!(lines(&journal, first), ["two"]);
    assert_eq!(lines(&journal, second), [] as [String; 0]);
    assert_eq!(journal.newest(soon()).unwrap(), second);
}

#[test]
fn the_same_try_again_is_written_once() {
    let (_nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let first = written(journal.append(b"one", Sequence(0), soon()).unwrap());
    assert_eq!(journal.append(b"one", Sequence(0), soon()).unwrap(), Appended::Written(first));
    let second = written(journal.append(b"two", first, soon()).unwrap());
    assert_eq!(journal.append(b"one", Sequence(0), soon()).unwrap(), Appended::Written(first));
    assert_eq!(lines(&journal, Sequence(0)), ["one", "two"]);
    assert!(second > first);
}

#[test]
fn a_line_that_is_too_long_is_not_sent_and_the_longest_is() {
    let (_nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let long = vec![b'x'; LONGEST_LINE + 1];
    let error = journal.append(&long, Sequence(0), soon()).unwrap_err();
    assert!(matches!(error, FleetError::TooLarge { limit, .. } if limit == LONGEST_LINE as u64), "{error}");
    written(journal.append(&long[1..], Sequence(0), soon()).unwrap());
    assert_eq!(lines(&journal, Sequence(0))[0].len(), LONGEST_LINE);
}

#[test]
fn a_journal_is_followed_while_it_grows() {
    let (_nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let mut at = written(journal.append(b"before", Sequence(0), soon()).unwrap());
    let mut followed = journal.follow(Sequence(0), soon()).unwrap();
    assert_eq!(followed.next(soon()).unwrap().unwrap().bytes, b"before");
    assert_eq!(followed.next(short()).unwrap(), None);
    for number in 0..300 {
        at = written(journal.append(format!("{number}").as_bytes(), at, soon()).unwrap());
    }
    for number in 0..300 {
        let line = followed.next(soon()).unwrap().unwrap();
        assert_eq!(line.bytes, format!("{number}").as_bytes());
    }
    assert_eq!(lines(&journal, Sequence(0)).len(), 301);
}

#[test]
fn what_somebody_else_put_there_is_read_as_noise() {
    let (nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let mut garbage = vec![0, 255, 10, 13];
    garbage.resize(100_000, b'x');
    assert!(raw.publish("windlass.night.journal.r-00000001", &garbage));
    let mut read = Vec::new();
    let end = journal.read(Sequence(0), soon(), |line| read.push((line.origin, line.bytes))).unwrap();
    assert_eq!(read, [(Origin::Noise, garbage)]);
    assert_eq!(journal.append(b"mine", Sequence(0), soon()).unwrap(), Appended::Refused { newest: end });
}

#[test]
fn a_line_of_another_run_is_noise() {
    let (nats, fleet) = night();
    let journal = Journal::of(&fleet, &run()).unwrap();
    let first = written(journal.append(b"one", Sequence(0), soon()).unwrap());
    // As the server would copy it, with its headers.
    let mut raw = Raw::connect(&nats.urls()[0], None);
    let subject = "windlass.night.journal.r-00000001";
    assert!(raw.publish_with(subject, None, "Windlass-Run: r-00000002", b"theirs"));
    let mut read = Vec::new();
    let end = journal.read(Sequence(0), soon(), |line| read.push((line.origin, line.bytes))).unwrap();
    assert_eq!(read, [(Origin::Appended, b"one".to_vec()), (Origin::Noise, b"theirs".to_vec())]);
    // Whoever saw that it is noise goes on after it.
    assert_eq!(journal.append(b"two", first, soon()).unwrap(), Appended::Refused { newest: end });
    written(journal.append(b"two", end, soon()).unwrap());
}

#[test]
fn without_its_stream_a_journal_says_what_to_do() {
    let nats = windlass_testkit::Nats::one();
    let fleet = connect(&nats, Role::Runner);
    let journal = Journal::of(&fleet, &run()).unwrap();
    for error in [
        journal.append(b"one", Sequence(0), soon()).unwrap_err(),
        journal.newest(soon()).unwrap_err(),
        journal.follow(Sequence(0), soon()).unwrap_err(),
    ] {
        assert!(
            matches!(&error, FleetError::Missing { name } if name == "windlass_night_journal"),
            "{error:?}"
        );
    }
    assert!(Journal::of(&fleet, &RunId("r.>".to_owned())).is_err());
}
