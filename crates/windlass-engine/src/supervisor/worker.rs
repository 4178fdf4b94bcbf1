//! Threads for what may take long: looking at the tree, keeping it, writing prompts, committing, reading old streams.
//! In each lane one thing is done at a time, in the order it was asked.

use std::collections::{BTreeMap, btree_map};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::damage::DamageKind;
use windlass_core::run::{Effect, Input, Run, TurnKey};
use windlass_core::tasks::Schedule;
use windlass_core::values::{
    Assessment, CheckOutcome, LaneId, SnapshotId, Spent, Standing, StopReason, Suspicion, TaskRow, Tokens,
};

use super::error::EngineError;
use super::event::{Event, WorkError};
use super::lanes::Worlds;
use crate::git::{CommitError, GitError};
use crate::inventory::SurveyError;
use crate::snapshot::SnapshotError;
use crate::store::StoreError;
use crate::withhold::WithholdError;
use windlass_host::file::FileError;
use windlass_host::process::ProcessError;

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
    /// When the run began.
    pub began: Option<Timestamp>,
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
    /// What the repository's hook said when it refused the lane's latest commit.
    pub hook_refusal: Option<String>,
    /// The first files that the latest iteration was not allowed to change.
    pub strays: Vec<String>,
    /// The tasks, in mode tasks.
    pub schedule: Option<Schedule>,
    /// The task that the effect is about.
    pub at_task: Option<AtTask>,
    /// What the last attempt did to the repository, for the prompt.
    pub damage: String,
    /// What this attempt is known, and was told, to have done to it: in a session before this one.
    pub told: Vec<(TurnKey, DamageKind)>,
    /// What the guard holds against the work.
    pub held: Vec<Suspicion>,
    /// What each lane had last committed, or began with.
    pub committed: BTreeMap<LaneId, SnapshotId>,
    /// Patterns of files that the task protects, or may change, beyond those of the plan.
    pub protected: Vec<String>,
}

/// A task that a lane is at.
#[derive(Clone, Debug)]
pub(super) struct AtTask {
    /// The task.
    pub row: TaskRow,
    /// Its lane has just taken it up.
    pub fresh: bool,
    /// How often it has failed.
    pub failed: u32,
    /// Paths that its agent has to put together.
    pub conflicts: Vec<String>,
    /// The commit of its work before that.
    pub work: Option<String>,
    /// When its iteration began.
    pub began: Timestamp,
    /// What the iteration has cost.
    pub cost: Spent,
    /// What the iteration has used.
    pub tokens: Tokens,
}

impl Known {
    /// As the run stands.
    pub fn of(run: &Run, effect: &Effect) -> Known {
        let lane = effect.lane().unwrap_or_default();
        let of_tasks = run.plan().is_some_and(|plan| plan.job.tasks.is_some());
        let refused = if of_tasks { run.refused_in(lane) } else { run.refused_by() };
        Known {
            began: run.started(),
            refused: refused.to_vec(),
            baseline: run.baseline().to_vec(),
            findings: run.findings().cloned(),
            standing: run.standings().latest().cloned(),
            hook: run.hook_prompt(),
            hook_refusal: run.hook_refusal(lane).map(str::to_owned),
            strays: run.strays().to_vec(),
            schedule: of_tasks.then(|| run.tasks_as_decided()),
            protected: run.task_in(lane).map(|row| row.protected.clone()).unwrap_or_default(),
            at_task: AtTask::in_lane(run, lane),
            damage: run.damage_prompt(),
            told: told(run),
            held: run.held(lane).into_iter().cloned().collect(),
            committed: run.last_commits().map(|(lane, id)| (lane, id.clone())).collect(),
        }
    }
}

impl Known {
    /// Before anything was done: with the first of these tasks, in mode tasks.
    pub fn at_first(rows: Option<Vec<TaskRow>>) -> Known {
        let schedule = rows.map(Schedule::new);
        let first = schedule.as_ref().and_then(Schedule::next).cloned();
        let at_task = first.map(|row| AtTask {
            row,
            fresh: true,
            failed: 0,
            conflicts: Vec::new(),
            work: None,
            began: Timestamp::UNIX_EPOCH,
            cost: Spent::default(),
            tokens: Tokens::default(),
        });
        Known { schedule, at_task, ..Known::default() }
    }
}

impl AtTask {
    fn in_lane(run: &Run, lane: LaneId) -> Option<AtTask> {
        let (row, turn) = (run.task_in(lane)?.clone(), run.lane(lane)?.turn()?);
        Some(AtTask {
            fresh: run.task_is_fresh(lane),
            failed: run.task_failures(&row.id),
            conflicts: run.conflicts_in(lane).to_vec(),
            work: run.work_in(lane).map(str::to_owned),
            began: turn.began,
            cost: Spent { cost: turn.cost, estimated: turn.estimated },
            tokens: turn.tokens,
            row,
        })
    }
}

fn told(run: &Run) -> Vec<(TurnKey, DamageKind)> {
    let damaged = run.lanes().filter_map(|(lane, _)| run.damage(lane));
    damaged.flat_map(|(turn, found, _)| found.iter().map(move |damage| (turn, damage.kind))).collect()
}

/// The handle of those who work: one thread for the user's directory, and one for each lane with a checkout of its own, so
/// that no lane waits for what another's checkout takes.
#[derive(Debug)]
pub(super) struct Worker {
    /// Those who work in the user's directory, and what the others are made from.
    main: Labourer,
    lanes: BTreeMap<LaneId, Labourer>,
    worlds: Worlds,
    shared: Arc<Mutex<()>>,
    events: Sender<Event>,
}

/// One thread's handle.
#[derive(Debug)]
struct Labourer {
    work: Sender<Work>,
    /// Nothing is ever sent; it closes when the thread ends.
    gone: Receiver<()>,
}

impl Worker {
    /// Starts the first thread.
    pub fn start(world: Worlds, events: Sender<Event>) -> Result<Worker, ProcessError> {
        let (worlds, shared) = (world.another(), Arc::default());
        let main = Labourer::start("worker".to_owned(), world, &shared, events.clone())?;
        Ok(Worker { main, lanes: BTreeMap::new(), worlds, shared, events })
    }

    /// Lets all finish what they are doing, so that nothing is left half-written, but waits no longer than that is worth.
    pub fn close(&mut self) {
        let until = Instant::now() + PATIENCE;
        self.main.dismiss();
        self.lanes.values_mut().for_each(Labourer::dismiss);
        for labourer in std::iter::once(&self.main).chain(self.lanes.values()) {
            let _ = labourer.gone.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Has a thread ended although it was not told to? Only a defect does that.
    pub fn is_gone(&self) -> bool {
        let mut all = std::iter::once(&self.main).chain(self.lanes.values());
        all.any(|labourer| labourer.gone.try_recv() == Err(TryRecvError::Disconnected))
    }

    /// Hands an effect to the thread of its lane.
    pub fn carry_out(&mut self, work: Work) -> Result<(), EngineError> {
        let labourer = match self.worlds.own_lane(&work.effect) {
            None => &self.main,
            Some(lane) => match self.lanes.entry(lane) {
                btree_map::Entry::Occupied(there) => there.into_mut(),
                btree_map::Entry::Vacant(place) => {
                    let (name, worlds) = (format!("worker-{lane}"), self.worlds.another());
                    place.insert(Labourer::start(name, worlds, &self.shared, self.events.clone())?)
                }
            },
        };
        labourer.work.send(work).map_err(|_| EngineError::Broken)
    }
}

impl Labourer {
    fn start(
        name: String,
        world: Worlds,
        shared: &Arc<Mutex<()>>,
        events: Sender<Event>,
    ) -> Result<Labourer, ProcessError> {
        let (work, inbox) = channel();
        let (going, gone) = channel();
        let shared = Arc::clone(shared);
        let labour = move || {
            labour(world, &inbox, &shared, &events);
            drop(going);
        };
        thread::Builder::new().name(name).spawn(labour).map_err(ProcessError::system("start a thread"))?;
        Ok(Labourer { work, gone })
    }

    /// Without a sender its inbox ends.
    fn dismiss(&mut self) {
        self.work = channel().0;
    }
}

/// Ends when either side is gone.
fn labour(mut world: Worlds, inbox: &Receiver<Work>, shared: &Mutex<()>, events: &Sender<Event>) {
    for work in inbox {
        // The task file and the journal of progress are written one after another. What another thread left undone when
        // it died is said by that thread's end.
        let turn =
            Worlds::is_shared(&work.effect).then(|| shared.lock().unwrap_or_else(PoisonError::into_inner));
        let carried_out = world.carry_out(&work);
        drop(turn);
        let answers = match carried_out {
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

impl From<FileError> for WorkError {
    fn from(error: FileError) -> WorkError {
        WorkError::new(error.is_disk_full(), &error)
    }
}

impl From<GitError> for WorkError {
    fn from(error: GitError) -> WorkError {
        if error.is_locked() {
            return WorkError::of(StopReason::NeedsHuman, &error);
        }
        WorkError::new(error.is_disk_full(), &error)
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

impl From<WithholdError> for WorkError {
    fn from(error: WithholdError) -> WorkError {
        match error {
            WithholdError::Git(error) => error.into(),
            WithholdError::Snapshot(error) => error.into(),
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
