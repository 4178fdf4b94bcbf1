//! A workspace whose job a run has finished: the same run once more says so, and calls nobody.

use windlass_core::values::StopReason;
use windlass_engine::store::{RunFolder, RunSummary, index};

use super::going_on::has_begun;
use super::prepared::Prepared;
use crate::error::AppError;
use crate::here::Here;

/// Believes the status file of a workspace where the latest run of the same job has completed it: that claim has been
/// checked. Gates look at it once more.
pub fn believe_what_a_run_finished(here: &Here, prepared: &mut Prepared) -> Result<(), AppError> {
    let assignment = &prepared.assignment;
    let Some(workspace) = assignment.workspace.as_ref().filter(|_| !assignment.mode.judges()) else {
        return Ok(());
    };
    let is_same = |run: &&RunSummary| {
        run.directory == here.directory
            && has_begun(run)
            && assignment.same_job(here, &prepared.configuration.resolved).includes(run, &here.project)
    };
    let listing = index::list(&here.project)?;
    let Some(latest) = listing.iter().find(is_same) else {
        return Ok(());
    };
    let completed = latest.ending.is_some_and(|ending| ending.stop_reason == StopReason::Complete);
    let asked = RunFolder::of(&here.project, &latest.run).read_goal();
    if completed && latest.mode == assignment.mode && asked.is_ok_and(|goal| goal == assignment.goal.text) {
        let (run, name) = (&latest.run, workspace.name());
        prepared.configuration.notices.push(format!(
            "{run} has completed this workspace with the same instructions; once more from the beginning: \
             windlass run {name} --fresh"
        ));
        prepared.configuration.resolved.workspace.trust_existing_status = true;
    }
    Ok(())
}
