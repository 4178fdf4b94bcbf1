//! What somebody asked of a run through a view: a fact of the run.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{slice, thread};

use windlass_core::fact::{Entry, Fact};
pub use windlass_core::report::ActionAsked;
use windlass_core::values::RunId;
use windlass_engine::executor::Clock;
use windlass_engine::store::journal::Opened;
use windlass_engine::store::lock::{self, Acquired, Lock};
use windlass_engine::store::{Journal, RunFolder, journal};

use crate::app::App;
use crate::error::AppError;
use crate::here::Here;

/// Does it stand in the run's journal?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journalled {
    /// It does.
    Yes,
    /// It does not: the run has moved since it was seen.
    Moved,
    /// It does not: somebody works there, or was killed there, and nobody else writes the journal then.
    Elsewhere,
}

impl App {
    /// Writes into the journal of a run that has ended that something is asked of it, by somebody who has seen it up to a fact.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub fn journal_asked(&self, run: &RunId, seen: u64, asked: &ActionAsked) -> Result<Journalled, AppError> {
        let here = Here::find_broken(self)?;
        let folder = RunFolder::of(&here.project, run);
        // What a killed run left behind says so to the next one: it stays as it is.
        if lock::holder(&here.project, &here.directory)?.is_some() || !has_ended(&folder)? {
            return Ok(Journalled::Elsewhere);
        }
        let acquired = Lock::acquire(&here.project, &here.directory, run, Duration::ZERO)?;
        let Acquired::Taken(lock) = acquired else { return Ok(Journalled::Elsewhere) };
        let written = append_unless_moved(&folder, seen, asked);
        lock.release()?;
        written
    }
}

/// Bytes that are read of what is new in a journal.
const NEW: u64 = 256 * 1024;

/// So long it is waited for a fact, and looked again after each pause.
const HEARING: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);

/// How long a journal is.
pub(crate) fn length(journal: &Path) -> u64 {
    // outside: the run's folder.
    journal.metadata().map_or(0, |about| about.len())
}

/// Waits until a journal holds such a fact among those that came since it was so long. A run may take so long to write it
/// down; one that hears nothing is not waited for any longer.
pub(crate) fn wait_for(journal: &Path, before: u64, is_it: impl Fn(&Fact) -> bool) {
    let began = Instant::now();
    while !has_since(journal, before, &is_it) && began.elapsed() < HEARING {
        thread::sleep(LOOK);
    }
}

/// Does a journal hold such a fact, among those that came since it was so long?
pub(crate) fn has_since(journal: &Path, before: u64, is_it: impl Fn(&Fact) -> bool) -> bool {
    let read = || {
        // outside: the run's folder.
        let mut file = File::open(journal)?;
        file.seek(SeekFrom::Start(before))?;
        let mut new = Vec::new();
        file.take(NEW).read_to_end(&mut new)?;
        Ok::<_, std::io::Error>(new)
    };
    let has = |line: &[u8]| serde_json::from_slice::<Entry>(line).is_ok_and(|entry| is_it(&entry.fact));
    read().is_ok_and(|new| new.split(|byte| *byte == b'\n').any(has))
}

fn has_ended(folder: &RunFolder) -> Result<bool, AppError> {
    let entries = journal::read(&folder.journal())?;
    let last = entries.iter().rev().find(|entry| !matches!(entry.fact, Fact::ActionAsked(_)));
    Ok(last.is_some_and(|last| matches!(last.fact, Fact::RunFinished { .. })))
}

fn append_unless_moved(folder: &RunFolder, seen: u64, asked: &ActionAsked) -> Result<Journalled, AppError> {
    let mut opened = Journal::open(folder)?;
    if opened.entries.last().is_none_or(|last| last.seq != seen) {
        return Ok(Journalled::Moved);
    }
    append(&mut opened, asked)?;
    Ok(Journalled::Yes)
}

/// Writes it down, and makes sure that it stays there.
pub(crate) fn append(opened: &mut Opened, asked: &ActionAsked) -> Result<(), AppError> {
    let seq = opened.entries.last().map_or(1, |last| last.seq + 1);
    let entry = Entry { seq, at: Clock::start().now(), fact: Fact::ActionAsked(asked.clone()) };
    opened.journal.append(slice::from_ref(&entry))?;
    opened.journal.sync()?;
    opened.entries.push(entry);
    Ok(())
}
