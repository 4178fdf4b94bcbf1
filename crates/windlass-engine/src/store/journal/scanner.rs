//! Bytes of a journal → facts.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use windlass_core::fact::Entry;
use windlass_core::values::RunId;

use super::super::StoreError;
use super::super::error::Attempted as _;
use super::format::FORMAT;

/// So many bytes of a journal are read at once: its facts take several times as much.
pub(super) const PIECE: u64 = 1 << 17;

/// A journal's first line. A newer version may add fields; a change that this version cannot read raises the number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    windlass_journal: u32,
    run: RunId,
}

impl Header {
    pub(super) const fn new(run: RunId) -> Header {
        Header { windlass_journal: FORMAT, run }
    }
}

/// Reads a journal piece by piece, from its beginning.
#[derive(Debug)]
pub(crate) struct Scanner {
    path: PathBuf,
    run: Option<RunId>,
    /// Whole lines read so far.
    lines: usize,
    /// The ordinal of the last fact read; 0 = none yet.
    last_seq: u64,
}

/// What a piece of a journal held.
#[derive(Debug)]
pub struct Scanned {
    /// Its facts.
    pub entries: Vec<Entry>,
    /// Bytes up to the end of the last whole line; what follows is a torn tail, or not yet written.
    pub consumed: usize,
}

impl Scanner {
    pub(crate) fn new(path: &Path) -> Scanner {
        Scanner { path: path.to_owned(), run: None, lines: 0, last_seq: 0 }
    }

    /// The run that the header names, once it was read.
    pub(super) const fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }

    /// The ordinal of the last fact read; 0 = none yet.
    pub(super) const fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Reads the next piece of a file, which begins where the part ends that was consumed before: at least one whole line, or nothing
    /// where there is none yet.
    pub(super) fn scan_piece(&mut self, file: &mut File, begin: u64) -> Result<Scanned, StoreError> {
        let (mut bytes, mut piece) = (Vec::new(), PIECE);
        file.seek(SeekFrom::Start(begin)).attempted("read", &self.path)?;
        loop {
            let read = file.take(piece).read_to_end(&mut bytes).attempted("read", &self.path)?;
            let scanned = self.scan(&bytes)?;
            if scanned.consumed > 0 || (read as u64) < piece {
                return Ok(scanned);
            }
            piece = piece.saturating_mul(2);
        }
    }

    /// Reads what follows the part that was consumed before.
    pub(crate) fn scan(&mut self, bytes: &[u8]) -> Result<Scanned, StoreError> {
        let mut entries = Vec::new();
        let (mut consumed, mut start) = (0, 0);
        // Lines that are not JSON: the tail, unless a line that is JSON follows.
        let mut unreadable = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            let line = bytes.get(start..newline).unwrap_or_default();
            start = newline + 1;
            if let Err(fault) = self.take_line(line, unreadable, &mut entries) {
                if fault.is_json {
                    return Err(fault.error);
                }
                unreadable += 1;
            } else {
                consumed = start;
            }
        }
        Ok(Scanned { entries, consumed })
    }

    fn take_line(
        &mut self,
        line: &[u8],
        unreadable_before: usize,
        entries: &mut Vec<Entry>,
    ) -> Result<(), LineFault> {
        let known = if unreadable_before > 0 {
            Err(self.broken("it is not JSON"))
        } else if self.run.is_none() {
            self.take_header(line)
        } else {
            self.take_entry(line, entries)
        };
        known.map_err(|error| LineFault {
            is_json: serde_json::from_slice::<IgnoredAny>(line).is_ok(),
            error,
        })?;
        self.lines += 1;
        Ok(())
    }

    fn take_header(&mut self, line: &[u8]) -> Result<(), StoreError> {
        /// The part of a header that every version has.
        #[derive(Deserialize)]
        struct AnyHeader {
            windlass_journal: u32,
        }
        let path = || self.path.clone();
        match serde_json::from_slice::<AnyHeader>(line) {
            Ok(header) if header.windlass_journal > FORMAT => {
                Err(StoreError::NewerJournal { path: path(), version: header.windlass_journal })
            }
            Ok(_) => match serde_json::from_slice::<Header>(line) {
                Ok(header) => {
                    self.run = Some(header.run);
                    Ok(())
                }
                Err(error) => Err(self.broken(&error.to_string())),
            },
            Err(_) => Err(StoreError::NotAJournal { path: path() }),
        }
    }

    fn take_entry(&mut self, line: &[u8], entries: &mut Vec<Entry>) -> Result<(), StoreError> {
        let entry: Entry = serde_json::from_slice(line).map_err(|error| self.unknown(&error.to_string()))?;
        let expected = self.last_seq.saturating_add(1);
        if entry.seq != expected {
            return Err(self.broken(&format!("it has the ordinal {}, not {expected}", entry.seq)));
        }
        self.last_seq = entry.seq;
        entries.push(entry);
        Ok(())
    }

    /// A newer Windlass has facts that this one lacks; all that are known here are no help.
    fn unknown(&self, problem: &str) -> StoreError {
        match problem.strip_prefix("unknown variant `").and_then(|rest| rest.split('`').next()) {
            Some(said) => {
                StoreError::NewerFact { path: self.path.clone(), line: self.lines + 1, said: said.to_owned() }
            }
            None => self.broken(problem),
        }
    }

    /// An error about the line after the whole ones.
    fn broken(&self, problem: &str) -> StoreError {
        StoreError::BrokenLine { path: self.path.clone(), line: self.lines + 1, problem: problem.to_owned() }
    }
}

/// A line that is not the fact (or header) that was due.
struct LineFault {
    /// It is JSON all the same: no crash wrote that.
    is_json: bool,
    error: StoreError,
}
