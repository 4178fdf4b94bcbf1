//! Threads for what may take long: looking at the tree, keeping it, writing prompts, committing, reading old streams.
//! In each lane one thing is done at a time, in the order it was asked.

use std::collections::{BTreeMap, btree_map};
use std::error::Error;
use std::fmt::Display;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use windlass_core::report::Report;
use windlass_core::run::Order;
use windlass_core::values::{LaneId, StopReason};

use super::event::{Event, Events, WorkError};
use super::working_trees::WorkingTrees;
use crate::executor::EngineError;
use crate::sandbox::SandboxError;
use crate::store::StoreError;
use windlass_git::commit::CommitError;
use windlass_git::git::{GitError, is_disk_full};
use windlass_git::inventory::SurveyError;
use windlass_git::snapshot::SnapshotError;
use windlass_host::file::FileError;
use windlass_host::process::ProcessError;

/// How long the end of a run waits for what the worker is doing.
const PATIENCE: Duration = Duration::from_secs(5);

/// The handle of those who work: one thread for the user's directory, and one for each lane with a checkout of its own, so
/// that no lane waits for what another's checkout takes.
pub(super) struct Workers {
    /// Those who work in the user's directory, and what the others are made from.
    main: Worker,
    lanes: BTreeMap<LaneId, Worker>,
    trees: WorkingTrees,
    shared: Arc<Mutex<()>>,
    events: Events,
}

/// One thread's handle.
#[derive(Debug)]
struct Worker {
    work: Sender<Order>,
    /// Nothing is ever sent; it closes when the thread ends.
    gone: Receiver<()>,
}

impl Workers {
    /// Starts the first thread.
    pub fn start(world: WorkingTrees, events: Events) -> Result<Workers, ProcessError> {
        let (trees, shared) = (world.another(), Arc::default());
        let main = Worker::start("worker".to_owned(), world, &shared, events.clone())?;
        Ok(Workers { main, lanes: BTreeMap::new(), trees, shared, events })
    }

    /// Lets all finish what they are doing, so that nothing is left half-written, but waits no longer than that is worth.
    pub fn close(&mut self) {
        let until = Instant::now() + PATIENCE;
        self.main.dismiss();
        self.lanes.values_mut().for_each(Worker::dismiss);
        for worker in std::iter::once(&self.main).chain(self.lanes.values()) {
            let _ = worker.gone.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Has a thread ended although it was not told to? Only a defect does that.
    pub fn is_gone(&self) -> bool {
        let mut all = std::iter::once(&self.main).chain(self.lanes.values());
        all.any(|worker| worker.gone.try_recv() == Err(TryRecvError::Disconnected))
    }

    /// Hands an effect to the thread of its lane.
    pub fn carry_out(&mut self, order: Order) -> Result<(), EngineError> {
        let worker = match self.trees.own_lane(&order.effect) {
            None => &self.main,
            Some(lane) => match self.lanes.entry(lane) {
                btree_map::Entry::Occupied(there) => there.into_mut(),
                btree_map::Entry::Vacant(place) => {
                    let (name, trees) = (format!("worker-{lane}"), self.trees.another());
                    place.insert(Worker::start(name, trees, &self.shared, self.events.clone())?)
                }
            },
        };
        worker.work.send(order).map_err(|_| EngineError::Broken)
    }
}

impl Worker {
    fn start(
        name: String,
        world: WorkingTrees,
        shared: &Arc<Mutex<()>>,
        events: Events,
    ) -> Result<Worker, ProcessError> {
        let (work, inbox) = channel();
        let (going, gone) = channel();
        let shared = Arc::clone(shared);
        let work_off = move || {
            work_off(world, &inbox, &shared, &events);
            drop(going);
        };
        thread::Builder::new().name(name).spawn(work_off).map_err(ProcessError::system("start a thread"))?;
        Ok(Worker { work, gone })
    }

    /// Without a sender its inbox ends.
    fn dismiss(&mut self) {
        self.work = channel().0;
    }
}

/// Ends when nobody orders any more.
fn work_off(mut world: WorkingTrees, inbox: &Receiver<Order>, shared: &Mutex<()>, events: &Events) {
    for order in inbox {
        // The task file and the journal of progress are written one after another. What another thread left undone when
        // it died is said by that thread's end.
        let turn = WorkingTrees::is_shared(&order.effect)
            .then(|| shared.lock().unwrap_or_else(PoisonError::into_inner));
        let carried_out = world.carry_out(&order);
        drop(turn);
        events.tell(Event::Worked(order.epoch, carried_out));
    }
}

impl WorkError {
    /// The disk is full, or something is broken.
    pub(super) fn new(error: &(dyn Error + 'static)) -> WorkError {
        WorkError::of(if is_disk_full(error) { StopReason::DiskFull } else { StopReason::Internal }, error)
    }

    pub(super) fn of(stop_reason: StopReason, error: &(impl Display + ?Sized)) -> WorkError {
        WorkError { stop_reason, detail: error.to_string() }
    }
}

/// Errors that say nothing but that something is broken.
macro_rules! broken {
    ($($error:ty),+) => {$(
        impl From<$error> for WorkError {
            fn from(error: $error) -> WorkError {
                WorkError::new(&error)
            }
        }
    )+};
}

broken!(StoreError, SnapshotError, FileError, SandboxError);

impl From<GitError> for WorkError {
    fn from(error: GitError) -> WorkError {
        if error.is_locked() {
            return WorkError::of(StopReason::NeedsHuman, &error);
        }
        WorkError::new(&error)
    }
}

impl From<CommitError> for WorkError {
    fn from(error: CommitError) -> WorkError {
        match error {
            CommitError::Git(error) => error.into(),
            CommitError::Snapshot(error) => error.into(),
            CommitError::File(error) => WorkError::new(&error),
        }
    }
}

impl From<SurveyError> for WorkError {
    fn from(error: SurveyError) -> WorkError {
        match error {
            SurveyError::Root { .. } => WorkError::of(StopReason::DestructiveChange, &error),
            SurveyError::Git(error) => error.into(),
        }
    }
}

/// What one effect gave: its result last, notices before it.
pub(super) type Worked = Result<Vec<Report>, WorkError>;
