//! Before a new run reads anything: what the interrupted attempt of a run here left is settled as `resume` would do it, so that the new
//! one goes by nothing that an agent wrote and nobody has judged.

use std::env;

use windlass_core::recovery::unjudged;
use windlass_core::run::Run;
use windlass_core::values::ExitCodes;
use windlass_engine::local::{Abandoned, settle};
use windlass_engine::store::lock::{Holder, holders};
use windlass_engine::store::{RunFolder, index, journal};
use windlass_git::inventory::Surveyor;
use windlass_host::tree::at;

use super::going_on::has_begun;
use super::launch::{self, Taken};
use super::meanwhile;
use crate::error::AppError;
use crate::fleet;
use crate::here::Here;

/// A run that was cut off in an attempt.
pub(super) struct CutOff {
    /// Where it works.
    there: Here,
    folder: RunFolder,
}

/// Settles what interrupted attempts in this checkout have left, and says at once what was done: whatever becomes of the command, it is
/// done.
pub(crate) fn settle_all(here: &Here, codes: ExitCodes) -> Result<(), AppError> {
    for run in cut_off(here)? {
        here.app.notices(&run.settle(codes)?);
    }
    Ok(())
}

/// The latest run of this checkout, if nobody has judged what its last attempt left, and those that judged something since, which say
/// nothing of it; none where one is at work. The newest first.
pub(super) fn cut_off(here: &Here) -> Result<Vec<CutOff>, AppError> {
    let root = here.place().root;
    let is_at_work = |holder: &Holder| holder.directory.starts_with(&root) && holder.is_alive();
    if holders(&here.project)?.iter().any(is_at_work) {
        // The lock will say who works here.
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for run in index::list(&here.project)?.iter().filter(|run| has_begun(run)) {
        let there = if run.directory == here.directory {
            here.clone()
        } else if run.directory.starts_with(&root) && at(&run.directory).is_real_folder() {
            Here::at(&here.app, run.directory.clone())?
        } else {
            continue;
        };
        if there.place().root != root {
            continue;
        }
        let folder = RunFolder::of(&here.project, &run.run);
        let entries = journal::read(&folder.journal()).unwrap_or_default();
        // One whose journal cannot be read says nothing, and of one that was driven elsewhere nothing is here.
        let is_unjudged = Run::folded(&entries).is_ok_and(|run| unjudged(&run).is_some());
        let is_cut_off = is_unjudged && !fleet::is_copy(&folder);
        if is_cut_off {
            found.push(CutOff { there, folder });
        }
        if !run.mode.judges() {
            break;
        }
    }
    Ok(found)
}

impl CutOff {
    /// Settles it. Says what was done.
    fn settle(&self, codes: ExitCodes) -> Result<Vec<String>, AppError> {
        let CutOff { there, folder } = self;
        let taken = launch::lock(there, folder.run(), codes)?;
        let (said, Taken { lock, notices }) = launch::with_lock(taken, || self.settled())?;
        lock.release()?;
        Ok(notices.into_iter().chain(said).collect())
    }

    fn settled(&self) -> Result<Vec<String>, AppError> {
        let CutOff { there, folder } = self;
        let entries = journal::read(&folder.journal())?;
        let Ok(run) = Run::folded(&entries) else { return Ok(Vec::new()) };
        let Some(plan) = run.spec() else { return Ok(Vec::new()) };
        if let Some(why) = meanwhile::gone_elsewhere(there, folder, (&run, &entries))? {
            return Ok(vec![format!("{why}: what its interrupted attempt left is as it is")]);
        }
        let behind = there.behind(&plan.sandbox.kind)?;
        let abandoned = Abandoned {
            folder,
            entries: &entries,
            surveyor: Surveyor::new(behind.place()),
            snapshots: behind.snapshots()?,
            search_path: env::var_os("PATH").unwrap_or_default(),
        };
        settle(abandoned).map_err(AppError::system)
    }
}
