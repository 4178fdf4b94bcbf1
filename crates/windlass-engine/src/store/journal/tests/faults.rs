//! Journals under injected faults.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use super::super::fault::Faults;
use super::super::{Journal, RESERVE_BYTES, read};
use super::{bytes_of, small};
use crate::store::run_folder::RunFolder;
use crate::store::tests::{Child, Fixture, run_child};

fn with_fault(folder: &RunFolder, fault: &str) -> Journal {
    Journal::create_with(folder, Faults::parse(fault)).unwrap()
}

#[test]
fn a_full_disk_takes_no_half_batches() {
    let fixture = Fixture::new();
    let (folder, entries) = small(&fixture);
    let mut journal = with_fault(&folder, "full-after-write=2");
    let (first, rest) = entries.split_at(4);
    let (second, third) = rest.split_at(4);
    journal.append(first).unwrap();
    let before = fs::read(folder.journal()).unwrap();
    for _ in 0..2 {
        let error = journal.append(second).unwrap_err();
        assert!(error.is_disk_full(), "{error}");
        assert!(error.to_string().contains("journal.jsonl"), "{error}");
        assert_eq!(fs::read(folder.journal()).unwrap(), before);
    }
    let reserve = folder.path().join("reserve");
    assert_eq!(fs::metadata(&reserve).unwrap().len(), RESERVE_BYTES as u64);
    journal.release_reserve().unwrap();
    journal.release_reserve().unwrap();
    assert!(!reserve.exists());
    journal.append(second).unwrap();
    journal.append(third).unwrap();
    journal.sync().unwrap();
    drop(journal);
    assert_eq!(Journal::open(&folder).unwrap().entries, entries);
    assert_eq!(fs::metadata(&reserve).unwrap().len(), RESERVE_BYTES as u64, "filled again");
}

const PART: &str = "store::journal::tests::faults::part_write_under_a_fault";

#[test]
#[ignore = "a part of another test"]
fn part_write_under_a_fault() {
    let Some(root) = Child::root() else { return };
    let fixture = Fixture::in_folder(&root);
    let (folder, entries) = small(&fixture);
    let mut journal = Journal::create(&folder).unwrap();
    for entry in &entries {
        journal.append(std::slice::from_ref(entry)).unwrap();
    }
}

/// Runs the part under a fault; what is left of its journal, and the bytes of the journal as a whole.
fn killed(fault: &str) -> (Vec<u8>, Vec<Vec<u8>>) {
    let scratch = tempfile::tempdir().unwrap();
    let status = run_child(PART, scratch.path(), &[("WINDLASS_TEST_FAULT", fault)]);
    assert_eq!(status.signal(), Some(9), "{fault}");
    let fixture = Fixture::in_folder(scratch.path());
    let (folder, entries) = small(&fixture);
    let left = fs::read(folder.journal()).unwrap();
    assert_eq!(Journal::open(&folder).unwrap().entries, read(&folder.journal()).unwrap());
    fs::remove_file(folder.journal()).unwrap();
    let whole = bytes_of(&folder, &entries);
    let writes = whole.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    (left, writes)
}

#[test]
fn the_process_is_killed_exactly_where_the_fault_says() {
    let (left, writes) = killed("kill-before-write=1");
    assert_eq!((left.len(), writes.len()), (0, 15));
    for write in [1, 2, 15] {
        let (left, writes) = killed(&format!("kill-after-write={write}"));
        assert_eq!(left, writes[..write].concat());
    }
    let (left, writes) = killed("kill-before-write=4");
    assert_eq!(left, writes[..3].concat());
    let (left, writes) = killed("tear-write=4:7");
    assert_eq!(left, [writes[..3].concat(), writes[3][..7].to_vec()].concat());
    let (left, writes) = killed("tear-write=4:1000000,kill-before-write=9");
    assert_eq!(left, writes[..4].concat());
}

#[test]
fn nonsense_is_no_fault() {
    for text in ["", "kill", "kill-after-write=x", "tear-write=3", "other=1", ",,="] {
        assert_eq!(Faults::parse(text), Faults::default(), "{text:?}");
    }
}
