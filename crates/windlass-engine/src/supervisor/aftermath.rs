//! Before any git is called where a runner was killed beside its guests: what steers git is put back.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use windlass_core::fact::Fact;
use windlass_core::run::RunPlan;

use super::loan::{said, strictness};
use crate::git::{SteeringError, put_back_from};
use crate::process::leftovers;
use crate::store::lock::holders;
use crate::store::run_folder::all_runs;
use crate::store::{Project, RunFolder, journal};

/// What a killed run started may still be at work for so long, and write.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether it still is.
const PAUSE: Duration = Duration::from_millis(50);

/// Puts back what steers git where a directory (canonical) belongs to, for every run there whose runner was killed; whichever
/// state folder's project it is known as, since a guest may have written what says that. Says what was put back.
///
/// # Errors
/// The git directory is another one: no git must be called. Or something cannot be put back.
pub fn put_back_after_kills(state_root: &Path, directory: &Path) -> Result<Vec<String>, SteeringError> {
    let mut sentences = Vec::new();
    for project in Project::all(state_root).unwrap_or_default() {
        let runs = all_runs(&project).unwrap_or_default();
        let left: Vec<RunFolder> = runs
            .iter()
            .map(|run| RunFolder::of(&project, run))
            .filter(|folder| folder.steering().is_there())
            .collect();
        let holders = if left.is_empty() { Vec::new() } else { holders(&project).unwrap_or_default() };
        let is_at_work = |folder: &RunFolder| {
            holders.iter().any(|holder| holder.run == *folder.run() && holder.is_alive())
        };
        for folder in left.iter().filter(|folder| !is_at_work(folder)) {
            sentences.extend(put_back_after_kill(folder, directory)?);
        }
    }
    Ok(sentences)
}

/// The same for one run, which nobody drives.
///
/// # Errors
/// As above.
pub fn put_back_after_kill(folder: &RunFolder, directory: &Path) -> Result<Option<String>, SteeringError> {
    let Some(strictness) = plan(folder).and_then(|plan| strictness(&plan.sandbox.kind)) else {
        return Ok(None);
    };
    let put_back = || put_back_from(&folder.steering(), directory, strictness);
    let Some(mut changed) = put_back()? else { return Ok(None) };
    let deadline = Instant::now() + PATIENCE;
    let mut is_alone = leftovers::find(folder.run()).is_empty();
    if !is_alone {
        while !is_alone && Instant::now() < deadline {
            sleep(PAUSE);
            is_alone = leftovers::find(folder.run()).is_empty();
        }
        changed.extend(put_back()?.unwrap_or_default());
    }
    if is_alone {
        folder.forget_steering();
    }
    changed.sort();
    changed.dedup();
    Ok(said(&changed).map(|sentence| format!("beside run {}, which was killed, {sentence}", folder.run())))
}

fn plan(folder: &RunFolder) -> Option<Box<RunPlan>> {
    journal::read(&folder.journal()).ok()?.into_iter().find_map(|entry| match entry.fact {
        Fact::RunStarted { plan } => Some(plan),
        _ => None,
    })
}
