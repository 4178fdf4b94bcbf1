//! What was asked through the page: a file each, named after the SHA-256 of the key that the browser drew for it, so that nothing is
//! done twice, whatever is killed meanwhile.
//!
//! The file is made before anything is done, in one step: whoever makes it does it. Its outcome is written when it is known. One without
//! an outcome, whose server is gone, was cut off: it is not done again by itself, and whoever asks again is told to look.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_app::{AppError, Kind};
use windlass_core::values::RunId;
use windlass_host::file::{self, Made};

use crate::own_files;
use crate::site::locked;

/// So many are kept.
const KEPT: usize = 1000;

/// Bytes of one that are read.
const LONGEST: usize = 64 * 1024;

/// What was asked, by whom, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Of which run.
    pub run: RunId,
    /// What, in words.
    pub what: String,
    /// The browser, by what it calls itself, and where it is.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// The number of the run's last fact that the browser had been shown.
    pub seq: u64,
    /// What it came to; `None` before that is known.
    pub outcome: Option<ActionOutcome>,
}

/// What something that was asked came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// The status of the answer.
    pub status: u16,
    /// A sentence or more.
    pub said: String,
}

/// Is it the first time that this is asked?
#[derive(Debug)]
pub enum Claim {
    /// It is to be done now.
    First(Ticket),
    /// It was done, and came to this.
    Done(ActionOutcome),
    /// It is being done.
    UnderWay,
    /// Whoever did it was ended meanwhile.
    CutOff(Record),
}

/// The right to do something once.
#[derive(Debug)]
pub struct Ticket {
    path: PathBuf,
    record: Record,
}

/// All that was asked.
#[derive(Debug)]
pub struct Asked {
    folder: PathBuf,
    under_way: Mutex<HashSet<PathBuf>>,
}

impl Asked {
    /// In this folder, which is made where it is not there.
    pub fn at(folder: &Path) -> Result<Asked, AppError> {
        file::create_private_folder(folder).map_err(AppError::system)?;
        let asked = Asked { folder: folder.to_owned(), under_way: Mutex::new(HashSet::new()) };
        asked.tidy();
        Ok(asked)
    }

    /// Who asks for this, by the key that the browser drew for it?
    pub fn claim(&self, key: &str, record: Record) -> Result<Claim, AppError> {
        let path = self.folder.join(file::digest(key.as_bytes()));
        let mut under_way = locked(&self.under_way);
        if own_files::make(&path, &record)? == Made::Anew {
            under_way.insert(path.clone());
            return Ok(Claim::First(Ticket { path, record }));
        }
        let Some(known) = read(&path) else {
            return Err(AppError::new(Kind::System, format!("{} cannot be read", path.display())));
        };
        if (&known.run, &known.what) != (&record.run, &record.what) {
            return Err(AppError::usage("this key was used for something else"));
        }
        Ok(match known.outcome {
            Some(outcome) => Claim::Done(outcome),
            None if under_way.contains(&path) => Claim::UnderWay,
            None => Claim::CutOff(known),
        })
    }

    /// Writes down what it came to.
    pub fn settle(&self, ticket: Ticket, outcome: &ActionOutcome) -> Result<(), AppError> {
        let record = Record { outcome: Some(outcome.clone()), ..ticket.record };
        let written = own_files::write(&ticket.path, &record);
        locked(&self.under_way).remove(&ticket.path);
        written
    }

    /// What was asked of a run, the newest first.
    pub fn of_run(&self, run: &RunId) -> Vec<Record> {
        let mut found: Vec<Record> = own_files::in_folder(&self.folder)
            .iter()
            .filter_map(|path| read(path))
            .filter(|record| record.run == *run)
            .collect();
        found.sort_by_key(|record| std::cmp::Reverse(record.at));
        found
    }

    /// Removes the oldest where there are too many.
    fn tidy(&self) {
        let mut all: Vec<(Option<Timestamp>, PathBuf)> = own_files::in_folder(&self.folder)
            .into_iter()
            .map(|path| (read(&path).map(|record| record.at), path))
            .collect();
        all.sort();
        let too_many = all.len().saturating_sub(KEPT);
        for (_, path) in all.into_iter().take(too_many) {
            let _ = fs::remove_file(path);
        }
    }
}

fn read(path: &Path) -> Option<Record> {
    serde_json::from_slice(&file::read_beginning(path, LONGEST).ok()??).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let run = RunId("r-7k2".to_owned());
        Record {
            run,
            what: "stop".to_owned(),
            by: "b".to_owned(),
            at: Timestamp::now(),
            seq: 7,
            outcome: None,
        }
    }

    #[test]
    fn what_is_asked_twice_is_done_once_also_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let asked = Asked::at(folder.path()).unwrap();
        let Claim::First(ticket) = asked.claim("one", record()).unwrap() else { panic!("the first") };
        assert!(matches!(asked.claim("one", record()).unwrap(), Claim::UnderWay));
        // Another server after this one was killed: nobody knows how far it came.
        let after = Asked::at(folder.path()).unwrap();
        assert!(matches!(after.claim("one", record()).unwrap(), Claim::CutOff(_)));
        let outcome = ActionOutcome { status: 200, said: "done".to_owned() };
        asked.settle(ticket, &outcome).unwrap();
        for server in [&asked, &after] {
            assert!(matches!(server.claim("one", record()).unwrap(), Claim::Done(said) if said == outcome));
        }
        assert!(matches!(asked.claim("two", record()).unwrap(), Claim::First(_)));
        let other = Record { what: "resume".to_owned(), ..record() };
        assert!(asked.claim("one", other).is_err(), "a key is for one thing");
        assert_eq!(asked.of_run(&record().run).len(), 2);
    }

    #[test]
    fn two_that_come_at_the_same_time_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let asked = Asked::at(folder.path()).unwrap();
        let firsts = std::thread::scope(|scope| {
            let asking = (0..8).map(|_| scope.spawn(|| asked.claim("one", record()).unwrap()));
            let asking: Vec<_> = asking.collect();
            let claims = asking.into_iter().map(|asking| asking.join().unwrap());
            claims.filter(|claim| matches!(claim, Claim::First(_))).count()
        });
        assert_eq!(firsts, 1);
    }
}
