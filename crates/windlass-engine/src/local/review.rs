//! What a reviewer is shown: the changes that no reviewer has let stand yet, out of the runner's own snapshots.

use std::collections::BTreeSet;

use windlass_core::run::{NotesShare, OrderContext, TurnKey};
use windlass_core::values::SnapshotId;
use windlass_git::inventory::is_own;
use windlass_git::snapshot::quoting::quote;
use windlass_git::snapshot::{Difference, Side, Snapshot, SnapshotError, Store};
use windlass_jobs::prompt::Changes;

use super::standing;
use super::work::WorkError;
use super::working_tree::WorkingTree;

/// The most of a difference that goes into a prompt, in bytes.
const USUAL: usize = 128 * 1024;

/// The same where that was too long for the model's context.
const LITTLE: usize = 24 * 1024;

/// What has changed for a reviewer.
#[derive(Debug)]
pub(super) enum Shown {
    /// This; `None` where nothing keeps what was there before.
    Changes(Option<Changes>),
    /// Less than somebody is to be asked about: so many lines.
    TooLittle(u32),
}

/// What an attempt's reviewer is shown. The attempt's beginning is kept already.
pub(super) fn shown(
    world: &mut WorkingTree,
    turn: TurnKey,
    notes: NotesShare,
    context: &OrderContext,
) -> Result<Shown, WorkError> {
    let most = if notes == NotesShare::Little { LITTLE } else { USUAL };
    let review = context.prompt.as_ref().and_then(|prompt| prompt.review.as_ref());
    let judges = review.is_some_and(|review| !review.criteria.is_empty());
    if review.is_some_and(|review| review.since.is_none()) {
        return Ok(Shown::Changes(Some(Changes::default())));
    }
    let Some(found) = difference(world, turn, most, context)? else {
        return Ok(Shown::Changes(None));
    };
    let least = world.plan.review.as_ref().map_or(0, |review| review.skip_below_lines);
    // Whether a criterion is met does not depend on how much has changed.
    if !judges && found.lines < least.max(1) {
        return Ok(Shown::TooLittle(found.lines));
    }
    let not_shown = found.not_shown.iter().map(|path| quote(path)).collect();
    Ok(Shown::Changes(Some(Changes { text: found.text, not_shown })))
}

fn difference(
    world: &mut WorkingTree,
    turn: TurnKey,
    most: usize,
    context: &OrderContext,
) -> Result<Option<Difference>, WorkError> {
    let since = context.prompt.as_ref().and_then(|prompt| prompt.review.as_ref()?.since);
    let (Some(since), Some(store)) = (since, &world.snapshots) else {
        return Ok(None);
    };
    let ends = (began_with(world, store, since)?, began_with(world, store, turn)?);
    let (Some(from), Some(to)) = ends else {
        return Ok(None);
    };
    let passed_over = not_for_reviewers(world, &store.load(&from)?);
    let wanted = |path: &[u8]| !passed_over.contains(path) && is_work(world, path);
    match store.difference((&from, &to), wanted, most) {
        Ok(found) => Ok(Some(found)),
        Err(error) => {
            let text = format!("a reviewer is not shown what has changed, only the files: {error}");
            world.notices.push(text);
            Ok(None)
        }
    }
}

fn began_with(world: &WorkingTree, store: &Store, turn: TurnKey) -> Result<Option<SnapshotId>, WorkError> {
    match store.named(&world.name(turn, Side::Before)) {
        Ok(id) => Ok(Some(id)),
        Err(SnapshotError::Unknown(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What checks wrote and nobody has touched since, and what iterations or the runner itself write of their progress.
fn not_for_reviewers(world: &WorkingTree, since: &Snapshot) -> BTreeSet<Vec<u8>> {
    let latest = world.latest.iter();
    let theirs = latest.flat_map(|latest| world.by_checks.theirs(since, &latest.inventory));
    let place = world.surveyor.place();
    let own = world.plan.job.notes_file.clone().into_iter().chain(world.plan.own_files());
    let own = own.filter_map(|file| place.relative(&file));
    theirs.cloned().chain(own).collect()
}

/// Of Windlass's own folder, what a workspace's agent writes there is work.
fn is_work(world: &WorkingTree, path: &[u8]) -> bool {
    !is_own(path) || standing::is_workspaces_work(path, &world.plan.job, world.surveyor.place())
}
