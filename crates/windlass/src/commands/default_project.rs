//! The project that tasks are worked on where the current directory has no job: `project.default` of the user's own
//! configuration.

use std::env;
use std::path::{Path, PathBuf};

use windlass_core::config::FileKind;
use windlass_engine::tasks::{Wanted, find_tasks};
use windlass_engine::workspace::{PROJECT_FOLDER, project_folder};
use windlass_host::process::RUN_VARIABLE;
use windlass_host::tree;
use windlass_ui::{one_line, typed_elsewhere};

use super::warn;
use crate::args::Verb;
use crate::commands::app;
use windlass_app::configuration::{Source, sources};
use windlass_app::here::Here;
use windlass_app::quoted;
use windlass_app::{AppError, Kind};

/// The key.
pub const KEY: &str = "project.default";

/// What shows that a directory has a job of its own: files and folders that somebody put there for one.
const SIGNS: [&str; 6] =
    [PROJECT_FOLDER, "requirements.md", "requirements", "tasks.md", "prd.json", ".devloop/session.json"];

/// Is this verb about tasks, wherever they are?
pub fn concerns(verb: &Verb) -> bool {
    match verb {
        Verb::Continue(_) => true,
        Verb::Status(args) => args.run.is_none(),
        Verb::Run(args) => args.mode.as_deref() == Some("tasks"),
        // Who names a file means one from here.
        Verb::Tasks(args) => !args.names_a_file(),
        _ => false,
    }
}

/// Goes there, where the current directory has no job and a project is configured; says so.
pub fn enter() -> Result<(), AppError> {
    // What runs there works here, whatever a user has configured.
    if env::var_os(RUN_VARIABLE).is_some_and(|run| !run.is_empty()) {
        return Ok(());
    }
    let directory = app()?.directory().to_owned();
    if has_job(&directory)? {
        return Ok(());
    }
    let Some(project) = configured(&directory)? else { return Ok(()) };
    env::set_current_dir(&project).map_err(|error| unusable(&project, &error.to_string()))?;
    typed_elsewhere(&quoted(project.as_os_str()));
    warn(&format!(
        "there is no job here, so this is about {} ({KEY})",
        one_line(&project.display().to_string())
    ));
    Ok(())
}

/// A project of ours, a task file, or a run that was started here.
fn has_job(directory: &Path) -> Result<bool, AppError> {
    let project = project_folder(directory);
    let is_there = |sign: &&str| tree::at(directory).join(sign).is_taken();
    if tree::at(&project).join(PROJECT_FOLDER).holds_folder() || SIGNS.iter().any(is_there) {
        return Ok(true);
    }
    if find_tasks(directory, Wanted::Usual).is_ok_and(|found| !found.list.tasks().is_empty()) {
        return Ok(true);
    }
    // Where nothing can be worked on there is no job.
    let Ok(here) = Here::at(&app()?, directory.to_owned()) else { return Ok(false) };
    let runs = windlass_engine::store::index::look(&here.project)?.runs;
    Ok(runs.iter().any(|run| run.directory == here.directory))
}

/// What the environment says, or else the user's file.
fn configured(directory: &Path) -> Result<Option<PathBuf>, AppError> {
    let variable = env::var_os("WINDLASS_PROJECT__DEFAULT").filter(|value| !value.is_empty());
    let project = variable.map_or_else(|| of_user(directory), |value| Ok(Some(PathBuf::from(value))))?;
    let Some(project) = project else { return Ok(None) };
    check(&project)?;
    Ok(Some(project))
}

fn of_user(directory: &Path) -> Result<Option<PathBuf>, AppError> {
    let user = sources(directory, None)?.into_iter().find(|source| source.kind == FileKind::User);
    let layer = user.as_ref().map(Source::layer).transpose()?.flatten();
    let value = layer.as_ref().and_then(|layer| layer.value(KEY)).and_then(|value| value.as_str());
    Ok(value.filter(|text| !text.trim().is_empty()).map(PathBuf::from))
}

/// May this be the default project?
pub fn check(project: &Path) -> Result<(), AppError> {
    if !project.is_absolute() {
        return Err(unusable(project, "it is no absolute path"));
    }
    // outside: a folder that a person named.
    match project.metadata() {
        Ok(metadata) if metadata.file_type().is_dir() => Ok(()),
        Ok(_) => Err(unusable(project, "it is no folder")),
        Err(error) => Err(unusable(project, &error.to_string())),
    }
}

fn unusable(project: &Path, why: &str) -> AppError {
    let message = format!("{KEY} cannot be {}: {why}", one_line(&project.display().to_string()));
    AppError::new(Kind::Configuration, message)
        .hint(format!("Another one: windlass config set --user {KEY} PATH"))
        .hint(format!("None: windlass config unset --user {KEY}"))
}
