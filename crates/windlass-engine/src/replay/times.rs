//! When the bytes of a stream came, as far as it was noted.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

/// Reads a call's `times` file alongside its stream; both may still grow.
#[derive(Debug)]
pub(crate) struct Times {
    path: PathBuf,
    /// What its milliseconds are counted from.
    start: Timestamp,
    reader: Option<BufReader<File>>,
    /// A line whose end has not been written yet.
    begun: Vec<u8>,
    /// The last entry read.
    entry: Option<Entry>,
}

/// A line of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Milliseconds since the call was reserved for.
    pub millis: i64,
    /// Bytes that had come by then.
    pub bytes: u64,
}

impl Times {
    pub fn new(path: PathBuf, start: Timestamp) -> Times {
        Times { path, start, reader: None, begun: Vec::new(), entry: None }
    }

    /// Goes on with this file, which has all that the one before has.
    pub fn go_on_with(&mut self, path: PathBuf) {
        *self = Times::new(path, self.start);
    }

    /// When so many bytes had come. Beyond the last entry: then, since the next one would follow soon.
    pub fn when(&mut self, bytes: u64) -> Timestamp {
        while self.entry.is_none_or(|entry| entry.bytes < bytes) {
            match self.next_entry() {
                Some(entry) => self.entry = Some(entry),
                None => break,
            }
        }
        let millis = self.entry.map_or(0, |entry| entry.millis);
        self.start.checked_add(SignedDuration::from_millis(millis)).unwrap_or(self.start)
    }

    /// A file that cannot be read has no entries: times matter less than what was said.
    fn next_entry(&mut self) -> Option<Entry> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(BufReader::new(File::open(&self.path).ok()?)),
        };
        reader.read_until(b'\n', &mut self.begun).ok()?;
        let line = self.begun.strip_suffix(b"\n")?;
        let entry = Entry::parse(line);
        self.begun.clear();
        entry
    }
}

impl Entry {
    pub fn parse(line: &[u8]) -> Option<Entry> {
        let (millis, bytes) = str::from_utf8(line).ok()?.split_once(' ')?;
        Some(Entry { millis: millis.parse().ok()?, bytes: bytes.parse().ok()? })
    }

    pub fn line(self) -> String {
        format!("{} {}\n", self.millis, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn bytes_came_when_an_entry_says_that_they_had_come() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times");
        let start: Timestamp = "2026-03-01T20:00:00Z".parse().unwrap();
        let mut times = Times::new(path.clone(), start);
        let after = |time: Timestamp| (time - start).get_milliseconds() + (time - start).get_seconds() * 1000;
        assert_eq!(after(times.when(1)), 0, "no such file yet");
        std::fs::write(&path, "5 10\n300 20\n600 ").unwrap();
        for (bytes, millis) in [(1, 5), (10, 5), (11, 300), (20, 300), (21, 300)] {
            assert_eq!(after(times.when(bytes)), millis, "{bytes}");
        }
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"90\nnonsense\n").unwrap();
        assert_eq!(after(times.when(21)), 600);
        assert_eq!(after(times.when(1000)), 600);
    }
}
