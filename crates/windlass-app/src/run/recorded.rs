//! What a run leaves in its workspace once it has ended.

use windlass_core::spec::{Job, JobWorkspace};
use windlass_engine::store::{RunFolder, index};
use windlass_engine::workspace::Workspaces;

use crate::here::Here;
use crate::run::request::Verified;
use crate::run::verdict;

/// Keeps what a verification before completion said.
pub(super) fn verification(here: &Here, job: &Job, folder: &RunFolder, before: usize) -> Option<Verified> {
    verdict::after_run(here, job, folder, before).unwrap_or_else(|error| {
        here.app.notice(&format!("the verification is not kept in the workspace: {}", error.message));
        None
    })
}

/// Counts an ended run in its workspace. The run is over and journalled whether that works or not; whoever looks at the
/// workspace next catches up on it.
pub(super) fn in_workspace(here: &Here, workspace: Option<&JobWorkspace>, folder: &RunFolder) {
    let Some(workspace) = workspace else {
        return;
    };
    let recorded = Workspaces::open(&here.directory).find(&workspace.name).and_then(|found| {
        let summary = index::summarize(folder)?;
        Ok(found.record_run(&here.project, &summary)?.map(|mended| mended.sentence(&found.metadata_file())))
    });
    match recorded {
        Ok(mended) => here.app.notices(&mended),
        Err(error) => here.app.notice(&format!("the run is not counted in its workspace: {error}")),
    }
}
