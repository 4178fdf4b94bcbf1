//! The raw log, and beside it when its bytes came.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::BoundedFile;

/// Two entries of the `times` file are this far apart, unless a pause lies between them.
const RESOLUTION: Duration = Duration::from_millis(200);

/// Where a stream is kept, byte for byte; one that is only awaited, and nobody's evidence, by its beginning and its end.
///
/// The `times` file has lines `<milliseconds since the start> <bytes that had come by then>`, at most ten per second;
/// a pause in the stream lies between two of them, so that a replay can pause where the agent did.
#[derive(Debug)]
pub struct StreamLog {
    /// `None` after a failure: a log with a hole would lie.
    files: Option<Files>,
}

#[derive(Debug)]
struct Files {
    raw: Raw,
    times: Option<Times>,
}

/// Where the bytes go.
#[derive(Debug)]
enum Raw {
    Whole(File),
    /// Its beginning and its end.
    Bounded(BoundedFile),
    /// Nothing has come yet.
    Awaited(PathBuf),
}

#[derive(Debug)]
struct Times {
    file: File,
    start: Instant,
    bytes: u64,
    written: Option<Duration>,
    /// When bytes last came without an entry.
    owed: Option<Duration>,
}

impl StreamLog {
    /// Appends to this file.
    pub const fn new(raw: File) -> StreamLog {
        StreamLog::to(Raw::Whole(raw))
    }

    /// Appends to the file at this path, within bounds. Most agents print nothing on standard error; then there is no file.
    pub const fn awaited(path: PathBuf) -> StreamLog {
        StreamLog::to(Raw::Awaited(path))
    }

    const fn to(raw: Raw) -> StreamLog {
        StreamLog { files: Some(Files { raw, times: None }) }
    }

    /// Notes in this file when bytes came, counted from `start`.
    pub fn with_times(mut self, file: File, start: Instant) -> StreamLog {
        if let Some(files) = &mut self.files {
            files.times = Some(Times { file, start, bytes: 0, written: None, owed: None });
        }
        self
    }

    /// Appends bytes. Fails at most once, and does nothing from then on.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.attempt(|files| {
            files.raw.write(bytes)?;
            files.times.as_mut().map_or(Ok(()), |times| times.note(bytes.len(), times.start.elapsed()))
        })
    }

    /// Writes what is owed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.attempt(|files| files.times.as_mut().map_or(Ok(()), Times::settle))
    }

    fn attempt(&mut self, write: impl FnOnce(&mut Files) -> io::Result<()>) -> io::Result<()> {
        let Some(files) = &mut self.files else {
            return Ok(());
        };
        let outcome = write(files);
        if outcome.is_err() {
            self.files = None;
        }
        outcome
    }
}

impl Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Raw::Awaited(path) = self {
            *self = Raw::Bounded(BoundedFile::append_to(path)?);
        }
        match self {
            Raw::Whole(file) => file.write_all(bytes),
            Raw::Bounded(file) => file.write(bytes),
            Raw::Awaited(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Times {
    fn note(&mut self, count: usize, now: Duration) -> io::Result<()> {
        if self.written.is_some_and(|written| now < written + RESOLUTION) {
            self.bytes += count as u64;
            self.owed = Some(now);
            return Ok(());
        }
        // What came before a pause must not seem to have come after it.
        self.settle()?;
        self.bytes += count as u64;
        self.written = Some(now);
        self.write(now)
    }

    fn settle(&mut self) -> io::Result<()> {
        self.owed.take().map_or(Ok(()), |when| self.write(when))
    }

    fn write(&mut self, when: Duration) -> io::Result<()> {
        self.file.write_all(format!("{} {}\n", when.as_millis(), self.bytes).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;

    fn entries(arrivals: &[(u64, usize)]) -> String {
        let mut file = tempfile::tempfile().unwrap();
        let start = Instant::now();
        let mut times = Times { file: file.try_clone().unwrap(), start, bytes: 0, written: None, owed: None };
        for (when, count) in arrivals {
            times.note(*count, Duration::from_millis(*when)).unwrap();
        }
        times.settle().unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn entries_are_few_and_pauses_are_kept() {
        let cases: [(&[(u64, usize)], &str); 5] = [
            (&[], ""),
            (&[(3, 10)], "3 10\n"),
            (&[(0, 1), (50, 1), (150, 1)], "0 1\n150 3\n"),
            (&[(0, 1), (50, 1), (600_000, 1)], "0 1\n50 2\n600000 3\n"),
            (&[(0, 1), (200, 1), (250, 1), (400, 1)], "0 1\n200 2\n250 3\n400 4\n"),
        ];
        for (arrivals, expected) in cases {
            assert_eq!(entries(arrivals), expected, "{arrivals:?}");
        }
    }

    #[test]
    fn a_steady_stream_makes_at_most_ten_entries_per_second() {
        let arrivals: Vec<_> = (0..10_000).map(|when| (when, 100)).collect();
        let text = entries(&arrivals);
        assert!(text.lines().count() <= 101, "{}", text.lines().count());
        assert!(text.ends_with("9999 1000000\n"));
    }
}
