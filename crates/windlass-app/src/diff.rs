//! What a run, or one of its iterations, changed in the files.

use windlass_core::values::{RunId, SnapshotId};
use windlass_engine::store::RunFolder;
pub use windlass_git::git::ChangedFile;
use windlass_git::snapshot::{Moment, Side, SnapshotError, SnapshotName, Store};

use crate::app::App;
use crate::error::AppError;
use crate::fleet::Depth;
use crate::here::Here;
use crate::inspect::which;
use crate::restore::is_of_a_lane;
use crate::snapshots::{RunSnapshots, unknown};

/// Whose changes are asked for.
#[derive(Clone, Debug, Default)]
pub struct DiffRun {
    /// The run, or the beginning of its name; by default the live or newest one of the working directory.
    pub run: Option<String>,
    /// One of its iterations, from 1; all of them where none is named.
    pub iteration: Option<u32>,
}

/// What changed between two snapshots of a run.
pub struct RunDiff {
    /// The run.
    pub run: RunId,
    /// The snapshot that is compared with.
    pub from: SnapshotName,
    /// The later one.
    pub to: SnapshotName,
    /// The files that differ, in the order of their names.
    pub files: Vec<ChangedFile>,
    /// The lines that differ, as `git diff` shows them, byte for byte.
    pub patch: Vec<u8>,
}

/// A snapshot and its name.
type NamedSnapshot = (SnapshotName, SnapshotId);

impl App {
    /// What a run, or one of its iterations, changed, by the snapshots that were taken around each iteration. What git
    /// ignores is in none of them.
    ///
    /// # Errors
    /// There is no such run, it has no such snapshots, or all of a run is asked for that worked in lanes.
    pub fn diff(&self, request: &DiffRun) -> Result<RunDiff, AppError> {
        let here = Here::find(self)?;
        let folder = which::shown_to(&here, request.run.as_deref(), Depth::Files)?;
        let run = folder.run().clone();
        let RunSnapshots { store, refused } =
            RunSnapshots::open(&here.project, &run, here.repository.as_ref(), usize::MAX)?;
        let missing = |last: &Moment| -> Result<Option<String>, AppError> {
            Ok(what_is_missing(last, which::live_with(&here, &folder)?.contains(&run)))
        };
        let ends = match request.iteration {
            Some(iteration) => around(&store, &run, iteration),
            None => whole(&here, &store, &folder, &missing),
        };
        let (from, to) = ends.map_err(|error| refused.said(error))?;
        if let Some(said) = missing(&to.0.moment)? {
            self.notice(&said);
        }
        let ends = (&from.1, &to.1);
        let files = store.changed_files(ends).map_err(AppError::system)?;
        let patch = store.patch(ends).map_err(AppError::system)?;
        Ok(RunDiff { run, from: from.0, to: to.0, files, patch })
    }
}

/// What an attempt has done is kept at its end: one that goes on, or was cut off, is not in the newest snapshot.
fn what_is_missing(last: &Moment, is_live: bool) -> Option<String> {
    let Moment::Iteration { iteration, side: Side::Before, .. } = last else { return None };
    let why = if is_live { "goes on" } else { "was cut off" };
    Some(format!(
        "iteration {iteration} {why}, and what it has changed so far is not shown: it is not kept yet"
    ))
}

/// The ends of an iteration.
fn around(store: &Store, run: &RunId, iteration: u32) -> Result<(NamedSnapshot, NamedSnapshot), AppError> {
    let end = |side| match store.find(run, iteration, side) {
        Err(SnapshotError::Unknown(what)) => Err(unknown(store, run, &what)),
        found => Ok(found?),
    };
    Ok((end(Side::Before)?, end(Side::After)?))
}

/// The beginning of a run, and its newest snapshot.
fn whole(
    here: &Here,
    store: &Store,
    folder: &RunFolder,
    missing: &dyn Fn(&Moment) -> Result<Option<String>, AppError>,
) -> Result<(NamedSnapshot, NamedSnapshot), AppError> {
    let run = folder.run();
    let of_iterations = |(name, _): &NamedSnapshot| matches!(name.moment, Moment::Iteration { .. });
    let mut kept: Vec<NamedSnapshot> = store.list(run)?.into_iter().filter(of_iterations).collect();
    let (last, first) = match (kept.pop(), kept.into_iter().next()) {
        (Some(last), Some(first)) => (last, first),
        (only, _) => {
            let why = only.map_or(Ok(None), |(name, _)| missing(&name.moment))?;
            return Err(unknown(store, run, &format!("of a whole iteration of run {run}")).with_hints(why));
        }
    };
    if is_of_a_lane(here, run, &store.load(&last.1)?) {
        return Err(AppError::usage(format!("run {run} worked in lanes, each with files of its own"))
            .hint(format!("One of its iterations: windlass diff {run} 1"))
            .hint("All that was merged is in git: git log --patch"));
    }
    Ok((first, last))
}
