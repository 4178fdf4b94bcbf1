//! What was heard of a call that is made on another machine, for whoever reads its stream meanwhile: the lines of the stream, each at
//! the place that it has there. What was not heard is zeros up to the end of a line, and is passed over by whoever reads.
//!
//! Nothing is decided by it, and it need not be whole: the stream itself takes its place when the call has ended.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use jiff::Timestamp;

use super::times::Entry;
use crate::store::{CallFolder, StoreError};

/// The longest piece that may be missing, in bytes: whoever reads the lines after it has it in memory.
const LONGEST_GAP: u64 = 16 * 1024 * 1024;

/// The longest that is kept of one call, in bytes: as much as travels of a stream.
const LONGEST: u64 = 1024 * 1024 * 1024;

/// Two entries of its `times` are this far apart, in milliseconds.
const RESOLUTION: i64 = 200;

/// What was heard of one call.
#[derive(Debug)]
pub struct LiveRecording {
    folder: CallFolder,
    lines: File,
    /// Its length, in bytes.
    size: u64,
    /// What the entries of its `times` are counted from.
    reserved: Timestamp,
    /// When the last one was written, in milliseconds.
    noted: Option<i64>,
}

impl LiveRecording {
    /// Goes on with what was heard of the call with this folder, which was reserved for at this time.
    ///
    /// # Errors
    /// A file or folder cannot be made.
    pub fn open(folder: &CallFolder, reserved: Timestamp) -> Result<LiveRecording, StoreError> {
        folder.create()?;
        let path = folder.live();
        let opened = open(&path, OpenOptions::new().write(true))
            .and_then(|lines| Ok((lines.metadata()?.len(), lines)));
        let (size, lines) = opened.map_err(|error| StoreError::io("open", &path, error))?;
        Ok(LiveRecording { folder: folder.clone(), lines, size, reserved, noted: None })
    }

    /// Adds a line, given without its `\n`, that begins at this byte of the stream and was heard at this time. One that is there
    /// already, or too far from it, is left out.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, offset: u64, line: &[u8], now: Timestamp) -> Result<(), StoreError> {
        let end = offset.saturating_add(line.len() as u64 + 1);
        let Some(gap) = offset.checked_sub(self.size).filter(|gap| *gap <= LONGEST_GAP && end <= LONGEST)
        else {
            return Ok(());
        };
        self.write(offset, gap, line).map_err(|error| StoreError::io("write", &self.folder.live(), error))?;
        self.size = end;
        // Times matter less than what was said.
        let _ = self.note(now);
        Ok(())
    }

    fn write(&mut self, offset: u64, gap: u64, line: &[u8]) -> io::Result<()> {
        // The end of the line before it, too, and all at once: nobody reads the zeros without that.
        let ended = if gap > 0 { b"\n".as_slice() } else { b"" };
        let bytes = [ended, line, b"\n"].concat();
        self.lines.write_all_at(&bytes, offset - ended.len() as u64)
    }

    fn note(&mut self, now: Timestamp) -> io::Result<()> {
        let millis = i64::try_from(now.duration_since(self.reserved).as_millis()).unwrap_or_default().max(0);
        if self.noted.is_some_and(|noted| millis < noted + RESOLUTION) {
            return Ok(());
        }
        self.noted = Some(millis);
        let entry = Entry { millis, bytes: self.size };
        let mut times = open(&self.folder.live_times(), OpenOptions::new().append(true))?;
        times.write_all(entry.line().as_bytes())
    }
}

/// Removes what was heard of a call whose stream is there.
pub fn forget(folder: &CallFolder) {
    // outside: the run's folder.
    if folder.stream().exists() {
        let _ = remove_file(folder.live());
        let _ = remove_file(folder.live_times());
    }
}

/// Does a line stand for what was not heard?
pub(super) fn is_gap(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|byte| *byte == 0)
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // outside: the run's folder.
    options.create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use windlass_core::values::{Purpose, RunId};

    use super::*;
    use crate::store::{Project, RunFolder};

    fn call(state: &Path) -> CallFolder {
        let project = Project::locate(state, state, None).unwrap();
        RunFolder::of(&project, &RunId("r-1".to_owned())).call(1, 1, Purpose::Work)
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn lines_have_their_places_and_what_is_missing_is_zeros() {
        let state = tempfile::tempdir().unwrap();
        let folder = call(state.path());
        let mut live = LiveRecording::open(&folder, second(100)).unwrap();
        for (offset, line) in [(0, "one"), (4, "two"), (4, "again"), (12, "four"), (18, "five")] {
            live.add(offset, line.as_bytes(), second(100)).unwrap();
        }
        let expected = b"one\ntwo\n\0\0\0\nfour\n\nfive\n";
        assert_eq!(fs::read(folder.live()).unwrap(), expected);
        // Whoever comes after a killed runner goes on with it.
        let mut later = LiveRecording::open(&folder, second(100)).unwrap();
        later.add(12, b"four", second(103)).unwrap();
        later.add(23, b"six", second(103)).unwrap();
        assert_eq!(fs::read(folder.live()).unwrap(), [expected.as_slice(), b"six\n"].concat());
        assert_eq!(fs::read_to_string(folder.live_times()).unwrap(), "0 4\n3000 27\n");
        assert!(is_gap(b"\0\0\0") && !is_gap(b"") && !is_gap(b"\0x"));
    }

    #[test]
    fn what_is_too_far_away_or_too_long_is_left_out() {
        let state = tempfile::tempdir().unwrap();
        let folder = call(state.path());
        let mut live = LiveRecording::open(&folder, second(0)).unwrap();
        for offset in [LONGEST_GAP + 1, LONGEST, u64::MAX] {
            live.add(offset, b"far", second(0)).unwrap();
        }
        assert_eq!(live.size, 0);
        live.add(LONGEST_GAP, b"near", second(0)).unwrap();
        assert_eq!(live.size, LONGEST_GAP + 5);
    }

    #[test]
    fn it_goes_once_the_stream_is_there() {
        let state = tempfile::tempdir().unwrap();
        let folder = call(state.path());
        LiveRecording::open(&folder, second(0)).unwrap().add(0, b"one", second(1)).unwrap();
        assert_eq!(folder.recorded(), (folder.live(), folder.live_times()));
        forget(&folder);
        assert!(folder.live().exists() && folder.live_times().exists());
        fs::write(folder.stream(), "one\ntwo\n").unwrap();
        assert_eq!(folder.recorded(), (folder.stream(), folder.times()));
        forget(&folder);
        assert!(!folder.live().exists() && !folder.live_times().exists());
    }
}
