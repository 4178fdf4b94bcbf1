//! A thread for what may take long: looking at the tree, keeping it, writing prompts, committing, reading old streams.
//! It does one thing at a time, in the order it was asked.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use windlass_core::fact::{Assessment, CheckOutcome, Standing, StopReason};
use windlass_core::run::{Effect, Input, Run};

use super::error::EngineError;
use super::event::{Event, WorkError};
use super::world::World;
use crate::git::{CommitError, GitError};
use crate::inventory::SurveyError;
use crate::process::ProcessError;
use crate::snapshot::SnapshotError;
use crate::store::StoreError;

/// How long the end of a run waits for what the worker is doing.
const PATIENCE: Duration = Duration::from_secs(5);

/// An effect, with what the worker needs to know of the run's state.
#[derive(Debug)]
pub(super) struct Work {
    /// What is to be done.
    pub effect: Effect,
    /// What the run knows that a prompt may have to say.
    pub known: Known,
}

/// What a run knows that a prompt may have to say.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The outcomes that refused the latest claim.
    pub refused: Vec<CheckOutcome>,
    /// The outcomes of the baseline.
    pub baseline: Vec<CheckOutcome>,
    /// What the latest verification had against the work.
    pub findings: Option<Assessment>,
    /// What the job's own file says.
    pub standing: Option<Standing>,
    /// What hooks want the agent to be told.
    pub hook: String,
    /// The first files that the latest iteration was not allowed to change.
    pub strays: Vec<String>,
}

impl Known {
    /// As the run stands.
    pub fn of(run: &Run) -> Known {
        Known {
            refused: run.refused_by().to_vec(),
            baseline: run.baseline().to_vec(),
            findings: run.findings().cloned(),
            standing: run.standings().latest().cloned(),
            hook: run.hook_prompt(),
            strays: run.strays().to_vec(),
        }
    }
}

/// The worker's handle.
#[derive(Debug)]
pub(super) struct Worker {
    work: Sender<Work>,
    /// Nothing is ever sent; it closes when the thread ends.
    gone: Receiver<()>,
}

impl Worker {
    /// Starts the thread.
    pub fn start(world: World, events: Sender<Event>) -> Result<Worker, ProcessError> {
        let (work, inbox) = channel();
        let (going, gone) = channel();
        thread::Builder::new()
            .name("worker".to_owned())
            .spawn(move || {
                labour(world, &inbox, &events);
                drop(going);
            })
            .map_err(ProcessError::system("start a thread"))?;
        Ok(Worker { work, gone })
    }

    /// Lets it finish what it is doing, so that nothing is left half-written, but waits no longer than that is worth.
    pub fn close(&mut self) {
        // Without a sender its inbox ends.
        self.work = channel().0;
        let _ = self.gone.recv_timeout(PATIENCE);
    }

    /// Has its thread ended although it was not told to? Only a defect does that.
    pub fn is_gone(&self) -> bool {
        self.gone.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Hands it an effect.
    pub fn carry_out(&self, work: Work) -> Result<(), EngineError> {
        self.work.send(work).map_err(|_| EngineError::Broken)
    }
}

/// Ends when either side is gone.
fn labour(mut world: World, inbox: &Receiver<Work>, events: &Sender<Event>) {
    for work in inbox {
        let answers = match world.carry_out(&work) {
            Ok(inputs) => inputs.into_iter().map(Event::Worked).collect(),
            Err(error) => vec![Event::WorkFailed(error)],
        };
        for answer in answers {
            if events.send(answer).is_err() {
                return;
            }
        }
    }
}

impl WorkError {
    /// The disk is full, or something is broken.
    pub(super) fn new(disk_full: bool, error: &impl std::fmt::Display) -> WorkError {
        WorkError::of(if disk_full { StopReason::DiskFull } else { StopReason::Internal }, error)
    }

    pub(super) fn of(stop_reason: StopReason, error: &impl std::fmt::Display) -> WorkError {
        WorkError { stop_reason, detail: error.to_string() }
    }
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> WorkError {
        WorkError::new(error.is_disk_full(), &error)
    }
}

impl From<SnapshotError> for WorkError {
    fn from(error: SnapshotError) -> WorkError {
        WorkError::new(error.is_disk_full(), &error)
    }
}

impl From<GitError> for WorkError {
    fn from(error: GitError) -> WorkError {
        WorkError::of(StopReason::Internal, &error)
    }
}

impl From<CommitError> for WorkError {
    fn from(error: CommitError) -> WorkError {
        match error {
            CommitError::Git(error) => error.into(),
            CommitError::Snapshot(error) => error.into(),
            CommitError::File(error) => WorkError::new(error.is_disk_full(), &error),
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
pub(super) type Worked = Result<Vec<Input>, WorkError>;
