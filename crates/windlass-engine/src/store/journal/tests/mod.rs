//! Torn, broken, full and followed journals.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use proptest::prelude::*;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::values::{RunId, StopReason};

use super::scanner::{PIECE, Scanner};
use super::{Follower, Journal, RESERVE_BYTES, header, lines, read};
use crate::store::StoreError;
use crate::store::run_folder::RunFolder;
use crate::store::tests::Fixture;

/// A release build has no faults to inject.
#[cfg(debug_assertions)]
mod faults;

const RUN: &str = "r-testtest";

/// A run with a fixed id, and its facts.
fn small(fixture: &Fixture) -> (RunFolder, Vec<Entry>) {
    let folder = RunFolder::of(&fixture.project, &RunId(RUN.to_owned()));
    fs::create_dir_all(folder.path()).unwrap();
    let entries = fixture.facts(folder.run(), 2, Some(StopReason::MaxIterations));
    (folder, entries)
}

/// The bytes of a journal with these facts.
fn bytes_of(folder: &RunFolder, entries: &[Entry]) -> Vec<u8> {
    let mut journal = Journal::create(folder).unwrap();
    journal.append(entries).unwrap();
    fs::read(folder.journal()).unwrap()
}

/// The tails that were put aside, in order.
fn torn(folder: &RunFolder) -> Vec<Vec<u8>> {
    let mut tails = Vec::new();
    while let Ok(tail) = fs::read(folder.path().join(format!("journal.torn-{}", tails.len() + 1))) {
        tails.push(tail);
    }
    tails
}

fn clear_torn(folder: &RunFolder) {
    for number in 1..=torn(folder).len() {
        fs::remove_file(folder.path().join(format!("journal.torn-{number}"))).unwrap();
    }
}

#[test]
fn facts_come_back_as_they_were() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let mut journal = Journal::create(&folder).unwrap();
    let (first, rest) = entries.split_at(3);
    journal.append(first).unwrap();
    journal.append(&[]).unwrap();
    assert!(journal.dirty);
    journal.sync().unwrap();
    assert!(!journal.dirty);
    journal.append(rest).unwrap();
    let text = fs::read_to_string(folder.journal()).unwrap();
    assert!(text.starts_with("{\"windlass_journal\":1,\"run\":\"r-testtest\"}\n"), "{text}");
    assert_eq!(text.lines().count(), entries.len() + 1);
    assert_eq!(journal.length(), text.len() as u64);
    let parts = [header(folder.run()), lines(&entries).unwrap()].concat();
    assert_eq!(String::from_utf8(parts).unwrap(), text);
    let opened = Journal::open(&folder).unwrap();
    assert_eq!(opened.entries, entries);
    assert_eq!(opened.sealed, None);
    assert!(Journal::create(&folder).is_err(), "a journal is never begun twice");
}

#[test]
fn cut_at_every_byte_it_loads_and_goes_on() {
    let fixture = Fixture::in_memory();
    let (folder, entries) = small(&fixture);
    let whole = bytes_of(&folder, &entries);
    for cut in 0..=whole.len() {
        clear_torn(&folder);
        fs::write(folder.journal(), &whole[..cut]).unwrap();
        let newlines = memchr::memchr_iter(b'\n', &whole[..cut]).count();
        let complete = &entries[..newlines.saturating_sub(1)];
        assert_eq!(read(&folder.journal()).unwrap(), complete, "cut at {cut}");
        assert_eq!(fs::read(folder.journal()).unwrap(), &whole[..cut], "reading changes nothing");

        let mut opened = Journal::open(&folder).unwrap();
        assert_eq!(opened.entries, complete, "cut at {cut}");
        let end = whole[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let tail: Vec<Vec<u8>> = (end < cut).then(|| whole[end..cut].to_vec()).into_iter().collect();
        assert_eq!(torn(&folder), tail, "cut at {cut}");
        assert_eq!(opened.sealed.is_some(), end < cut);

        opened.journal.append(&entries[complete.len()..]).unwrap();
        assert_eq!(fs::read(folder.journal()).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn torn_tails_are_kept_apart() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    bytes_of(&folder, &entries);
    for tail in [&b"one"[..], b"two\n", b"{\"seq\":"] {
        append_raw(&folder.journal(), tail);
        assert_eq!(Journal::open(&folder).unwrap().entries, entries);
    }
    assert_eq!(torn(&folder), [&b"one"[..], b"two\n", b"{\"seq\":"]);
}

fn append_raw(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever lies behind the last fact: either it is put aside, and the facts load, or (when a line of it is JSON,
    /// which no crash writes) an error names the line, and nothing is changed.
    #[test]
    fn garbage_behind_the_last_fact(
        tail in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            "[\\[\\]{}\",:0-9a-z\n]{0,40}".prop_map(String::into_bytes),
        ]
    ) {
        let fixture = Fixture::in_memory();
        let (folder, entries) = small(&fixture);
        let mut bytes = bytes_of(&folder, &entries);
        bytes.extend_from_slice(&tail);
        fs::write(folder.journal(), &bytes).unwrap();
        match Journal::open(&folder) {
            Ok(opened) => {
                prop_assert_eq!(opened.entries, entries);
                prop_assert_eq!(torn(&folder).concat(), tail);
            }
            Err(StoreError::BrokenLine { line, .. }) => {
                prop_assert_eq!(line, entries.len() + 2);
                prop_assert_eq!(fs::read(folder.journal()).unwrap(), bytes);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    /// No file makes the reader panic.
    #[test]
    fn any_file_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("journal.jsonl");
        fs::write(&path, bytes).unwrap();
        let _ = read(&path);
    }
}

/// The journal with line `line` (from 1) replaced.
fn with_line(folder: &RunFolder, entries: &[Entry], line: usize, text: &str) -> Vec<u8> {
    let whole = bytes_of(folder, entries);
    let mut lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    lines[line - 1] = text.as_bytes();
    lines.concat()
}

#[test]
fn a_broken_line_in_the_middle_is_named_and_nothing_is_changed() {
    let cases = [
        ("half a li\n", "it is not JSON"),
        ("\n", "it is not JSON"),
        ("{}\n", "missing field"),
        (
            "{\"seq\":9,\"wall\":\"2027-01-15T08:00:04Z\",\"ms\":4,\"fact\":\"released\"}\n",
            "it has the ordinal 9, not 4",
        ),
    ];
    for (text, problem) in cases {
        let fixture = Fixture::new();
        let (folder, entries) = small(&fixture);
        let broken = with_line(&folder, &entries, 5, text);
        fs::write(folder.journal(), &broken).unwrap();
        for error in [Journal::open(&folder).unwrap_err(), read(&folder.journal()).unwrap_err()] {
            let message = error.to_string();
            assert!(matches!(error, StoreError::BrokenLine { line: 5, .. }), "{message}");
            assert!(message.contains(problem), "{message}");
            assert!(message.contains("journal.jsonl") && message.contains("first 4 lines"), "{message}");
        }
        assert_eq!(fs::read(folder.journal()).unwrap(), broken);
        assert!(torn(&folder).is_empty());
    }
}

#[test]
fn a_line_from_a_newer_version_in_the_middle_is_said_to_be_one() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let line = "{\"seq\":4,\"wall\":\"2027-01-15T08:00:04Z\",\"ms\":4,\"fact\":\"from_the_future\"}\n";
    fs::write(folder.journal(), with_line(&folder, &entries, 5, line)).unwrap();
    for error in [Journal::open(&folder).unwrap_err(), read(&folder.journal()).unwrap_err()] {
        let message = error.to_string();
        assert!(matches!(error, StoreError::NewerFact { line: 5, .. }), "{message}");
        assert!(message.contains("`from_the_future`") && message.contains("update Windlass"), "{message}");
    }
}

#[test]
fn a_last_line_from_a_newer_version_is_not_sealed_away() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    bytes_of(&folder, &entries);
    append_raw(
        &folder.journal(),
        b"{\"seq\":15,\"wall\":\"2027-01-15T08:00:04Z\",\"ms\":4,\"fact\":\"new\"}\n",
    );
    assert!(
        matches!(Journal::open(&folder), Err(StoreError::NewerFact { line: 16, said, .. }) if said == "new")
    );
}

#[test]
fn headers_by_table() {
    let cases = [
        ("{\"windlass_journal\":2,\"run\":\"r-testtest\"}\n", "newer Windlass (journal format 2"),
        ("{\"windlass_journal\":2,\"other\":true}\n", "newer Windlass"),
        ("{\"run\":\"r-testtest\"}\n", "is not a journal of Windlass"),
        ("[]\n", "is not a journal of Windlass"),
        ("{\"windlass_journal\":1,\"run\":\"r-other\"}\n", "belongs to run r-other"),
        ("garbage\n{}\n", "line 1 of"),
    ];
    for (header, problem) in cases {
        let fixture = Fixture::new();
        let (folder, _) = small(&fixture);
        fs::write(folder.journal(), header).unwrap();
        let message = Journal::open(&folder).unwrap_err().to_string();
        assert!(message.contains(problem), "{message}");
        assert_eq!(fs::read_to_string(folder.journal()).unwrap(), header);
    }
}

#[test]
fn a_header_may_say_more() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let header = "{\"windlass_journal\":1,\"minor\":3,\"run\":\"r-testtest\"}\n";
    let bytes = with_line(&folder, &entries, 1, header);
    fs::write(folder.journal(), bytes).unwrap();
    assert_eq!(Journal::open(&folder).unwrap().entries, entries);
}

#[test]
fn a_missing_journal_is_named() {
    let fixture = Fixture::new();
    let (folder, _) = small(&fixture);
    let error = read(&folder.journal()).unwrap_err();
    assert!(error.is_not_found() && error.to_string().contains("journal.jsonl"), "{error}");
    assert!(Journal::open(&folder).unwrap_err().is_not_found());
    assert!(!folder.journal().exists());
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_no_empty_journal() {
    let fixture = Fixture::new();
    let (folder, _) = small(&fixture);
    let mut file = fs::File::open(folder.path()).unwrap();
    assert!(Scanner::new(folder.path()).scan_piece(&mut file, 0).is_err());
}

#[test]
fn what_could_not_be_rolled_back_at_once_is_before_the_next_write() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let mut journal = Journal::create(&folder).unwrap();
    append_raw(&folder.journal(), b"{\"seq\":1,\"wa");
    journal.torn = true;
    journal.append(&entries).unwrap();
    assert_eq!(read(&folder.journal()).unwrap(), entries);
}

#[test]
fn the_reserve_takes_real_room() {
    use std::os::unix::fs::MetadataExt as _;
    let fixture = Fixture::new();
    let (folder, _) = small(&fixture);
    drop(Journal::create(&folder).unwrap());
    // Blocks are counted in 512 bytes.
    assert!(fs::metadata(folder.reserve()).unwrap().blocks() * 512 >= RESERVE_BYTES as u64);
}

#[test]
fn a_follower_sees_whole_facts_as_they_come() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let whole = bytes_of(&folder, &entries);
    let path = folder.path().join("followed.jsonl");
    let mut follower = Follower::new(&path);
    assert!(follower.poll().unwrap().is_empty(), "not there yet");
    fs::write(&path, b"").unwrap();
    let mut seen = Vec::new();
    for (position, byte) in whole.iter().enumerate() {
        append_raw(&path, &[*byte]);
        let new = follower.poll().unwrap();
        assert!(new.len() <= 1 && (new.is_empty() || *byte == b'\n'), "at {position}");
        seen.extend(new);
    }
    assert_eq!(seen, entries);
}

#[test]
fn a_long_journal_is_read_piece_by_piece_and_whole() {
    let fixture = Fixture::new();
    let (folder, mut entries) = small(&fixture);
    let piece = usize::try_from(PIECE).unwrap();
    for length in [10, piece / 3, 3 * piece, 20, piece, piece / 2].into_iter().cycle().take(24) {
        let last = entries.last().unwrap();
        let fact = Fact::Noticed(report::Noticed { text: "x".repeat(length) });
        entries.push(Entry { seq: last.seq + 1, fact, ..last.clone() });
    }
    Journal::create(&folder).unwrap().append(&entries).unwrap();
    assert_eq!(read(&folder.journal()).unwrap(), entries);
    let mut follower = Follower::new(&folder.journal());
    let pieces: Vec<Vec<Entry>> =
        std::iter::repeat_with(|| follower.poll().unwrap()).take_while(|new| !new.is_empty()).collect();
    assert!(pieces.len() > 3, "{}", pieces.len());
    assert_eq!(pieces.concat(), entries);
}

#[test]
fn a_follower_outlives_a_sealed_tail_and_a_batch_rolled_back() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let mut journal = Journal::create(&folder).unwrap();
    let mut follower = Follower::new(&folder.journal());
    journal.append(&entries[..5]).unwrap();
    assert_eq!(follower.poll().unwrap(), entries[..5]);
    let length = journal.length();
    // A batch of which the first line was seen, then rolled back; what comes instead has other lengths.
    let seen =
        Entry { fact: Fact::Noticed(report::Noticed { text: "x".repeat(1000) }), ..entries[5].clone() };
    let line = serde_json::to_vec(&seen).unwrap();
    append_raw(&folder.journal(), &[line, b"\n{\"seq\":".to_vec()].concat());
    assert_eq!(follower.poll().unwrap(), [seen]);
    fs::OpenOptions::new().write(true).open(folder.journal()).unwrap().set_len(length).unwrap();
    assert!(follower.poll().unwrap().is_empty());
    journal.append(&entries[5..]).unwrap();
    assert_eq!(follower.poll().unwrap(), entries[6..]);
    append_raw(&folder.journal(), b"torn\n");
    assert!(follower.poll().unwrap().is_empty());
    append_raw(&folder.journal(), b"{}\n");
    assert!(follower.poll().is_err(), "damage is told");
}

/// 1,000 iterations: right, and the time is printed.
#[test]
#[expect(clippy::print_stderr, reason = "times to look at, not to be asserted")]
fn a_thousand_iterations() {
    let fixture = Fixture::new();
    let folder = fixture.run();
    let entries = fixture.facts(folder.run(), 1000, None);
    let mut journal = Journal::create(&folder).unwrap();
    let began = Instant::now();
    for batch in entries.chunks(3) {
        journal.append(batch).unwrap();
    }
    let written = began.elapsed();
    let began = Instant::now();
    let opened = Journal::open(&folder).unwrap();
    let (count, length) = (entries.len(), journal.length());
    eprintln!("{count} facts, {length} bytes: appended in {written:?}, loaded in {:?}", began.elapsed());
    assert_eq!(opened.entries, entries);
}
