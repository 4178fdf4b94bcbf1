//! What an attempt changed, by what is kept of its beginning and its end, and what of it a mode that writes only a document
//! lets change.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use windlass_core::dots::without_dots;
use windlass_core::run::TurnKey;
use windlass_core::spec::{JobPlan, PIPELINES};

use super::guard;
use super::since_heard::SinceHeard;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::plan::is_plan;
use windlass_git::inventory;
use windlass_git::inventory::{EntryKind, Inventory, as_path, is_own};
use windlass_git::snapshot::{Side, Snapshot, Store, changed_since};

pub(super) type Paths = Vec<Vec<u8>>;

/// What differs, and what the plan was a link to.
pub(super) fn differing(
    world: &WorkingTree,
    turn: TurnKey,
    now: &Inventory,
) -> Result<(Paths, Option<Vec<u8>>), WorkError> {
    if let Some(store) = &world.snapshots {
        let Some(before) = world.kept(turn, Side::Before)? else {
            return Ok((Vec::new(), None));
        };
        return Ok((changed_since(store, &before, now)?, plan_behind_link(world, store, &before)?));
    }
    let before = world.latest.as_ref().filter(|_| world.began == Some(turn));
    let changes = before.map(|before| inventory::changes(&before.inventory, now)).unwrap_or_default();
    Ok((changes, None))
}

/// Between the agent's end and now, a runner was started anew: what was written or committed meanwhile is not the agent's.
pub(super) fn keep_the_agents(
    world: &WorkingTree,
    turn: TurnKey,
    changed: &mut Paths,
) -> Result<(), WorkError> {
    if changed.is_empty() {
        return Ok(());
    }
    let place = world.surveyor.place();
    if let Some(after) = world.kept(turn, Side::After)? {
        changed.retain(|path| place.content_now(path) == after.content(path));
    }
    let since = SinceHeard::of(world, turn)?;
    let mut agents = Paths::new();
    for path in std::mem::take(changed) {
        if !since.has_written(&path) && !since.has_committed(&path)? {
            agents.push(path);
        }
    }
    *changed = agents;
    Ok(())
}

/// Takes out what is gone and may have been taken away meanwhile.
pub(super) fn take_out_later_deletions(
    world: &WorkingTree,
    turn: TurnKey,
    changed: &mut Paths,
) -> Result<Paths, WorkError> {
    if world.kept(turn, Side::After)?.is_some() {
        // What was gone when its agent had ended is known.
        return Ok(Paths::new());
    }
    let since = SinceHeard::of(world, turn)?;
    let is_open = |path: &Vec<u8>| since.may_have_removed(path);
    let (open, rest) = std::mem::take(changed).into_iter().partition(is_open);
    *changed = rest;
    Ok(open)
}

/// The snapshots of before and after an attempt; `None` where one of them was not taken.
pub(super) fn both_ends(
    world: &WorkingTree,
    turn: TurnKey,
) -> Result<Option<(Snapshot, Snapshot)>, WorkError> {
    let before = world.kept(turn, Side::Before)?;
    Ok(before.zip(world.kept(turn, Side::After)?))
}

/// The plan, what it was a link to (`link`), the document of a phase, the notes, and of Windlass's own files what steers no run.
pub(super) fn may_change(world: &WorkingTree, link: Option<&[u8]>, path: &[u8]) -> bool {
    let job = &world.plan.job;
    let Some(path_here) = as_path(path).strip_prefix(prefix(world)).ok() else {
        return is_free(world, path) || link == Some(path);
    };
    let is_notes = job.notes_file.as_ref().is_some_and(|notes| plain(notes) == path_here);
    if path_here.starts_with(PIPELINES)
        && let Some(phase) = &job.phase
    {
        // The other documents are what this one is made from, or other pipelines'.
        return plain(&phase.document()) == path_here;
    }
    let is_plan = job.plan.as_ref().is_some_and(|places| is_plan(path_here, &plain_places(places)));
    is_free(world, path) || is_notes || is_plan || link == Some(path)
}

fn is_free(world: &WorkingTree, path: &[u8]) -> bool {
    is_own(path) && !guard::steers(world, path)
}

/// Where the plan lay when the attempt began, if its file was a link.
pub(super) fn plan_behind_link(
    world: &WorkingTree,
    store: &Store,
    before: &Snapshot,
) -> Result<Option<Vec<u8>>, WorkError> {
    let Some(places) = &world.plan.job.plan else {
        return Ok(None);
    };
    let file = prefix(world).join(plain(&places.file));
    let Some(link) = before.file(file.as_os_str().as_bytes()).filter(|file| file.kind == EntryKind::Symlink)
    else {
        return Ok(None);
    };
    let target = store.content(&link.content)?;
    let path = without_dots(&file.parent().unwrap_or(Path::new("")).join(as_path(&target)));
    let path = path.strip_prefix(&world.surveyor.place().root).unwrap_or(&path);
    Ok(Some(path.as_os_str().as_bytes().to_vec()))
}

/// From the root to the working directory.
fn prefix(world: &WorkingTree) -> &Path {
    let place = world.surveyor.place();
    place.directory.strip_prefix(&place.root).unwrap_or(Path::new(""))
}

fn plain_places(places: &JobPlan) -> JobPlan {
    JobPlan { file: plain(&places.file), folder: places.folder.as_deref().map(plain), ..places.clone() }
}

/// Without `./`.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
