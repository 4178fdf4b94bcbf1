//! The journal: the facts of a run, one JSON line each, appended and never rewritten.
//!
//! The first line is a header, `{"windlass_journal":1,"run":"r-…"}`; every other line is an
//! [`Entry`], and their ordinals count from 1 without a gap.
//!
//! A fact counts once its line ends in a newline. What a crash leaves behind the last whole line, the *torn tail*, is
//! moved to a file of its own when the journal is next opened for appending, so that nothing is thrown away and
//! nothing is glued to the next fact. A broken line with whole ones behind it is not a crash but damage: that is an error
//! which names the line, and nothing is changed.
//!
//! Beside the journal lies a `reserve` of 64 KiB. When the disk is full, [`Journal::release_reserve`] frees it, so that
//! the facts with which the run ends can still be written.
//!
//! In debug builds, faults can be injected by an environment variable; [`fault`] describes it.

mod fault;
mod follower;
pub(super) mod format;
mod reserve;
pub(crate) mod scanner;
mod seal;

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::fact::Entry;
use windlass_core::values::RunId;

use self::fault::{Faults, Write};
use self::scanner::{Header, Scanner};
use super::StoreError;
use super::error::Attempted as _;
use super::files::{create_folder, open_file, open_private, read_if_present, sync_folder, write_atomically};
use super::run_folder::RunFolder;

pub use self::follower::Follower;
pub use self::reserve::RESERVE_BYTES;
pub use self::scanner::Scanned;

/// A journal open for appending. There must be only one per run: whoever opens it holds the lock of the run's working
/// directory.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    reserve: PathBuf,
    /// Where the last whole batch ends, in bytes.
    length: u64,
    /// Part of a failed batch may lie behind `length`.
    torn: bool,
    /// Something was written since the last sync.
    dirty: bool,
    /// Lines about to be written; kept for its memory.
    lines: Vec<u8>,
    faults: Faults,
}

/// A journal that was continued.
#[derive(Debug)]
pub struct Opened {
    /// Ready for appending.
    pub journal: Journal,
    /// Every fact so far.
    pub entries: Vec<Entry>,
    /// Where a torn tail was put, if there was one.
    pub sealed: Option<PathBuf>,
}

impl Journal {
    /// Begins the journal of a new run, header and reserve included.
    ///
    /// # Errors
    /// There is a journal already, or it cannot be written.
    pub fn create(folder: &RunFolder) -> Result<Journal, StoreError> {
        Journal::create_with(folder, Faults::from_environment())
    }

    fn create_with(folder: &RunFolder, faults: Faults) -> Result<Journal, StoreError> {
        let path = folder.journal();
        let file = open_private(OpenOptions::new().create_new(true).append(true), &path)
            .attempted("create", &path)?;
        let mut journal = Journal::new(folder, file, 0, faults);
        reserve::fill(&journal.reserve)?;
        journal.write_header(folder)?;
        sync_folder(folder.path())?;
        Ok(journal)
    }

    /// Continues a run's journal: loads its facts and seals a torn tail.
    ///
    /// # Errors
    /// There is no journal, it is damaged or newer than this version, or it cannot be written.
    pub fn open(folder: &RunFolder) -> Result<Opened, StoreError> {
        Journal::open_with(folder, Faults::from_environment())
    }

    fn open_with(folder: &RunFolder, faults: Faults) -> Result<Opened, StoreError> {
        let path = folder.journal();
        let file =
            open_private(OpenOptions::new().read(true).append(true), &path).attempted("open", &path)?;
        let bytes = fs::read(&path).attempted("read", &path)?;
        let mut scanner = Scanner::new(&path);
        let content = scanner.scan(&bytes)?;
        if let Some(found) = scanner.run()
            && found != folder.run()
        {
            return Err(StoreError::WrongRun { path, expected: folder.run().clone(), found: found.clone() });
        }
        let (whole, tail) = bytes.split_at(content.consumed);
        let sealed = seal::seal(&file, &path, whole.len() as u64, tail)?;
        let mut journal = Journal::new(folder, file, whole.len() as u64, faults);
        reserve::fill(&journal.reserve)?;
        if whole.is_empty() {
            journal.write_header(folder)?;
        }
        Ok(Opened { journal, entries: content.entries, sealed })
    }

    fn new(folder: &RunFolder, file: File, length: u64, faults: Faults) -> Journal {
        Journal {
            path: folder.journal(),
            file,
            reserve: folder.reserve(),
            length,
            torn: false,
            dirty: true,
            lines: Vec::new(),
            faults,
        }
    }

    /// Appends facts with one write, without a sync. Either all of them are in the journal afterwards or, with an
    /// error, none.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`]: [`release_reserve`](Journal::release_reserve) and try again.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        self.lines.clear();
        for entry in entries {
            self.add_line(entry)?;
        }
        self.write_lines()
    }

    /// Makes everything appended so far survive a power failure. Does nothing when nothing was appended since.
    ///
    /// # Errors
    /// As for [`append`](Journal::append); nothing may be taken for certain then.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        if self.dirty {
            self.file.sync_data().attempted("sync", &self.path)?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Frees the reserved bytes, so that the last facts can be written although the disk is full. To be called once,
    /// for the way out: the reserve is filled again when the journal is next opened.
    pub fn release_reserve(&mut self) -> Result<(), StoreError> {
        self.faults.reserve_released();
        reserve::release(&self.reserve)
    }

    /// Does its path still lead to it, and does it hold what was written and nothing else? Whoever removes, moves, empties or adds
    /// to it makes no write fail: what is written then is nowhere, or cannot be read.
    pub fn is_in_place(&self) -> bool {
        let (Ok(own), there) = (self.file.metadata(), fs::metadata(&self.path)) else { return true };
        match there {
            Ok(there) => {
                let is_ours = self.torn || there.len() == self.length;
                is_ours && (own.dev(), own.ino()) == (there.dev(), there.ino())
            }
            Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        }
    }

    /// Its length in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    fn write_header(&mut self, folder: &RunFolder) -> Result<(), StoreError> {
        self.lines.clear();
        self.add_line(&Header::new(folder.run().clone()))?;
        self.write_lines()
    }

    fn add_line(&mut self, value: &impl serde::Serialize) -> Result<(), StoreError> {
        add_line(&mut self.lines, value)
            .map_err(|source| StoreError::Unwritable { path: self.path.clone(), source })
    }

    fn write_lines(&mut self) -> Result<(), StoreError> {
        if self.torn {
            self.roll_back()?;
        }
        self.dirty = true;
        match self.write_with_faults() {
            Ok(()) => {
                self.length += self.lines.len() as u64;
                self.faults.after_write();
                Ok(())
            }
            Err(error) => {
                // If even that is refused, the next write begins with it, and so does the next opening.
                self.torn = self.roll_back().is_err();
                Err(StoreError::io("write", &self.path, error))
            }
        }
    }

    fn write_with_faults(&mut self) -> io::Result<()> {
        match self.faults.before_write(self.lines.len()) {
            Write::Whole => self.file.write_all(&self.lines),
            Write::TornThenKilled(bytes) => {
                self.file.write_all(self.lines.get(..bytes).unwrap_or(&self.lines))?;
                fault::kill_this_process()
            }
            Write::TornThenFull(bytes) => {
                self.file.write_all(self.lines.get(..bytes).unwrap_or(&self.lines))?;
                Err(io::ErrorKind::StorageFull.into())
            }
        }
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        self.file.set_len(self.length).attempted("shorten", &self.path)?;
        self.torn = false;
        Ok(())
    }
}

/// The first line of a run's journal, its newline included.
pub fn header(run: &RunId) -> Vec<u8> {
    let mut line = Vec::new();
    // Its fields can all be written.
    let _ = add_line(&mut line, &Header::new(run.clone()));
    line
}

/// The lines of facts, as [`Journal::append`] writes them.
///
/// # Errors
/// A value cannot be written as JSON; then it is in no journal either.
pub fn lines(entries: &[Entry]) -> Result<Vec<u8>, serde_json::Error> {
    let mut lines = Vec::new();
    entries.iter().try_for_each(|entry| add_line(&mut lines, entry))?;
    Ok(lines)
}

fn add_line(lines: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *lines, value)?;
    lines.push(b'\n');
    Ok(())
}

/// Puts the bytes of a journal that is kept elsewhere in the place of a run's; where the run has none, its folder is made. One
/// that begins with what is there is gone on with, for whoever follows it; otherwise what is there is put aside, and said where.
///
/// # Errors
/// The bytes are those of no journal, or of another run's; or something cannot be written. Nothing is changed then.
pub fn replace(folder: &RunFolder, bytes: &[u8]) -> Result<Option<PathBuf>, StoreError> {
    let path = folder.journal();
    let mut scanner = Scanner::new(&path);
    scanner.scan(bytes)?;
    match scanner.run() {
        Some(found) if found == folder.run() => {}
        Some(found) => {
            return Err(StoreError::WrongRun { path, expected: folder.run().clone(), found: found.clone() });
        }
        None => return Err(StoreError::NotAJournal { path }),
    }
    create_folder(folder.path())?;
    let before = read_if_present(&path)?.unwrap_or_default();
    match bytes.strip_prefix(before.as_slice()) {
        Some(more) if !before.is_empty() => {
            let mut file = open_private(OpenOptions::new().append(true), &path).attempted("open", &path)?;
            file.write_all(more).and_then(|()| file.sync_data()).attempted("write", &path)?;
            Ok(None)
        }
        found => {
            let aside = if found.is_none() { Some(seal::put_aside(&path, "aside", &before)?) } else { None };
            write_atomically(&path, bytes)?;
            Ok(aside)
        }
    }
}

/// The facts in the bytes of a journal, from its first byte; `path` is only named in errors.
///
/// # Errors
/// The bytes are those of no journal, of a damaged one, or of one that is newer than this version.
pub fn scan(path: &Path, bytes: &[u8]) -> Result<Scanned, StoreError> {
    Scanner::new(path).scan(bytes)
}

/// A journal's facts, without changing anything. A torn tail is passed over: the run may be writing it just now.
///
/// # Errors
/// There is no journal, or it is damaged or newer than this version.
pub fn read(path: &Path) -> Result<Vec<Entry>, StoreError> {
    let mut file = open_file(path).attempted("read", path)?;
    let length = file.metadata().attempted("read", path)?.len();
    let mut scanner = Scanner::new(path);
    let (mut entries, mut position) = (Vec::new(), 0);
    loop {
        let piece = scanner.scan_piece(&mut file, position)?;
        if piece.consumed == 0 {
            return Ok(entries);
        }
        if position == 0 {
            // A long list that grows is copied from one place to the next, and both are held meanwhile.
            let pieces = usize::try_from(length.div_ceil(scanner::PIECE)).unwrap_or(1);
            entries.reserve(piece.entries.len().saturating_mul(pieces));
        }
        entries.extend(piece.entries);
        position += piece.consumed as u64;
    }
}
