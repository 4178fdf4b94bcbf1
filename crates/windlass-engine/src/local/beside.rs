//! What the gates judge the work with that its commit does not have: where that is pushed, it is not what was judged.

use std::collections::BTreeSet;

use windlass_core::values::SnapshotId;
use windlass_git::inventory::{as_path, is_own};
use windlass_git::snapshot::quoting::quote;
use windlass_host::tree::at;

use super::work::WorkError;
use super::working_tree::{Look, WorkingTree};
use crate::recovery::is_own_file;
use crate::recovery::record::holding;
use crate::withhold::WithheldPaths;

/// So many are told.
const MOST: usize = 20;

/// The files that are in the tree, and neither in the commit that is checked out nor ignored by git. What was there when the run
/// began, and what checks write, is there again wherever the gates are run; what somebody wrote between two sessions is not.
pub(super) fn of_commit(
    world: &WorkingTree,
    since: Option<&SnapshotId>,
    look: &Look,
) -> Result<Vec<String>, WorkError> {
    let place = world.surveyor.place();
    let (Some(_), Some(repository)) = (&world.plan.delivery, &place.repository) else {
        return Ok(Vec::new());
    };
    let by_checks: BTreeSet<Vec<u8>> = match (since, &world.snapshots) {
        (Some(since), Some(store)) => {
            world.by_checks.theirs(&store.load(since)?, &look.inventory).cloned().collect()
        }
        _ => BTreeSet::new(),
    };
    let notes = world.plan.job.notes_file.as_ref().and_then(|file| place.relative(file));
    let was_there =
        |path: &[u8]| holding(&world.uncommitted, path).is_some() && holding(&world.between, path).is_none();
    let counts = |path: &Vec<u8>| {
        let own = is_own(path) || is_own_file(&world.plan, place, path) || notes.as_ref() == Some(path);
        !own && !was_there(path) && !by_checks.contains(path)
    };
    let uncommitted = repository.uncommitted_paths()?.into_iter().map(|found| found.path);
    Ok(uncommitted.filter(counts).take(MOST).map(|path| quote(&path)).collect())
}

/// The files that were there when the work was judged, and that its commit does not hold: what was a person's and uncommitted, what
/// is held back, and what the checks have written since `since` for themselves.
pub(super) fn lacking(
    world: &WorkingTree,
    held: &WithheldPaths,
    since: Option<&SnapshotId>,
) -> Result<Vec<String>, WorkError> {
    let is_there = |path: &&Vec<u8>| at(&world.surveyor.place().root).join(as_path(path)).is_taken();
    let uncommitted = world.uncommitted.keys().filter(is_there);
    let mut all: BTreeSet<&Vec<u8>> = held.iter().map(|(path, _)| path).chain(uncommitted).collect();
    let since = since.zip(world.snapshots.as_ref()).filter(|_| !world.by_checks.is_empty());
    let since = since.map(|(since, store)| store.load(since)).transpose()?;
    if let (Some(since), Some(judged)) = (&since, &world.latest) {
        all.extend(world.by_checks.theirs(since, &judged.inventory));
    }
    Ok(all.into_iter().filter(|path| !is_own(path)).take(MOST).map(|path| quote(path)).collect())
}
