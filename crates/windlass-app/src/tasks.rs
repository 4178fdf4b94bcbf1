//! The tasks of a task file: looked at, added, marked.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::tasks::Schedule;
use windlass_core::values::{ExitCodes, StopReason, TaskId, TaskState};
use windlass_engine::tasks::{FoundTasks, TasksError, Written, add_task, set_state, settable};
use windlass_jobs::doc::ProblemKind;
pub use windlass_jobs::doc::tasks::NewTask;
use windlass_jobs::doc::tasks::{Task, TaskList};
use windlass_ui::{TasksShown, one_line};

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::which::refuse_live;
use crate::issues::{self, ReadIssues, Use};
use crate::run::NamedTasks;
use crate::text::quoted;

/// What it ends with when the tasks cannot be read.
const UNREADABLE: u8 = 2;

/// What it ends with when tasks are left and none is ready.
const BLOCKED: u8 = 1;

/// The tasks of a task file.
pub struct Tasks {
    /// Where they are, as people write it.
    pub place: String,
    /// What the file says.
    pub list: Arc<TaskList>,
    /// What is next, and what waits for what.
    pub schedule: Schedule,
    codes: ExitCodes,
}

/// A task that was added.
#[derive(Clone, Debug)]
pub struct AddedTask {
    /// Its id.
    pub id: TaskId,
    /// The file or folder that it is in.
    pub place: PathBuf,
}

/// A task that was marked.
#[derive(Clone, Copy, Debug)]
pub struct MarkedTask<'a> {
    /// The task as it was.
    pub task: &'a Task,
    /// It was not so already.
    pub changed: bool,
}

impl Tasks {
    /// As they are shown by a process that ends with this code.
    pub fn shown(&self, exit_code: u8) -> TasksShown<'_> {
        TasksShown { place: &self.place, list: &self.list, schedule: &self.schedule, exit_code }
    }

    /// The exit code of showing them: nothing of them may be readable.
    pub fn listed(&self) -> u8 {
        let grave = self.list.problems().iter().any(|problem| problem.kind.is_unreadable());
        if self.list.tasks().is_empty() && grave { UNREADABLE } else { 0 }
    }

    /// The exit code of asking for the next one: tasks may be left, and none ready.
    pub fn asked_for_next(&self) -> u8 {
        let blocked = self.schedule.next().is_none() && self.schedule.counts().waiting > 0;
        self.listed().max(if blocked { BLOCKED } else { 0 })
    }

    /// The exit code of judging them.
    pub fn judged(&self) -> u8 {
        let is_unreadable = |kind: &ProblemKind| kind.is_unreadable() && *kind != ProblemKind::NoTask;
        match self.list.problems() {
            [] => 0,
            problems if problems.iter().any(|problem| is_unreadable(&problem.kind)) => UNREADABLE,
            _ => StopReason::GatesFailing.exit_code(self.codes),
        }
    }
}

impl App {
    /// The tasks of a task file, or of a forge; what is wrong with them is among their problems. `flags` go before what is
    /// configured.
    ///
    /// # Errors
    /// There are none, the forge cannot be asked, or the configuration is wrong.
    pub fn tasks(&self, named: &NamedTasks, flags: Layer) -> Result<Tasks, AppError> {
        let resolved = configured(self, flags)?;
        let found = find_to_read(self, named, &resolved)?;
        let schedule = Schedule::new(found.list.rows());
        let place = found.place.display().to_string();
        Ok(Tasks { place, list: found.list, schedule, codes: resolved.exit_codes })
    }

    /// Adds a task, written as the others of its file are. Nothing else of the file changes.
    ///
    /// # Errors
    /// There is no task file, a run works here, or the task is refused.
    pub fn add_task(&self, named: &NamedTasks, flags: Layer, task: &NewTask) -> Result<AddedTask, AppError> {
        let (here, found) = to_change(self, named, flags)?;
        let id = add_task(&here.directory, &found.place, task)?;
        Ok(AddedTask { id, place: found.place })
    }

    /// Marks tasks; each is told when it is written. None is marked where one is not there, or cannot be.
    ///
    /// # Errors
    /// There is no task file or no such task, or a run works here.
    pub fn mark_tasks(
        &self,
        named: &NamedTasks,
        flags: Layer,
        ids: &[String],
        state: TaskState,
        mut tell: impl FnMut(MarkedTask<'_>) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let (here, FoundTasks { place, list, .. }) = to_change(self, named, flags)?;
        let known = |name: &String| {
            let missing = || TasksError::NoTask { id: TaskId(one_line(name)), place: place.clone() };
            list.find(name).ok_or_else(missing)
        };
        let tasks = ids.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        for task in &tasks {
            settable(&list, &place, &task.row.id, state)?;
        }
        for task in tasks {
            let written = set_state(&here.directory, &place, &task.row.id, state)?;
            tell(MarkedTask { task, changed: written != Written::AsItWas })?;
        }
        Ok(())
    }
}

/// What is configured, with the flags that say where tasks are.
fn configured(app: &App, flags: Layer) -> Result<Resolved, AppError> {
    let read = Configuration::load(app.directory(), None, Mode::Goal, flags, Unlimited::Allowed)?;
    Ok(read.resolved)
}

/// Finds and reads the tasks that are meant, in files.
fn find(app: &App, named: &NamedTasks, resolved: &Resolved) -> Result<FoundTasks, AppError> {
    Ok(named.find(app.directory(), resolved.tasks.file.as_deref())?)
}

/// The same for who only looks: they may be issues, and the only list that lies elsewhere will do.
fn find_to_read(app: &App, named: &NamedTasks, resolved: &Resolved) -> Result<FoundTasks, AppError> {
    if let Some(wanted) = issues::wanted(named, resolved)? {
        let read = ReadIssues::read(app, wanted, Use::Look, resolved.exit_codes)?;
        app.notices(&read.notices);
        return Ok(read.found());
    }
    let error = match find(app, named, resolved) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    let works = if named.is_named() { Vec::new() } else { app.kept_work() };
    if let [only] = works.as_slice() {
        let named = NamedTasks { file: Some(PathBuf::from(&only.place)), feature: None };
        return find(app, &named, resolved);
    }
    Err(works.iter().take(8).fold(error, |error, work| {
        error.hint(format!(
            "{} holds {}: windlass tasks -f {}",
            work.place,
            work.holds,
            quoted(work.place.as_ref())
        ))
    }))
}

/// The same where they are to be changed: a run that works here may be about to do that.
fn to_change(app: &App, named: &NamedTasks, flags: Layer) -> Result<(Here, FoundTasks), AppError> {
    let resolved = configured(app, flags)?;
    if issues::wanted(named, &resolved)?.is_some() {
        return Err(AppError::usage("issues are changed on their forge, not here")
            .hint("Close or open one there: gh issue close, gh issue reopen"));
    }
    let found = find(app, named, &resolved)?;
    let here = Here::find(app)?;
    refuse_live(&here, resolved.exit_codes)?;
    Ok((here, found))
}
