//! What the agents of a run that is driven elsewhere print, heard while they do.

use std::fs::{File, OpenOptions};
use std::time::Duration;

use jiff::Timestamp;
use windlass_engine::store::RunFolder;
use windlass_fleet::signals::{Ear, Signal, Signals};
use windlass_fleet::{Deadline, Fleet};
use windlass_host::file::{AtPath, is_locked, lock_within};

use crate::journal::JournalError;
use crate::live::HeardCalls;

/// Whoever hears a run for its folder here holds this file.
const LOCK: &str = "heard.lock";

/// How long it may take until the servers know that somebody listens.
const CALL: Duration = Duration::from_secs(10);

/// So many lines are taken in at once, so that who says too much keeps nobody from anything else.
const MOST: usize = 10_000;

/// Does somebody on this machine hear what the agents of this run say?
pub(super) fn is_heard(folder: &RunFolder) -> bool {
    is_locked(&folder.path().join(LOCK))
}

/// Writes what is heard where whoever reads the streams of the run's calls finds it.
pub struct CopyEar {
    ear: Ear,
    calls: HeardCalls,
    _lock: File,
}

impl CopyEar {
    /// `None` where somebody else on this machine does.
    ///
    /// # Errors
    /// The servers cannot be used, or the folder cannot be written into.
    pub fn begin(fleet: &Fleet, folder: &RunFolder) -> Result<Option<CopyEar>, JournalError> {
        let path = folder.path().join(LOCK);
        // outside: the state folder.
        let lock = OpenOptions::new().create(true).append(true).open(&path).at("open", &path)?;
        if !lock_within(&lock, Duration::ZERO, Duration::ZERO).at("lock", &path)? {
            return Ok(None);
        }
        let ear = Signals::of(fleet).hear_live(folder.run(), Deadline::after(CALL))?;
        Ok(Some(CopyEar { ear, calls: HeardCalls::of(folder), _lock: lock }))
    }

    /// Takes in what has been said since; nothing is waited for.
    pub fn hear(&mut self) {
        for _ in 0..MOST {
            match self.ear.next(Deadline::after(Duration::ZERO)) {
                Ok(Some(Signal::Live { lane, text })) => self.calls.take(lane, &text, Timestamp::now(), None),
                Ok(None) => break,
                // What is garbled is lost, as it may be.
                _ => {}
            }
        }
    }

    /// Takes in which calls have ended.
    pub fn look(&mut self) {
        self.calls.look(None);
    }
}
