//! The tasks of a task file: looked at, added, marked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::tasks::Schedule;
use windlass_core::values::{ExitCodes, StopReason, TaskId, TaskState};
use windlass_engine::tasks::{
    Exported, FoundTasks, TasksError, Wanted, Written, add_task, find_tasks, read_tasks, set_state, settable,
    tell_state,
};
use windlass_engine::written;
pub use windlass_jobs::doc::tasks::NewTask;
use windlass_jobs::doc::tasks::{Task, TaskList};
use windlass_ui::{TasksShown, one_line};

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::which::refuse_live;
use crate::issues::{self, ReadIssues, Use};
use crate::run::{NamedTasks, Work, unreadable, with_works};
use crate::text::quoted;
use crate::trusting;

/// What it ends with when the tasks cannot be read.
const UNREADABLE: u8 = 2;

/// What it ends with when tasks are left and none is ready.
const BLOCKED: u8 = 1;

/// The tasks of a task file.
pub struct Tasks {
    /// Where they are, as people write it.
    pub place: String,
    flags: String,
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
        let Tasks { place, flags, list, schedule, .. } = self;
        TasksShown { place, flags, list, schedule, exit_code }
    }

    /// The exit code of showing them: nothing of them may be readable.
    pub fn listed(&self) -> u8 {
        if unreadable(&self.list).is_some() { UNREADABLE } else { 0 }
    }

    /// The exit code of asking for the next one: tasks may be left, and none ready.
    pub fn asked_for_next(&self) -> u8 {
        let is_left = self.schedule.counts().waiting > 0 || self.list.hidden_work().is_some();
        let blocked = self.schedule.next().is_none() && is_left;
        self.listed().max(if blocked { BLOCKED } else { 0 })
    }

    /// The exit code of judging them.
    pub fn judged(&self) -> u8 {
        match self.list.problems() {
            [] => 0,
            problems if problems.iter().any(|problem| problem.kind.is_unreadable()) => UNREADABLE,
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
        let (found, flags) = find_to_read(self, named, &resolved)?;
        let schedule = found.list.schedule();
        let place = found.place.display().to_string();
        Ok(Tasks { place, flags, list: found.list, schedule, codes: resolved.exit_codes })
    }

    /// Adds a task, written as the others of its file are. Nothing else of the file changes.
    ///
    /// # Errors
    /// There is no task file, a run works here, or the task is refused.
    pub fn add_task(&self, named: &NamedTasks, flags: Layer, task: &NewTask) -> Result<AddedTask, AppError> {
        let add = |work: &Work| {
            let adds = find_tasks(self.directory(), Wanted::Place(work.place.as_ref()));
            let adds = adds.is_ok_and(|found| found.list.form().about().adds);
            adds.then(|| format!("tasks add {}", quoted(task.title.as_ref())))
        };
        let (here, found) = to_change(self, named, flags, add)?;
        let former: Vec<(String, Option<String>)> =
            found.list.files().map(|file| (file.to_owned(), content(&here, file))).collect();
        let id = add_task(&here.directory, &found.place, task)?;
        if let Some(added) = read_tasks(&here.directory, &found.place).list.task(&id) {
            let former = former.into_iter().find(|(file, _)| *file == *added.file);
            note(&here, added, former.and_then(|(_, content)| content))?;
        }
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
        let verb = if state == TaskState::Done { "done" } else { "reopen" };
        let mark = |work: &Work| {
            let found = find_tasks(self.directory(), Wanted::Place(work.place.as_ref())).ok()?;
            let is_there = ids.iter().all(|id| found.list.find(id).is_some());
            let ids: Vec<String> = ids.iter().map(|id| quoted(id.as_ref())).collect();
            is_there.then(|| format!("tasks {verb} {}", ids.join(" ")))
        };
        let (here, FoundTasks { place, list, .. }) = to_change(self, named, flags, mark)?;
        let known = |name: &String| {
            let missing = || TasksError::NoTask { id: TaskId(one_line(name)), place: place.clone() };
            list.find(name).ok_or_else(missing)
        };
        let tasks = ids.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        // One alone is refused where it would be written.
        for task in tasks.iter().filter(|_| tasks.len() > 1) {
            match settable(&list, &place, &task.row.id, state) {
                Ok(_) | Err(TasksError::ByCommand { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        for task in tasks {
            let changed = self.mark_task(&here, &place, task, state)?;
            tell(MarkedTask { task, changed })?;
        }
        Ok(())
    }

    /// Marks one; `false` where it is so already.
    fn mark_task(&self, here: &Here, place: &Path, task: &Task, state: TaskState) -> Result<bool, AppError> {
        let id = &task.row.id;
        let former = content(here, &task.file);
        match set_state(&here.directory, place, id, state) {
            Ok(Written::AsItWas) => Ok(false),
            Ok(Written::Changed { .. }) => {
                note(here, task, former)?;
                Ok(true)
            }
            Err(TasksError::ByCommand { command, .. }) => {
                let program = command.program;
                if tell_state(&here.directory, place, id, state, command)? == Exported::Later {
                    let place = place.display();
                    self.notice(&format!("{program} has it; {place} says so when {program} exports it next"));
                }
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What a file of tasks holds now, as snapshots name it.
fn content(here: &Here, file: &str) -> Option<String> {
    let place = here.place();
    let path = place.relative(&here.directory.join(file))?;
    place.content_now(&path).map(|(_, content)| content.to_string())
}

/// A run that was cut off here goes by what a person has said of its tasks, and not by what its agent has.
fn note(here: &Here, task: &Task, before: Option<String>) -> Result<(), AppError> {
    // No run without a project that is known.
    // outside: the state folder.
    let is_known = here.project.path().is_dir() && trusting::refuse_below_windlass().is_ok();
    let Some(after) = content(here, &task.file).filter(|_| is_known) else { return Ok(()) };
    let (path, task) = (here.directory.join(&*task.file), Some(task.row.id.clone()));
    let (after, at) = (Some(after), Some(Timestamp::now()));
    Ok(written::note(&here.project, written::Written { path, before, after, task, at })?)
}

/// What is configured, with the flags that say where tasks are.
fn configured(app: &App, flags: Layer) -> Result<Resolved, AppError> {
    let read = Configuration::load(app.directory(), None, Mode::Goal, flags, Unlimited::NotAsked)?;
    Ok(read.resolved)
}

/// Finds and reads the tasks that are meant, in files.
fn find(app: &App, named: &NamedTasks, resolved: &Resolved) -> Result<FoundTasks, AppError> {
    Ok(named.find(app.directory(), resolved.tasks.file.as_deref())?)
}

/// The same for who only looks: they may be issues, and the only list that lies elsewhere will do. With it what says to a
/// command of ours that they are meant.
fn find_to_read(
    app: &App,
    named: &NamedTasks,
    resolved: &Resolved,
) -> Result<(FoundTasks, String), AppError> {
    if let Some(wanted) = issues::wanted(named, resolved)? {
        let read = ReadIssues::read(app, wanted, Use::Look, resolved.exit_codes)?;
        app.notices(&read.notices);
        return Ok((read.found(), read.flags()));
    }
    let found = find_file_to_read(app, named, resolved)?;
    let flags = format!("-f {}", quoted(found.place.as_ref()));
    Ok((found, flags))
}

fn find_file_to_read(app: &App, named: &NamedTasks, resolved: &Resolved) -> Result<FoundTasks, AppError> {
    let look = |_: &Work| Some("tasks".to_owned());
    let error = match find(app, named, resolved) {
        Ok(found) => return near_instead(app, named, found, look),
        Err(error) => error,
    };
    let works = elsewhere(app, named);
    if let [only] = works.as_slice()
        && named.file.is_none()
    {
        let named = NamedTasks { file: Some(PathBuf::from(&only.place)), feature: None };
        return find(app, &named, resolved);
    }
    Err(with_works(error, &works, command(look)))
}

/// The lists that may be meant where none was found.
fn elsewhere(app: &App, named: &NamedTasks) -> Vec<Work> {
    if named.feature.is_some() { Vec::new() } else { app.kept_work() }
}

/// The command about a list, in its own words where these can be said of it; else the one that shows it.
fn command(words: impl Fn(&Work) -> Option<String>) -> impl Fn(&Work) -> String {
    move |work| {
        let words = words(work).unwrap_or_else(|| "tasks".to_owned());
        format!("windlass {words} {}", work.flag())
    }
}

/// What was found; an error where it is no list, and there are some in it or around it.
fn near_instead(
    app: &App,
    named: &NamedTasks,
    found: FoundTasks,
    words: impl Fn(&Work) -> Option<String>,
) -> Result<FoundTasks, AppError> {
    let Some(problem) = unreadable(&found.list).filter(|_| named.file.is_some()) else { return Ok(found) };
    let near = app.near_work(&found.place);
    let error = AppError::usage(problem.to_string());
    if near.is_empty() { Ok(found) } else { Err(with_works(error, &near, command(words))) }
}

/// The same where they are to be changed: a run that works here may be about to do that.
fn to_change(
    app: &App,
    named: &NamedTasks,
    flags: Layer,
    words: impl Fn(&Work) -> Option<String>,
) -> Result<(Here, FoundTasks), AppError> {
    let resolved = configured(app, flags)?;
    if issues::wanted(named, &resolved)?.is_some() {
        return Err(AppError::usage("issues are changed on their forge, not here")
            .hint("Close or open one there: gh issue close, gh issue reopen"));
    }
    let found = find(app, named, &resolved)
        .map_err(|error| with_works(error, &elsewhere(app, named), command(&words)))?;
    let found = near_instead(app, named, found, words)?;
    if let Some(problem) = unreadable(&found.list) {
        return Err(TasksError::Unreadable(problem.clone()).into());
    }
    let here = Here::find(app)?;
    refuse_live(&here)?;
    Ok((here, found))
}
