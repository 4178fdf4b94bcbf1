//! When a call's bytes came.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use tempfile::NamedTempFile;
use windlass_engine::testing::CallTimes;

use crate::dice::Dice;

pub(crate) fn run(data: &[u8]) {
    let Ok(file) = NamedTempFile::new() else { return };
    let mut dice = Dice::of(data);
    let marks: Vec<u64> = (0..6).map(|_| dice.next() % 2000).collect();
    let whole = asked(file.path(), data, data.len(), &marks);
    check_times(data, &whole);
    // Nothing is asked before all of it is there, so it must not matter that it came in two parts.
    assert_eq!(asked(file.path(), data, dice.below(data.len() + 1), &marks), whole);
}

/// What is said about these byte counts when a file that has its first part at once has the rest later.
fn asked(path: &Path, data: &[u8], first: usize, marks: &[u64]) -> Vec<Timestamp> {
    let (now, later) = data.split_at(first);
    let mut times = CallTimes::new(PathBuf::from(path), Timestamp::UNIX_EPOCH);
    let written = fs::write(path, now).is_ok()
        && OpenOptions::new().append(true).open(path).is_ok_and(|mut file| file.write_all(later).is_ok());
    if written { marks.iter().map(|mark| times.when(*mark)).collect() } else { Vec::new() }
}

/// Every time is one that a whole line names, or the beginning.
fn check_times(data: &[u8], times: &[Timestamp]) {
    let whole = data.iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    let text = String::from_utf8_lossy(data.get(..whole).unwrap_or_default());
    let named = |time: &Timestamp| {
        text.split('\n').filter_map(|line| line.split(' ').next()?.parse().ok()).any(|millis| {
            Timestamp::UNIX_EPOCH
                .checked_add(SignedDuration::from_millis(millis))
                .is_ok_and(|named| named == *time)
        })
    };
    for time in times {
        assert!(*time == Timestamp::UNIX_EPOCH || named(time), "no line names {time}");
    }
}
