//! The tasks of a job as the worker sees them: what their file says, what an agent says of its own task there, and writing
//! down how each stands.

use std::sync::Arc;
use windlass_core::words::some_of;

use jiff::Timestamp;
use windlass_core::report::Report;
use windlass_core::run::{CommitKind, OrderContext, TaskAtHand, TurnKey};
use windlass_core::spec::{CommitPolicy, JobTasks, RunSpec};
use windlass_core::tasks::{self as schedule, Schedule};
use windlass_core::values::{Items, JobStatus, Named, StatusSource, TaskEnd, TaskId, TaskRow, TaskState};
use windlass_jobs::doc::progress::{ProgressEntry, ProgressError, ProgressExit, ProgressSummary};
use windlass_jobs::doc::tasks::TaskList;
use windlass_jobs::prompt::TaskWork;

use super::aside::{ParkedTask, PutAside, put_aside};
use super::event::WorkError;
use super::working_tree::WorkingTree;
use crate::progress::{ProgressFileError, read_progress, write_progress};
use crate::tasks::{TasksError, read_tasks, set_state};
use windlass_git::inventory::{Inventory, Place};
use windlass_host::tree::{TreePath, at};

/// So many changes of somebody else's are named.
const NAMED: usize = 5;

/// Where the tasks of a job are; `None` in other modes.
pub(super) fn of(plan: &RunSpec) -> Option<&JobTasks> {
    plan.job.tasks.as_ref().filter(|_| plan.job.mode.has_tasks())
}

/// Removes what a runner that was killed had half written of the runner's own files.
pub(super) fn tidy(plan: &RunSpec) {
    for file in plan.own_files().map(|file| plan.directory.join(file)) {
        let file = at(&file);
        let folder = if file.holds_folder() { Some(file) } else { file.parent() };
        folder.iter().for_each(TreePath::remove_half_written);
    }
}

/// Those of the runner's own files that are there, relative to the repository's top. Of a folder of tasks it is not known here which
/// files are tasks.
pub(super) fn own_paths(plan: &RunSpec, place: &Place, there: &Inventory) -> Vec<Vec<u8>> {
    let own: Vec<Vec<u8>> = plan.own_files().filter_map(|file| place.relative(&file)).collect();
    let is_own = |path: &Vec<u8>| own.contains(path);
    there.entries.iter().filter(|entry| is_own(&entry.path)).map(|entry| entry.path.clone()).collect()
}

/// What the tasks' file says.
pub(super) fn read(plan: &RunSpec) -> Option<Arc<TaskList>> {
    Some(read_tasks(&plan.directory, &of(plan)?.file).list)
}

/// The tasks as they are to be worked off; `None` where they cannot be read: those that are known stay.
pub(super) fn rows(plan: &RunSpec) -> Option<Vec<TaskRow>> {
    let list = read(plan)?;
    (!list.is_missing() && !list.is_unusable()).then(|| list.rows())
}

/// How the tasks stand in the file: `complete` says whether the task at hand is done there.
pub(super) fn standing(plan: &RunSpec, at: Option<&TaskId>) -> Option<JobStatus> {
    let list = read(plan)?;
    if list.is_missing() {
        return Some(JobStatus::default());
    }
    let rows = list.tasks();
    let done = rows.iter().filter(|task| task.row.state == TaskState::Done).count();
    let at_hand = at.and_then(|id| list.task(id));
    Some(JobStatus {
        source: StatusSource::TaskFile,
        mark: "read".to_owned(),
        complete: at_hand.is_some_and(|task| task.row.state == TaskState::Done),
        items: (!rows.is_empty()).then_some(Items { done: done as u64, total: rows.len() as u64 }),
        summary: at_hand.map_or_else(String::new, |task| task.row.title.chars().take(200).collect()),
        problem: list.problems().first().filter(|_| list.is_unusable()).map(ToString::to_string),
        ..JobStatus::default()
    })
}

/// What the prompt of an attempt says of its task.
pub(super) fn work<'a>(plan: &RunSpec, context: &'a OrderContext) -> Option<TaskWork<'a>> {
    let (places, at) = (of(plan)?, context.task()?);
    let list = read_tasks(&plan.directory, &places.file).list;
    let file =
        list.task(&at.row.id).map_or_else(|| places.file.display().to_string(), |task| task.file.to_string());
    Some(TaskWork {
        claim: list.form().claim(&at.row.id, &file),
        file,
        task: &at.row,
        source: list.source(&at.row.id).to_owned(),
        failed: at.failed,
        progress: noted_in(plan, places),
        error: latest_error(plan, places, at),
        conflicts: &at.conflicts,
    })
}

/// The journal of iterations for people, where there is one.
fn noted_in(plan: &RunSpec, places: &JobTasks) -> Option<String> {
    let progress = places.progress.as_ref()?;
    at(&plan.directory).join(progress).is_taken().then(|| progress.display().to_string())
}

/// What that journal says of the latest failure of a task that has failed.
fn latest_error(plan: &RunSpec, places: &JobTasks, task: &TaskAtHand) -> Option<String> {
    let progress = places.progress.as_ref().filter(|_| task.failed > 0)?;
    let noted = read_progress(&plan.directory.join(progress)).ok()??.entries;
    let is_its = |name: &Option<String>| name.as_deref() == Some(&*task.row.id.0);
    noted.into_iter().rev().find(|entry| is_its(&entry.attempted))?.error_detail
}

/// What somebody other than the runner changed in the file beyond the task at hand: said, and not taken into this run.
pub(super) fn foreign_changes(plan: &RunSpec, context: &OrderContext) -> Option<String> {
    let (places, schedule) = (of(plan)?, context.schedule()?);
    let list = read_tasks(&plan.directory, &places.file).list;
    let at = context.task().map(|at| &at.row.id);
    let mut said = Vec::new();
    for row in schedule.rows() {
        match list.task(&row.id).map(|task| &task.row) {
            None => said.push(format!("{} is gone", row.id)),
            Some(now) if now.title != row.title || now.dependencies != row.dependencies => {
                said.push(format!("{} reads differently", row.id));
            }
            Some(now) if now.protected != row.protected => {
                said.push(format!("{} protects other files", row.id));
            }
            Some(now)
                if !plan.keeps_to_own_task()
                    && Some(&row.id) != at
                    && now.state != due(schedule, row, None) =>
            {
                said.push(format!("{} is called {}", row.id, now.state.name().replace('_', " ")));
            }
            Some(_) => {}
        }
    }
    said.extend(
        list.tasks()
            .iter()
            .filter(|task| schedule.row(&task.row.id).is_none())
            .map(|task| format!("{} is new", task.row.id)),
    );
    if said.is_empty() {
        return None;
    }
    Some(format!(
        "{} was changed beyond the task at hand: {}; this run goes by what it read when it began",
        places.file.display(),
        some_of(said.iter(), NAMED)
    ))
}

/// What a task's status in the file is to be; `at` is one whose end is just being written down.
fn due(schedule: &Schedule, row: &TaskRow, at: Option<(&TaskId, TaskState)>) -> TaskState {
    if let Some((_, state)) = at.filter(|(id, _)| **id == row.id) {
        return state;
    }
    match schedule.standing(&row.id) {
        Some(schedule::TaskProgress::Done) => TaskState::Done,
        Some(schedule::TaskProgress::Active) => TaskState::InProgress,
        Some(schedule::TaskProgress::Parked) => TaskState::Open,
        Some(schedule::TaskProgress::Open) if row.state == TaskState::Done => TaskState::Open,
        Some(schedule::TaskProgress::Open) | None => row.state,
    }
}

impl WorkingTree {
    /// Sets the statuses in the user's file to what the run knows; what cannot be said there is told once.
    pub(super) fn write_states(
        &mut self,
        context: &OrderContext,
        at: Option<TaskState>,
    ) -> Result<Vec<Report>, WorkError> {
        if self.plan.keeps_to_own_task() {
            return at.map_or_else(|| Ok(Vec::new()), |state| self.write_state(context, state));
        }
        let (Some(places), Some(schedule)) = (of(&self.plan), context.schedule()) else {
            return Ok(Vec::new());
        };
        let at = context.task().map(|task| &task.row.id).zip(at);
        let (directory, file) = (&self.plan.directory, &places.file);
        let list = read_tasks(directory, file).list;
        let mut said = Vec::new();
        for row in schedule.rows() {
            let due = due(schedule, row, at);
            let now = list.task(&row.id).map(|task| &task.row);
            let is_at_hand = at.is_some_and(|(task, _)| *task == row.id);
            // What was unclear when it was read is a person's to mend; what an agent made so is put right, where it can be.
            let is_as_due = |now: &TaskRow| now.state == due && now.unclear == row.unclear;
            if now.is_some_and(is_as_due) || (now.is_none() && !is_at_hand) || row.unclear.is_some() {
                continue;
            }
            match set_state(directory, file, &row.id, due) {
                Ok(_) => {}
                Err(TasksError::File(error)) if error.is_disk_full() => return Err(error.into()),
                Err(error) => said.push(unwritten(&row.id, &error)),
            }
        }
        Ok(self.say_once(said))
    }

    /// Lets the task at hand stand so in its file, and leaves all others as they are: of those other lanes know more.
    pub(super) fn write_state(
        &mut self,
        context: &OrderContext,
        state: TaskState,
    ) -> Result<Vec<Report>, WorkError> {
        let (Some(places), Some(at)) = (of(&self.plan), context.task()) else { return Ok(Vec::new()) };
        match set_state(&self.plan.directory, &places.file, &at.row.id, state) {
            Ok(_) => Ok(Vec::new()),
            Err(TasksError::File(error)) if error.is_disk_full() => Err(error.into()),
            Err(error) => Ok(self.say_once(vec![unwritten(&at.row.id, &error)])),
        }
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
        let counted = schedule.standing(&at.row.id) == Some(schedule::TaskProgress::Done);
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
        let mut said = self.write_states(context, Some(end.state()))?;
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
