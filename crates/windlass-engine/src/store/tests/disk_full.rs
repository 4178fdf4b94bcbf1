//! A disk that is really full: a small tmpfs in a mount namespace of its own, which ends with the process.

use std::fs;
use std::process::{Command, Stdio};

use windlass_core::values::StopSource;

use super::{Child, Fixture};
use crate::store::journal::{self, Journal};

const PART: &str = "store::tests::disk_full::part_fill_the_disk";

/// Skipped, because mounting needs root (or user namespaces); fault injection covers the same in any case.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn a_full_disk_leaves_a_journal_that_loads() {
    let scratch = tempfile::tempdir().unwrap();
    if !in_small_disk(scratch.path(), "true") {
        eprintln!("skipped, because this machine allows no mount namespace");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let part = format!("exec '{}' --exact --ignored --nocapture {PART}", program.display());
    assert!(in_small_disk(scratch.path(), &part));
}

#[expect(clippy::disallowed_methods, reason = "a test needs a second process")]
fn in_small_disk(folder: &std::path::Path, then: &str) -> bool {
    let script = format!("mount -t tmpfs -o size=256k windlass-test \"$WINDLASS_TEST_CHILD_ROOT\" && {then}");
    Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .env("WINDLASS_TEST_CHILD_ROOT", folder)
        .stdin(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
#[ignore = "a part of another test"]
fn part_fill_the_disk() {
    let Some(root) = Child::root() else { return };
    let fixture = Fixture::in_folder(&root);
    let folder = fixture.run();
    let mut journal = Journal::create(&folder).unwrap();
    let entries = fixture.facts(folder.run(), 1000, None);
    let mut written = 0;
    let error = loop {
        match journal.append(&entries[written..written + 5]).and_then(|()| journal.sync()) {
            Ok(()) => written += 5,
            Err(error) => break error,
        }
    };
    assert!(error.is_disk_full(), "{error}");
    assert!(written > 100);
    assert_eq!(fs::metadata(folder.journal()).unwrap().len(), journal.length());
    assert!(journal.append(&entries[written..written + 5]).is_err());
    assert_eq!(journal::read(&folder.journal()).unwrap(), entries[..written]);
    // `windlass stop` must work all the same.
    // Who asks is not known then, but that somebody does.
    folder.request_stop(StopSource::Page).unwrap();
    journal.release_reserve().unwrap();
    journal.append(&entries[written..written + 5]).unwrap();
    journal.sync().unwrap();
    assert_eq!(journal::read(&folder.journal()).unwrap(), entries[..written + 5]);
}
