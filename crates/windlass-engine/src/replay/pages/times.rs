//! When any byte of a stream came, as far as it was noted.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::Entry;
use crate::store::CallFolder;

/// Read at once.
const CHUNK: usize = 64 * 1024;

/// A call's `times`, whole. There are at most ten entries a second, and a call is ended after some hours: half a megabyte.
#[derive(Debug)]
pub(super) struct TimeTable {
    folder: CallFolder,
    /// What was read, of the two that a call can have.
    path: PathBuf,
    /// What its milliseconds are counted from.
    start: Timestamp,
    entries: Vec<Entry>,
    /// Bytes of the file that have been taken in.
    read: u64,
}

impl TimeTable {
    pub fn new(folder: &CallFolder, start: Timestamp) -> TimeTable {
        TimeTable { folder: folder.clone(), path: PathBuf::new(), start, entries: Vec::new(), read: 0 }
    }

    /// Reads what is needed to say when so many bytes had come.
    pub fn reach(&mut self, bytes: u64) {
        if self.entries.last().is_none_or(|last| last.bytes < bytes) {
            // Times matter less than what was said: a file that cannot be read has no more entries.
            let _ = self.read_on();
        }
    }

    /// When so many bytes had come, as far as has been read. Beyond the last entry: then, since the next one would follow soon.
    pub fn when(&self, bytes: u64) -> Timestamp {
        let place = self.entries.partition_point(|entry| entry.bytes < bytes);
        let entry = self.entries.get(place).or(self.entries.last());
        let millis = entry.map_or(0, |entry| entry.millis);
        self.start.checked_add(SignedDuration::from_millis(millis)).unwrap_or(self.start)
    }

    fn read_on(&mut self) -> io::Result<()> {
        let (_, path) = self.folder.recorded();
        if path != self.path {
            (self.path, self.read) = (path, 0);
            self.entries.clear();
        }
        let file = File::open(&self.path)?;
        let mut begun = Vec::new();
        let mut at = self.read;
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = file.read_at(&mut chunk, at)?;
            let bytes = chunk.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(());
            }
            at += bytes.len() as u64;
            for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                begun.extend_from_slice(piece);
                if let Some(line) = begun.strip_suffix(b"\n") {
                    self.entries.extend(Entry::parse(line));
                    self.read += begun.len() as u64;
                    begun.clear();
                }
            }
        }
    }
}
