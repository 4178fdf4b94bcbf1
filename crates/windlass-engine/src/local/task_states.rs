//! Writing down how each task stands: in its file, and in the journal of iterations for people.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::Timestamp;
use windlass_core::report::Report;
use windlass_core::run::{CommitKind, OrderContext, TaskAtHand, TurnKey};
use windlass_core::spec::{CommitPolicy, RunSpec};
use windlass_core::tasks::TaskProgress;
use windlass_core::values::{TaskEnd, TaskId, TaskRow, TaskState};
use windlass_jobs::doc::progress::{ProgressEntry, ProgressError, ProgressExit, ProgressSummary};

use super::aside::{ParkedTask, PutAside, put_aside};
use super::tasks::{due, of};
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::progress::{ProgressFileError, write_progress};
use crate::tasks::{TasksError, Written, read_tasks, set_state};
use windlass_host::file::FileError;
use windlass_jobs::doc::tasks::Task;

impl WorkingTree {
    /// Sets the statuses in the user's file to what the run knows; what cannot be said there is told once.
    pub(super) fn write_states(
        &mut self,
        context: &OrderContext,
        at: Option<TaskState>,
    ) -> Result<Vec<Report>, WorkError> {
        let written = write_states(&self.plan, context, at, &|_| true)?;
        Ok(self.say_once(written.said))
    }

    /// Lets the task at hand stand so in its file, and leaves all others as they are: of those other lanes know more.
    pub(super) fn write_state(
        &mut self,
        context: &OrderContext,
        state: TaskState,
    ) -> Result<Vec<Report>, WorkError> {
        let written = write_state(&self.plan, context, state)?;
        Ok(self.say_once(written.said))
    }

    /// Notes an iteration in `progress.md`; noting it again replaces what was noted.
    pub(super) fn note_progress(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        end: &TaskEnd,
    ) -> Result<Vec<Report>, WorkError> {
        let (Some(file), Some(schedule), Some(at)) =
            (of(&self.plan).and_then(|places| places.progress.clone()), context.schedule(), context.task())
        else {
            return Ok(Vec::new());
        };
        let now = Timestamp::now();
        let is_done = *end == TaskEnd::Done;
        let counts = schedule.counts();
        let counted = schedule.standing(&at.row.id) == Some(TaskProgress::Done);
        let summary = ProgressSummary {
            total: counts.total as u64,
            completed: counts.done as u64 + u64::from(is_done && !counted),
            updated: now,
        };
        let entry = entry(&self.plan, at, turn, end, now);
        match write_progress(&self.plan.directory.join(file), &entry, &summary) {
            Ok(()) => Ok(Vec::new()),
            Err(ProgressFileError::File(error)) if error.is_disk_full() => Err(error.into()),
            // It is for people; the run's own journal has all of it.
            Err(error) => Ok(self.say_once(vec![format!("the progress is not noted: {error}")])),
        }
    }

    /// Before the runner commits: what the commit is to say of the task stands in the files that it holds.
    pub(super) fn write_down_before_commit(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        what: CommitKind,
    ) -> Result<Vec<Report>, WorkError> {
        if of(&self.plan).is_none() {
            return Ok(Vec::new());
        }
        // What the checks wrote is known before the runner writes as well.
        let look = self.look()?;
        self.note_checks(&look.inventory)?;
        let end = match what {
            CommitKind::Complete => TaskEnd::Done,
            CommitKind::Progress | CommitKind::Attempted => TaskEnd::Again { why: String::new() },
        };
        let mut said: Vec<Report> = self.put_tasks_right_before_commit()?.into_iter().collect();
        said.extend(self.write_states(context, Some(end.state()))?);
        said.extend(self.note_progress(context, turn, &end)?);
        let look = self.look()?;
        self.keep_to_be_committed(context, turn, look)?;
        Ok(said)
    }

    /// How an iteration left its task, where it is in the user's own directory.
    pub(super) fn close_task(
        &mut self,
        context: &OrderContext,
        turn: TurnKey,
        end: &TaskEnd,
        parked: Option<ParkedTask<'_>>,
    ) -> Result<PutAside, WorkError> {
        let mut aside = match parked {
            Some(parked) if matches!(end, TaskEnd::Parked { .. }) => put_aside(self, &parked)?,
            _ => PutAside::default(),
        };
        aside.reports.extend(self.write_states(context, Some(end.state()))?);
        // What was committed says so already.
        if *end != TaskEnd::Done || self.plan.commit != CommitPolicy::Runner {
            aside.reports.extend(self.note_progress(context, turn, end)?);
        }
        Ok(aside)
    }
}

/// What became of writing statuses.
#[derive(Debug, Default)]
pub(super) struct WrittenStates {
    /// The files that say something else now, as their list names them.
    pub files: BTreeSet<PathBuf>,
    /// What could not be written.
    pub said: Vec<String>,
}

impl WrittenStates {
    fn add(
        &mut self,
        plan: &RunSpec,
        (id, file): (&TaskId, Option<&str>),
        due: TaskState,
    ) -> Result<(), FileError> {
        let Some(places) = of(plan) else { return Ok(()) };
        match set_state(&plan.directory, &places.file, id, due) {
            Ok(Written::AsItWas) => {}
            Ok(Written::Changed { .. }) => self.files.extend(file.map(PathBuf::from)),
            Err(TasksError::File(error)) if error.is_disk_full() => return Err(error),
            Err(error) => self.said.push(unwritten(id, &error)),
        }
        Ok(())
    }
}

/// Sets the statuses in the user's file to what the run knows, but for tasks that are left as somebody else has them. In lanes and
/// parts that of the task at hand alone.
pub(super) fn write_states(
    plan: &RunSpec,
    context: &OrderContext,
    at: Option<TaskState>,
    may_write: &dyn Fn(&Task) -> bool,
) -> Result<WrittenStates, FileError> {
    if plan.keeps_to_own_task() {
        return at.map_or_else(|| Ok(WrittenStates::default()), |state| write_state(plan, context, state));
    }
    let mut written = WrittenStates::default();
    let (Some(places), Some(schedule)) = (of(plan), context.schedule()) else { return Ok(written) };
    let at = context.task().map(|task| &task.row.id).zip(at);
    let list = read_tasks(&plan.directory, &places.file).list;
    for row in schedule.rows() {
        let due = due(schedule, row, at);
        let task = list.task(&row.id);
        let now = task.map(|task| &task.row);
        let is_at_hand = at.is_some_and(|(task, _)| *task == row.id);
        // What was unclear when it was read is a person's to mend; what an agent made so is put right, where it can be.
        let is_as_due = |now: &TaskRow| now.state == due && now.unclear == row.unclear;
        if now.is_some_and(is_as_due) || (now.is_none() && !is_at_hand) || row.unclear.is_some() {
            continue;
        }
        if task.is_none_or(may_write) {
            written.add(plan, (&row.id, task.map(|task| &*task.file)), due)?;
        }
    }
    Ok(written)
}

fn write_state(plan: &RunSpec, context: &OrderContext, state: TaskState) -> Result<WrittenStates, FileError> {
    let mut written = WrittenStates::default();
    if let Some((places, at)) = of(plan).zip(context.task()) {
        let list = read_tasks(&plan.directory, &places.file).list;
        let file = list.task(&at.row.id).map(|task| &*task.file);
        written.add(plan, (&at.row.id, file), state)?;
    }
    Ok(written)
}

fn unwritten(task: &TaskId, error: &TasksError) -> String {
    format!("the status of {task} is not written: {error}")
}

fn entry(plan: &RunSpec, at: &TaskAtHand, turn: TurnKey, end: &TaskEnd, now: Timestamp) -> ProgressEntry {
    let id = at.row.id.0.clone();
    let seconds = u64::try_from(now.duration_since(at.began).as_secs()).unwrap_or(0);
    let (exit, why) = match end {
        TaskEnd::Done => (ProgressExit::Success, ""),
        TaskEnd::Again { why } if why.is_empty() => (ProgressExit::Partial, ""),
        TaskEnd::Again { why } => (ProgressExit::Error, why.as_str()),
        TaskEnd::Parked { reason } => (ProgressExit::Error, reason.as_str()),
    };
    let error =
        (!why.is_empty()).then(|| ProgressError { kind: "task_failure".to_owned(), detail: why.to_owned() });
    ProgressEntry {
        run: plan.run.0.clone(),
        iteration: turn.iteration,
        time: now,
        completed: (*end == TaskEnd::Done).then(|| id.clone()),
        attempted: Some(id),
        summary: at.row.title.clone(),
        seconds,
        exit,
        tokens: at.tokens,
        cost: at.cost,
        error,
    }
}
