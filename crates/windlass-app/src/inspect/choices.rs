//! What can go on here.

use std::sync::Arc;

use windlass_core::spec::Mode;
use windlass_core::values::RunId;
use windlass_engine::store::{RunSummary, index};
use windlass_ui::RunState;

use super::which;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::issues;
use crate::run::{NamedTasks, Work, going_on, unreadable, with_works};
use crate::task_place::TaskPlace;
use crate::workspaces::Project;

/// What there is to go on with.
pub struct Choices {
    /// The task file, or the place for one.
    pub tasks: TaskPlace,
    /// The repository whose issues are the tasks, where that is configured and no file was named.
    pub source: Option<String>,
    /// The run that works here now.
    pub live: Option<RunId>,
    /// Runs of this directory that can simply go on, the newest first.
    pub unfinished: Vec<Unfinished>,
    /// The names of the project's workspaces; none where a feature was named.
    pub workspaces: Vec<String>,
    /// Tasks in other places where people keep them, such as features; none where some were named.
    pub elsewhere: Vec<TasksElsewhere>,
}

/// Tasks that have to be named to go on with them.
pub struct TasksElsewhere {
    /// The command that goes on with them.
    pub command: String,
    /// What is there: `requirements/pay.md holds 2 tasks`.
    pub about: String,
}

/// A run that can simply go on.
pub struct Unfinished {
    /// The run.
    pub run: RunId,
    /// What it is about.
    pub title: String,
    /// How it stands.
    pub state: RunState,
}

impl App {
    /// What can go on here: tasks (of this feature), runs, workspaces.
    ///
    /// # Errors
    /// There is nothing.
    pub fn choices(&self, named: &NamedTasks) -> Result<Choices, AppError> {
        let here = Here::find(self)?;
        let named_nothing = named.file.is_none() && named.feature.is_none();
        let source = self.source_of_tasks(named)?;
        let mut tasks = TaskPlace::find(&here.directory, named)?;
        // A file that lies there is not what is worked off.
        tasks.found = tasks.found.filter(|_| source.is_none());
        if source.is_none() {
            self.refuse_other_place(&tasks)?;
        }
        let live = which::live(&here)?.map(|holder| holder.run);
        let is_open = |run: &RunSummary| {
            run.directory == here.directory
                && going_on::is_open(run)
                && going_on::has_begun(run)
                && Some(&run.run) != live.as_ref()
        };
        let all = index::look(&here.project)?.runs;
        let runs = all.iter().filter(|run| is_open(run) && !is_superseded(run, &all));
        let unfinished = runs.map(|run| Unfinished {
            state: which::state(run, &[]),
            run: run.run.clone(),
            title: run.title.clone(),
        });
        let unfinished = unfinished.collect();
        let listed = Project::find(self)?.workspaces.list()?.workspaces;
        // Whoever names a feature does not ask for workspaces.
        let named = listed.iter().filter(|_| tasks.feature.is_none());
        let workspaces = named.map(|one| one.name().to_string()).collect();
        let elsewhere = if named_nothing && source.is_none() { self.elsewhere(&tasks) } else { Vec::new() };
        let choices = Choices { tasks, source, live, unfinished, workspaces, elsewhere };
        if choices.is_nothing() { Err(nothing(&choices.tasks)) } else { Ok(choices) }
    }

    fn elsewhere(&self, place: &TaskPlace) -> Vec<TasksElsewhere> {
        let others = self.kept_work().into_iter().filter(|work| work.place != place.shown());
        let as_offered = |work: Work| TasksElsewhere {
            command: continued(&work),
            about: format!("{} holds {}", work.place, work.holds),
        };
        others.map(as_offered).collect()
    }

    /// The repository whose issues are the tasks; `None` where they are in files.
    pub fn source_of_tasks(&self, named: &NamedTasks) -> Result<Option<String>, AppError> {
        let read = Configuration::read(self.directory(), None, Mode::Goal)?;
        Ok(issues::wanted(named, &read.resolved)?.map(|wanted| wanted.source.to_owned()))
    }

    /// The tasks that are to go on: there has to be a file of them.
    pub fn tasks_to_go_on(&self, named: &NamedTasks) -> Result<TaskPlace, AppError> {
        let place = TaskPlace::find(&Here::find(self)?.directory, named)?;
        self.refuse_other_place(&place)?;
        place.require_file()?;
        Ok(place)
    }

    /// A file that was named has to be there; what is no list, and has some in it or around it, is hardly what is meant.
    fn refuse_other_place(&self, place: &TaskPlace) -> Result<(), AppError> {
        let Some(file) = &place.file else { return Ok(()) };
        match &place.found {
            None => {
                let error = AppError::usage(format!("there is no {}", place.shown()));
                Err(with_works(error, &self.kept_work(), continued)
                    .hint("Make a task file: windlass init --tasks"))
            }
            Some(found) => match (unreadable(&found.list), self.near_work(file)) {
                (Some(problem), works) if !works.is_empty() => {
                    Err(with_works(AppError::usage(problem.to_string()), &works, continued))
                }
                _ => Ok(()),
            },
        }
    }
}

/// What is missing.
fn nothing(place: &TaskPlace) -> AppError {
    let error = match &place.feature {
        Some(feature) => AppError::usage(format!(
            "there is nothing to go on with: {} is missing, and there is no unfinished run of {feature}",
            place.shown()
        )),
        None => AppError::usage(
            "there is nothing to go on with here: no task file, no unfinished run, no workspace",
        ),
    };
    error
        .hint(format!("Make a task file: {}", place.command("init --tasks")))
        .hint("Or run a goal: windlass run -p \"what is to be done\"")
}

/// Has the same job been begun anew since? Then that run goes on, or was the last word.
fn is_superseded(run: &RunSummary, all: &[Arc<RunSummary>]) -> bool {
    let workspace = |run: &RunSummary| run.workspace.as_ref().map(|workspace| workspace.folder.clone());
    all.iter().any(|later| {
        later.started > run.started
            && (&later.directory, later.mode, &later.title) == (&run.directory, run.mode, &run.title)
            && workspace(later) == workspace(run)
            && going_on::has_begun(later)
    })
}

impl Choices {
    fn is_nothing(&self) -> bool {
        self.tasks.found.is_none()
            && self.source.is_none()
            && self.live.is_none()
            && self.unfinished.is_empty()
            && self.workspaces.is_empty()
            && self.elsewhere.is_empty()
    }
}

fn continued(work: &Work) -> String {
    let flag = work.flag();
    format!("windlass continue {flag}")
}
