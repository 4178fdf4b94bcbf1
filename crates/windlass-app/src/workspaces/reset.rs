//! A workspace's history begins anew.

use jiff::Timestamp;
use windlass_core::values::RunId;
pub use windlass_engine::workspace::Reset;
use windlass_engine::workspace::Workspace;

use super::{Project, refuse_live, tell_mended};
use crate::app::App;
use crate::error::AppError;
use crate::front_end::Consent;
use crate::run::going_on;

/// A workspace whose history began anew.
#[derive(Clone, Debug)]
pub struct ResetWorkspace {
    /// Its name.
    pub name: String,
    /// It has instructions.
    pub has_instructions: bool,
    /// The run of it that could simply go on: without --fresh, no other begins.
    pub unfinished: Option<RunId>,
    /// What was kept.
    pub reset: Reset,
}

impl App {
    /// Begins the history of a workspace anew; what it was is kept. `None`: the person who was asked did not want that.
    ///
    /// # Errors
    /// There is none of this name, or a run works on it.
    pub fn reset_workspace(&self, name: &str, consent: Consent) -> Result<Option<ResetWorkspace>, AppError> {
        let project = Project::find(self)?;
        let workspace = project.workspaces.find(name)?;
        refuse_live(&project, &workspace)?;
        let name = workspace.name().to_string();
        let question = format!("begin the history of workspace {name} anew?");
        if !self.agrees(consent, &question, &format!("windlass reset {name} --yes"))? {
            return Ok(None);
        }
        let reset = workspace.reset(&project.here.project, Timestamp::now())?;
        tell_mended(self, &workspace, reset.updated.mended.as_ref());
        let unfinished = unfinished(&project, &workspace)?;
        Ok(Some(ResetWorkspace { name, has_instructions: workspace.has_instructions(), unfinished, reset }))
    }
}

/// As a run that is to begin looks for it.
fn unfinished(project: &Project, workspace: &Workspace) -> Result<Option<RunId>, AppError> {
    let runs = project.runs()?;
    let held = workspace.runs(&runs.all).into_iter().find(|run| {
        run.directory == project.here.directory && !run.mode.judges() && going_on::holds_its_job(run)
    });
    Ok(held.map(|run| run.run.clone()))
}
