//! The file that a worker keeps its costs in: whoever starts again knows what it has spent.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::values::{CallReport, Cost, RunId};
use windlass_fleet::names::WorkerName;
use windlass_host::file::{FileError, read_if_there, replace};

use super::{BEGINNING, Call, Kept, Room, Spending};

/// What a worker has spent is not known.
#[derive(Debug, thiserror::Error)]
pub enum BooksError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was not written by a worker.
    #[error("what this worker spent is not known: {} is damaged: {problem}", .path.display())]
    Damaged {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        problem: serde_json::Error,
    },
}

/// What is spent and set aside: each change is on the disk before anything follows from it.
#[derive(Debug)]
pub(in crate::worker) struct Books {
    path: PathBuf,
    began: Instant,
    spending: Mutex<Spending>,
}

impl Books {
    /// Those of a worker, which keeps what it has in this folder. No call is under way.
    pub fn open(home: &Path, worker: &WorkerName) -> Result<Books, BooksError> {
        let path = home.join(format!("spending-{worker}.json"));
        let spending = match read_if_there(&path)? {
            None => Spending::default(),
            Some(bytes) => {
                let kept: Kept = serde_json::from_slice(&bytes)
                    .map_err(|problem| BooksError::Damaged { path: path.clone(), problem })?;
                Spending::found(kept, Timestamp::now())
            }
        };
        let books = Books { path, began: Instant::now(), spending: Mutex::new(spending) };
        // Otherwise what nobody saw the end of would be of the next start, again and again.
        books.change(|_, _| {})?;
        Ok(books)
    }

    /// A call begins: what is set aside for it is known before it costs anything.
    pub fn begin(&self, call: Call) -> Result<(), FileError> {
        self.change(|spending, _| spending.begin(call))
    }

    /// A call has ended.
    pub fn end(&self, call: &Call, report: &CallReport) -> Result<(), FileError> {
        self.change(|spending, now| spending.end(now, call, report))
    }

    /// Nobody hears any more how the calls of a run end.
    pub fn lose(&self, run: &RunId) -> Result<(), FileError> {
        self.change(|spending, now| spending.lose(now, |of| of == run))
    }

    /// Is there room for another task, where so many lanes are at work?
    pub fn room(&self, most: Option<Cost>, lanes: usize) -> Room {
        self.spending().room(self.now(), most, lanes)
    }

    fn now(&self) -> Duration {
        self.began.elapsed() + BEGINNING
    }

    fn spending(&self) -> MutexGuard<'_, Spending> {
        self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Spending, Duration)) -> Result<(), FileError> {
        // Held while it is written: what is kept last is the newest.
        let mut spending = self.spending();
        let now = self.now();
        change(&mut spending, now);
        spending.forget(now);
        let kept = serde_json::to_vec(&spending.kept(now, Timestamp::now())).unwrap_or_default();
        replace(&self.path, &kept, 0o600)
    }
}
