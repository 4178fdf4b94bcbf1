//! What is kept of ended runs. Their recordings (`iterations/`: what agents were told and said, what checks printed) are
//! nearly all that they take; they go by a rule that the user sets. Journals stay, so that lists, costs and budgets
//! remain right, and snapshots stay, since they may hold the only copy of somebody's work.
//!
//! A recording is renamed before it is removed: whoever reads finds all of it or nothing, and what a crash leaves of it
//! is removed by the next one who looks.

use std::fs;
use std::path::Path;

use windlass_core::config::RunsSettings;

use super::error::Attempted as _;
use super::files::size;
use super::lock::{Holder, holders};
use super::paths::Project;
use super::run_folder::RunFolder;
use super::summary::RunSummary;
use super::{StoreError, index};
use windlass_host::file::remove_folder;

/// What was removed.
#[derive(Debug, Default)]
pub struct Pruned {
    /// Of so many runs.
    pub runs: u64,
    /// So many bytes in files.
    pub bytes: u64,
    /// What could not be removed, the first of it.
    pub trouble: Option<StoreError>,
}

/// Removes the oldest recordings of ended runs until what is left is within bounds. Never touched are the newest ended
/// run, runs that have not ended or that a process works on, and those that `is_spared`; what they take counts all the
/// same.
pub fn prune(
    project: &Project,
    keep: RunsSettings,
    is_spared: impl Fn(&RunSummary) -> bool,
) -> Result<Pruned, StoreError> {
    let mut pruned = Pruned::default();
    if keep == RunsSettings::default() {
        return Ok(pruned);
    }
    let (mut number, mut bytes) = (0_u32, 0_u64);
    let listing = index::look(project)?;
    // Newest first.
    for run in listing.runs.iter().filter(|run| !run.is_unfinished()) {
        let folder = RunFolder::of(project, &run.run);
        let known = listing.recorded.get(&run.run).copied();
        let outcome = size_now(&folder.iterations(), known).and_then(|own| {
            let leftover = remove(&folder.removed_iterations());
            let Some(own) = own else { return leftover.map(|()| None) };
            number = number.saturating_add(1);
            bytes = bytes.saturating_add(own);
            let within = keep.count.is_none_or(|most| number <= most)
                && keep.bytes.is_none_or(|most| bytes <= most || number == 1);
            if within || is_spared(run) || is_live(project, run)? {
                return leftover.map(|()| None);
            }
            leftover?;
            let from = folder.iterations();
            fs::rename(&from, folder.removed_iterations()).attempted("rename", &from)?;
            remove(&folder.removed_iterations()).map(|()| Some(own))
        });
        match outcome {
            Ok(None) => {}
            Ok(Some(own)) => {
                pruned.runs += 1;
                pruned.bytes = pruned.bytes.saturating_add(own);
            }
            Err(error) => drop(pruned.trouble.get_or_insert(error)),
        }
    }
    Ok(pruned)
}

/// An ended run may just be resumed.
fn is_live(project: &Project, run: &RunSummary) -> Result<bool, StoreError> {
    Ok(holders(project)?.iter().any(|holder| holder.run == run.run && Holder::is_alive(holder)))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    remove_folder(path).map_err(|error| StoreError::io("remove", path, error.source))
}

/// Bytes of a recording; `None` where it is gone. One that has ended does not grow, so a size that is known holds.
fn size_now(folder: &Path, known: Option<u64>) -> Result<Option<u64>, StoreError> {
    match known {
        Some(bytes) => Ok(folder.symlink_metadata().is_ok().then_some(bytes)),
        None => size(folder),
    }
}
