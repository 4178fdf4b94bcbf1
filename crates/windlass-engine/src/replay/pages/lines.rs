//! Where lines begin and end in a file that may be long and may grow.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::LONGEST_DECODED;
use crate::store::StoreError;

/// Read at once.
const CHUNK: u64 = 64 * 1024;

/// A recorded stream, as long as it was when it was opened.
#[derive(Debug)]
pub(super) struct Stream {
    path: PathBuf,
    file: File,
    pub size: u64,
}

/// A line of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Where it begins.
    pub start: u64,
    /// Where the next one begins.
    pub end: u64,
    /// Without its end; `None` where it is longer than what is decoded.
    pub text: Option<Vec<u8>>,
}

impl Stream {
    /// `None` where there is no such file.
    pub fn open(path: &Path) -> Result<Option<Stream>, StoreError> {
        let failed = |error| StoreError::io("read", path, error);
        match File::open(path) {
            Ok(file) => {
                let size = file.metadata().map_err(failed)?.len();
                Ok(Some(Stream { path: path.to_owned(), file, size }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// The bytes between two places, as far as there are any.
    pub fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; usize::try_from(to.min(self.size).saturating_sub(from)).unwrap_or_default()];
        let mut got = 0;
        while let Some(rest) = bytes.get_mut(got..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, from + got as u64) {
                Ok(0) => break,
                Ok(count) => got += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(StoreError::io("read", &self.path, error)),
            }
        }
        bytes.truncate(got);
        Ok(bytes)
    }

    /// Where the line begins that this byte is in.
    pub fn beginning(&self, byte: u64) -> Result<u64, StoreError> {
        let mut end = byte.min(self.size);
        while end > 0 {
            let from = end.saturating_sub(CHUNK);
            if let Some(found) = memchr::memrchr(b'\n', &self.read(from, end)?) {
                return Ok(from + found as u64 + 1);
            }
            end = from;
        }
        Ok(0)
    }

    /// Where the last line before `until` begins, or an earlier one, but none before `near` if that can be. `until` begins a line
    /// or ends the stream.
    pub fn beginning_near(&self, near: u64, until: u64) -> Result<u64, StoreError> {
        if near == 0 {
            return Ok(0);
        }
        // A line that begins exactly there counts.
        let from = near - 1;
        let bytes = self.read(from, until.saturating_sub(1))?;
        match memchr::memchr(b'\n', &bytes) {
            Some(found) => Ok(from + found as u64 + 1),
            None => self.beginning(near),
        }
    }

    /// Where the last line ends that has an end.
    pub fn last_end(&self) -> Result<u64, StoreError> {
        self.beginning(self.size)
    }

    /// The line that begins here; `None` where none does before `whole`.
    pub fn line(&self, start: u64, whole: u64) -> Result<Option<Line>, StoreError> {
        self.reader(start, whole).next()
    }

    /// The lines from here on.
    pub fn reader(&self, start: u64, whole: u64) -> Reader<'_> {
        Reader { stream: self, at: start, whole: whole.min(self.size), held: Vec::new(), from: start }
    }

    /// Copies the line that begins here, without its end.
    pub fn copy(&self, start: u64, to: &mut dyn io::Write) -> Result<u64, StoreError> {
        let failed = |error| StoreError::io("copy", &self.path, error);
        let mut at = start;
        loop {
            let bytes = self.read(at, at + CHUNK)?;
            let piece = memchr::memchr(b'\n', &bytes).and_then(|found| bytes.get(..found));
            to.write_all(piece.unwrap_or(&bytes)).map_err(failed)?;
            at += piece.unwrap_or(&bytes).len() as u64;
            if piece.is_some() || bytes.is_empty() {
                return Ok(at - start);
            }
        }
    }
}

/// Reads lines one after another; a long one takes no memory.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    stream: &'a Stream,
    /// Where the next line begins.
    at: u64,
    /// Nothing is read from here on; what stands before it without an end is a line.
    whole: u64,
    /// Bytes that were read already.
    held: Vec<u8>,
    /// Where they begin.
    from: u64,
}

impl Reader<'_> {
    /// The next line.
    pub fn next(&mut self) -> Result<Option<Line>, StoreError> {
        if self.at >= self.whole {
            return Ok(None);
        }
        let start = self.at;
        // So much of the line has been looked through.
        let mut looked = start;
        loop {
            let held = self.held_from(looked);
            if let Some(found) = memchr::memchr(b'\n', held) {
                let newline = looked + found as u64;
                return self.give(start, newline, newline + 1);
            }
            looked += held.len() as u64;
            if looked >= self.whole {
                return self.give(start, self.whole, self.whole);
            }
            if looked - start > LONGEST_DECODED {
                // It is only measured.
                (self.held, self.from) = (Vec::new(), looked);
            } else {
                self.held = self.held_from(start).to_vec();
                self.from = start;
            }
            let more = self.stream.read(looked, self.whole.min(looked + CHUNK))?;
            if more.is_empty() {
                // Somebody cut it off meanwhile.
                self.whole = looked;
                return if looked > start { self.give(start, looked, looked) } else { Ok(None) };
            }
            self.held.extend_from_slice(&more);
        }
    }

    fn held_from(&self, at: u64) -> &[u8] {
        let skipped = at.checked_sub(self.from).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.held.get(skipped..)).unwrap_or_default()
    }

    fn give(&mut self, start: u64, to: u64, end: u64) -> Result<Option<Line>, StoreError> {
        self.at = end;
        if to - start > LONGEST_DECODED {
            return Ok(Some(Line { start, end, text: None }));
        }
        let length = usize::try_from(to - start).unwrap_or_default();
        let text = self.held_from(start).get(..length).map(<[u8]>::to_vec);
        let text = match text {
            Some(text) => text,
            None => self.stream.read(start, to)?,
        };
        Ok(Some(Line { start, end, text: Some(text) }))
    }
}
