//! Workspaces: made, reset, archived, kept as templates, deleted. What all of that shares is here: where they are, how
//! they stand.

pub mod archive;
mod clean;
mod create;
pub mod guard;
mod reset;
pub mod template;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use windlass_core::values::RunId;
use windlass_engine::store::{RunSummary, index};
use windlass_engine::workspace::{LiveRun, Mended, Workspace, Workspaces, live_runs};
use windlass_engine::written::{self, Written};
use windlass_ui::{WorkspaceRow, WorkspaceState, one_line};

use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::which;
use crate::trusting;

pub use clean::{CleanWorkspace, CleanedWorkspace};
pub use create::{CreateWorkspace, Created};
pub use reset::ResetWorkspace;

/// The project, its workspaces, and what its runs tell of them.
pub struct Project {
    /// The project's folder and what belongs to it.
    pub here: Here,
    /// Its workspaces.
    pub workspaces: Workspaces,
}

impl Project {
    /// The project that this directory belongs to. Nothing has been created.
    pub fn find(app: &App) -> Result<Project, AppError> {
        let workspaces = Workspaces::open(app.directory());
        let here = Here::at(app, workspaces.project().to_owned())?;
        Ok(Project { here, workspaces })
    }

    /// The same for whoever is about to change what steers agents: below a run that works there it would be undone as theirs.
    pub fn to_change(app: &App) -> Result<Project, AppError> {
        let project = Project::find(app)?;
        which::refuse_live(&project.here)?;
        Ok(project)
    }

    /// What its runs tell.
    pub fn runs(&self) -> Result<Runs, AppError> {
        Ok(Runs { all: index::look(&self.here.project)?.runs, live: live_runs(&self.here.project)? })
    }
}

/// The same before a workspace is changed: one that works on it is named as that.
pub fn refuse_live(project: &Project, workspace: &Workspace) -> Result<(), AppError> {
    workspace.refuse_live(&project.here.project)?;
    which::refuse_live(&project.here)
}

/// Notes that a person takes away what a workspace is to do, and how: where a run was cut off, that is no agent's work that is to be
/// undone. Before it is done.
pub fn note_removal(project: &Project, workspace: &Workspace) -> Result<(), AppError> {
    let here = &project.here;
    // No run without a project that is known.
    // outside: the state folder.
    if !here.project.path().is_dir() || trusting::refuse_below_windlass().is_err() {
        return Ok(());
    }
    for path in workspace.steering() {
        let removed = Written { path, before: None, after: None, task: None, at: Some(Timestamp::now()) };
        written::note(&here.project, removed)?;
    }
    Ok(())
}

/// Says that a workspace's history was broken and is whole again.
pub fn tell_mended(app: &App, workspace: &Workspace, mended: Option<&Mended>) {
    app.notices(&mended.map(|mended| mended.sentence(&workspace.metadata_file())));
}

/// A path for people: from the directory that requests are about, where it is below that.
pub fn from_here(app: &App, path: &Path) -> String {
    let below = path.strip_prefix(app.directory()).ok();
    one_line(&below.unwrap_or(path).display().to_string())
}

/// What runs tell of workspaces.
pub struct Runs {
    /// Newest first.
    pub all: Vec<Arc<RunSummary>>,
    /// Those that a process works on.
    pub live: Vec<LiveRun>,
}

impl Runs {
    /// How a workspace stands.
    pub fn row(&self, workspace: &Workspace) -> Result<WorkspaceRow, AppError> {
        let known = workspace.known(&self.all)?;
        let metadata = known.metadata;
        let items = workspace.standing().items;
        let (state, run) = match (self.live(workspace), self.interrupted(workspace)) {
            (Some(run), _) => (WorkspaceState::Running, Some(run)),
            (None, Some(run)) => (WorkspaceState::Interrupted, Some(run)),
            (None, None) => (WorkspaceState::At(metadata.status), None),
        };
        Ok(WorkspaceRow {
            name: workspace.name().to_string(),
            mode: metadata.mode,
            state,
            status: metadata.status,
            run,
            total_iterations: metadata.total_iterations,
            execution_iterations: metadata.execution_iterations,
            remaining: items.map(|items| items.total.saturating_sub(items.done)),
            total: items.map(|items| items.total),
            last_run: metadata.last_run,
            problem: known.problem,
        })
    }

    fn live(&self, workspace: &Workspace) -> Option<RunId> {
        let mut live = self.live.iter();
        live.find(|live| live.workspace.folder == workspace.folder()).map(|live| live.run.clone())
    }

    /// The newest run, if it could simply go on.
    fn interrupted(&self, workspace: &Workspace) -> Option<RunId> {
        let newest = *workspace.runs(&self.all).first()?;
        newest.is_unfinished().then(|| newest.run.clone())
    }
}
