//! The project that tasks are worked on where the current directory has no job: `project.default` of the user's own
//! configuration.

use std::env;
use std::path::{Path, PathBuf};

use windlass_engine::store::index;
use windlass_engine::tasks::{Wanted, find_tasks};
use windlass_engine::workspace::{PROJECT_FOLDER, project_folder};
use windlass_host::process::RUN_VARIABLE;
use windlass_host::tree;
use windlass_ui::one_line;

use super::value_of_user;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::here::Here;

/// The key.
pub const KEY: &str = "project.default";

/// What shows that a directory has a job of its own: files and folders that somebody put there for one.
const SIGNS: [&str; 6] =
    [PROJECT_FOLDER, "requirements.md", "requirements", "tasks.md", "prd.json", ".devloop/session.json"];

impl App {
    /// The project that is configured for where the current directory has no job, where that is so.
    ///
    /// # Errors
    /// It cannot be worked in.
    pub fn default_project(&self) -> Result<Option<PathBuf>, AppError> {
        // What runs there works here, whatever a user has configured.
        if env::var_os(RUN_VARIABLE).is_some_and(|run| !run.is_empty()) || has_job(self)? {
            return Ok(None);
        }
        // The environment goes before the user's file.
        let variable = env::var_os("WINDLASS_PROJECT__DEFAULT").filter(|value| !value.is_empty());
        let project = variable.map_or_else(|| of_user(self), |value| Ok(Some(PathBuf::from(value))))?;
        project.iter().try_for_each(|project| check(project))?;
        Ok(project)
    }
}

/// A project of ours, a task file, or a run that was started here.
fn has_job(app: &App) -> Result<bool, AppError> {
    let directory = app.directory();
    let project = project_folder(directory);
    let is_there = |sign: &&str| tree::at(directory).join(sign).is_taken();
    if tree::at(&project).join(PROJECT_FOLDER).holds_folder() || SIGNS.iter().any(is_there) {
        return Ok(true);
    }
    if find_tasks(directory, Wanted::Usual).is_ok_and(|found| !found.list.tasks().is_empty()) {
        return Ok(true);
    }
    // Where nothing can be worked on there is no job.
    let Ok(here) = Here::find(app) else { return Ok(false) };
    let runs = index::look(&here.project)?.runs;
    Ok(runs.iter().any(|run| run.directory == here.directory))
}

fn of_user(app: &App) -> Result<Option<PathBuf>, AppError> {
    let value = value_of_user(app, KEY)?;
    let text = value.as_ref().and_then(|value| value.as_str());
    Ok(text.filter(|text| !text.trim().is_empty()).map(PathBuf::from))
}

/// May this be the default project?
pub(super) fn check(project: &Path) -> Result<(), AppError> {
    if !project.is_absolute() {
        return Err(unusable(project, "it is not an absolute path"));
    }
    // outside: a folder that a person named.
    match project.metadata() {
        Ok(metadata) if metadata.file_type().is_dir() => Ok(()),
        Ok(_) => Err(unusable(project, "it is not a folder")),
        Err(error) => Err(unusable(project, &error.to_string())),
    }
}

/// Why it cannot be worked in.
pub fn unusable(project: &Path, why: &str) -> AppError {
    let message = format!("{KEY} cannot be {}: {why}", one_line(&project.display().to_string()));
    AppError::new(Kind::Configuration, message)
        .hint(format!("Another one: windlass config set --user {KEY} PATH"))
        .hint(format!("None: windlass config unset --user {KEY}"))
}
