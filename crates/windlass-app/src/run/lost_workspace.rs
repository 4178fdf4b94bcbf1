//! A workspace that is gone: what its run needs before it is resumed.

use windlass_core::spec::{JobWorkspace, RunSpec};
use windlass_core::values::StopReason;
use windlass_engine::workspace::Workspaces;
use windlass_engine::workspace::archive::{Archives, Listed};
use windlass_host::tree::at;

use crate::error::{AppError, Codes, Kind};
use crate::here::Here;

/// A run does not go on without its workspace: the agent would find nothing that it is asked to do.
pub fn refuse(here: &Here, plan: &RunSpec) -> Result<(), AppError> {
    let Some(workspace) =
        plan.job.workspace.as_ref().filter(|workspace| !at(&workspace.folder).holds_folder())
    else {
        return Ok(());
    };
    let kind = Kind::Stopped(StopReason::Missing, Codes::AsConfigured);
    let said = format!(
        "there is no workspace `{}` any more at {}, and run {} works in it",
        workspace.name,
        workspace.folder.display(),
        plan.run
    );
    Err(AppError::new(kind, said).hint(way_back(here, workspace)))
}

fn way_back(here: &Here, workspace: &JobWorkspace) -> String {
    let archives = Archives::of(&Workspaces::open(&here.directory)).list().unwrap_or_default();
    let is_its = |row: &&Listed| row.told.as_ref().is_ok_and(|told| told.workspace == workspace.name);
    match archives.iter().find(is_its) {
        Some(row) => format!("Bring it back: windlass archive restore {}", row.archive.name),
        None => format!("Begin it anew: windlass init {}", workspace.name),
    }
}
