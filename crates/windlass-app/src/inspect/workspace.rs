//! Workspaces: how they stand, and all there is to say of one.

use std::path::Path;

use windlass_core::config::{FileKind, Origin, ValueOrigin};
use windlass_core::spec::Mode;
use windlass_core::values::{Named, RunId};
use windlass_core::workspace::{Metadata, VerificationStatus, WorkspaceStatus};
use windlass_engine::workspace::Workspace;
use windlass_ui::{
    OptionShown, RunRow, RunState, VerificationShown, WorkspaceRow, WorkspaceShown, WorkspaceState,
};

use super::{runs, which};
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::run::Goal;
use crate::run::going_on::goes_on;
use crate::workspaces::{Project, Runs};

/// Runs that are shown.
const NEWEST: usize = 5;

impl App {
    /// How all workspaces stand. What is wrong with one is a notice, and hides no other.
    pub fn workspaces(&self) -> Result<Vec<WorkspaceRow>, AppError> {
        let project = Project::find(self)?;
        let listing = project.workspaces.list()?;
        let runs = project.runs()?;
        let mut rows = Vec::new();
        for workspace in &listing.workspaces {
            match runs.row(workspace) {
                Ok(row) => rows.push(row),
                Err(error) => {
                    self.notice(&format!("workspace {} is left out: {}", workspace.name(), error.message));
                }
            }
        }
        for row in &rows {
            if let Some(problem) = &row.problem {
                self.notice(&format!(
                    "workspace {}: {problem}; `windlass init {}` fixes it",
                    row.name, row.name
                ));
            }
        }
        for (_, error) in &listing.odd {
            self.notice(&format!("left out: {error}"));
        }
        Ok(rows)
    }

    /// All there is to say of a workspace.
    ///
    /// # Errors
    /// There is none of this name, or its files cannot be read.
    pub fn workspace(&self, name: &str) -> Result<WorkspaceShown, AppError> {
        let project = Project::find(self)?;
        shown(&project, &project.workspaces.find(name)?)
    }
}

fn shown(project: &Project, workspace: &Workspace) -> Result<WorkspaceShown, AppError> {
    let all = project.runs()?;
    let row = all.row(workspace)?;
    let metadata = workspace.known(&all.all)?.metadata;
    let (origins, configuration_problem) = match origins(project.workspaces.project(), workspace, row.mode) {
        Ok(origins) => (origins, None),
        Err(error) => (Vec::new(), Some(error.message.replace('\n', "; "))),
    };
    let newest = newest(project, workspace, &all)?;
    // What a run would refuse is nothing to run.
    let has_instructions = Goal::instructions(&project.here.app, workspace).is_ok();
    Ok(WorkspaceShown {
        folder: workspace.folder().display().to_string(),
        created: metadata.created,
        setup_iterations: metadata.setup_iterations,
        verification: verification(&metadata),
        has_instructions,
        standing: workspace.standing(),
        options: options(&origins, workspace.folder()),
        configuration_problem,
        notifications: notifications(&origins, workspace.folder()),
        next: next(&row, has_instructions, &newest),
        runs: newest,
        row,
    })
}

/// Every value that holds for the workspace.
fn origins(project: &Path, workspace: &Workspace, mode: Mode) -> Result<Vec<ValueOrigin>, AppError> {
    let configuration = Configuration::read(project, Some(workspace.folder()), mode)?;
    Ok(configuration.resolved.origins().to_vec())
}

/// What its own file sets; who is told what stands elsewhere.
fn options(origins: &[ValueOrigin], folder: &Path) -> Vec<OptionShown> {
    let own = origins.iter().filter(|value| matches!(value.origin, Origin::File(FileKind::Workspace, ..)));
    own.filter(|value| !value.name.starts_with("notify.")).filter_map(|value| option(value, folder)).collect()
}

/// Who is told what happens, whichever layer says so.
fn notifications(origins: &[ValueOrigin], folder: &Path) -> Vec<OptionShown> {
    let said = origins.iter().filter(|value| value.name.starts_with("notify.") && !value.origin.is_default());
    said.filter_map(|value| option(value, folder)).collect()
}

fn option(value: &ValueOrigin, folder: &Path) -> Option<OptionShown> {
    let origin = match &value.origin {
        Origin::File(FileKind::Workspace, path, line) => {
            format!("{}:{line}", path.strip_prefix(folder).unwrap_or(path).display())
        }
        other => other.to_string(),
    };
    Some(OptionShown { key: value.name.to_owned(), value: value.value.clone()?, origin })
}

fn verification(metadata: &Metadata) -> Option<VerificationShown> {
    let history = &metadata.verification;
    let last = Some(history.last_status).filter(|last| *last != VerificationStatus::NotRun)?;
    Some(VerificationShown {
        attempts: history.attempts,
        last: last.name().to_owned(),
        time: history.last_time,
    })
}

fn newest(project: &Project, workspace: &Workspace, all: &Runs) -> Result<Vec<RunRow>, AppError> {
    let live: Vec<RunId> = which::all_live(&project.here)?;
    let mut newest = workspace.runs(&all.all);
    newest.truncate(NEWEST);
    Ok(newest.into_iter().map(|run| runs::row(run, which::state(run, &live))).collect())
}

/// What to type next.
fn next(row: &WorkspaceRow, has_instructions: bool, newest: &[RunRow]) -> Vec<String> {
    let name = &row.name;
    let last_work = newest.iter().find(|run| !run.mode.judges());
    let mut commands = match (row.state, &row.run) {
        (WorkspaceState::Running, Some(run)) => {
            return vec![format!("windlass logs {run} -f"), format!("windlass stop {run}")];
        }
        (WorkspaceState::Interrupted, Some(run)) => vec![format!("windlass resume {run}")],
        _ if !has_instructions => vec![format!("windlass setup {name}")],
        (WorkspaceState::At(WorkspaceStatus::Completed), _) => vec![format!("windlass verify {name}")],
        _ => match last_work {
            Some(RunRow { run, state: RunState::Ended(reason), .. }) if goes_on(*reason) => {
                vec![format!("windlass resume {run}")]
            }
            _ => vec![format!("windlass run {name}")],
        },
    };
    commands.extend(newest.first().map(|newest| format!("windlass logs {}", newest.run)));
    commands
}
