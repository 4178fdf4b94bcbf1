//! Undoing what an agent changed although it may not: protected files, and all but the plan while it was to write nothing
//! else. What it left stays kept as the iteration's snapshot.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use windlass_core::words::some_of;

use windlass_core::dots::without_dots;
use windlass_core::report::{self, Report};
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::spec::{JobPlan, PIPELINES};
use windlass_core::values::LaneId;

use super::event::WorkError;
use super::guard::{self, Forbidden};
use super::worker::Worked;
use super::working_tree::WorkingTree;
use crate::plan::is_plan;
use crate::recovery::is_of_later;
use windlass_git::inventory;
use windlass_git::inventory::{EntryKind, Inventory, as_path, is_own};
use windlass_git::snapshot::{Side, Snapshot, Store, changed_since, remove_half_written, undo};

/// So many files are named.
const NAMED: usize = 5;

pub(super) type Paths = Vec<Vec<u8>>;

/// How many files the attempt changed that it may not change.
pub(super) fn find(
    world: &mut WorkingTree,
    turn: TurnKey,
    now: &Inventory,
    context: &OrderContext,
) -> Result<u32, WorkError> {
    world.forbidden_changes.clear();
    if now.trouble.is_some() {
        return Ok(0);
    }
    let forbidden_changes = if world.plan.job.mode.writes_only_plan() {
        forbidden_changes(world, turn, now)?
    } else {
        guard::forbidden_changes(world, turn, now, context)?
    };
    let count = u32::try_from(forbidden_changes.len()).unwrap_or(u32::MAX);
    world.forbidden_changes = forbidden_changes;
    Ok(count)
}

/// What is said of an agent that committed although it was to write a plan and nothing else. Refs are not touched.
pub(super) fn commit_notice(world: &WorkingTree, turn: TurnKey, now: &Inventory) -> Option<String> {
    let before = world.latest.as_ref().filter(|_| world.began == Some(turn))?;
    let moved = before.inventory.head.is_some() && now.head.is_some() && before.inventory.head != now.head;
    let run = &world.plan.run;
    if moved && !world.plan.job.mode.writes_only_plan() && !world.forbidden_changes.is_empty() {
        return Some(format!(
            "the agent committed or moved HEAD, and changed protected files: these are undone here, but the commit may hold \
             them; look with `git show` before you push (`windlass restore {run} {} --before --repository` takes it back)",
            turn.iteration
        ));
    }
    let what = if world.plan.job.phase.is_some() { "the document" } else { "the plan" };
    (moved && world.plan.job.mode.writes_only_plan()).then(|| {
        format!(
            "the agent committed or moved HEAD although it was only to write {what}; `windlass restore {} {} --before \
             --repository` takes that back",
            world.plan.run, turn.iteration
        )
    })
}

/// Undoes it; what somebody else has changed since is left alone, and so is what no snapshot holds.
pub(super) fn carry_out(
    world: &mut WorkingTree,
    lane: LaneId,
    turn: TurnKey,
    context: &OrderContext,
) -> Worked {
    // Found when the attempt was kept: a runner that was started anew keeps it anew first.
    let forbidden_changes = std::mem::take(&mut world.forbidden_changes);
    let (left, notice) = match both_ends(world, turn)? {
        Some((before, after)) => {
            undo_forbidden_changes(world, (&before, &after), &forbidden_changes, context)?
        }
        None => (forbidden_changes.clone(), None),
    };
    let evidence = world.look_again()?;
    let mut reports: Vec<Report> = notice.map(Report::notice).into_iter().collect();
    reports.push(Report::from(report::ForbiddenChangesReverted {
        lane,
        count: u32::try_from(forbidden_changes.len()).unwrap_or(u32::MAX),
        files: forbidden_changes.iter().take(NAMED).map(|path| shown(world, path)).collect(),
        undone: left.is_empty(),
        evidence,
    }));
    Ok(reports)
}

/// What could not be undone, and what is said of files that may be somebody else's.
fn undo_forbidden_changes(
    world: &mut WorkingTree,
    (before, after): (&Snapshot, &Snapshot),
    forbidden_changes: &[Vec<u8>],
    context: &OrderContext,
) -> Result<(Paths, Option<String>), WorkError> {
    let place = world.surveyor.place().clone();
    let now = world.look()?.inventory;
    remove_half_written(&place.root, &now, [before, after]);
    let Some(store) = &world.snapshots else {
        return Ok((forbidden_changes.to_vec(), None));
    };
    undo(store, &place, (before, after), forbidden_changes)?;
    let is_as_left = |path: &&Vec<u8>| place.content_now(path) == after.content(path);
    let left: Paths = forbidden_changes.iter().filter(is_as_left).cloned().collect();
    let now = world.look()?.inventory;
    let Some(store) = &world.snapshots else {
        return Ok((left, None));
    };
    let mut others = changed_since(store, before, &now)?;
    let link = plan_behind_link(world, store, before)?;
    let forbidden = (!world.plan.job.mode.writes_only_plan()).then(|| Forbidden::of(world, context));
    others.retain(|path| {
        let refused = match &forbidden {
            Some(forbidden) => forbidden.holds(world, path),
            None => !may_change(world, link.as_deref(), path),
        };
        refused && !left.contains(path)
    });
    let notice = (!others.is_empty()).then(|| {
        format!(
            "left as they are, since somebody else may have written them: {}; look whether the agent did",
            some_of(others.iter().map(|path| shown(world, path)), NAMED)
        )
    });
    Ok((left, notice))
}

/// What differs from the attempt's beginning, but for what may.
fn forbidden_changes(world: &WorkingTree, turn: TurnKey, now: &Inventory) -> Result<Paths, WorkError> {
    let (mut changed, link) = differing(world, turn, now)?;
    changed.retain(|path| !may_change(world, link.as_deref(), path));
    if world.began != Some(turn) {
        keep_the_agents(world, turn, &mut changed)?;
    }
    Ok(changed)
}

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
    Ok((changes.into_iter().map(|change| change.path).collect(), None))
}

/// Between the agent's end and now, a runner was started anew: what was written meanwhile is not the agent's.
pub(super) fn keep_the_agents(
    world: &WorkingTree,
    turn: TurnKey,
    changed: &mut Paths,
) -> Result<(), WorkError> {
    let place = world.surveyor.place();
    if let Some(after) = world.kept(turn, Side::After)? {
        changed.retain(|path| place.content_now(path) == after.content(path));
    }
    let heard = world.folder.heard(&world.plan, turn);
    changed.retain(|path| !is_of_later(&place.root.join(as_path(path)), heard));
    Ok(())
}

/// The snapshots of before and after an attempt; `None` where one of them was not taken.
pub(super) fn both_ends(
    world: &WorkingTree,
    turn: TurnKey,
) -> Result<Option<(Snapshot, Snapshot)>, WorkError> {
    let before = world.kept(turn, Side::Before)?;
    Ok(before.zip(world.kept(turn, Side::After)?))
}

/// The plan, what it was a link to (`link`), the document of a phase, the notes, and Windlass's own files, which are guarded
/// otherwise.
pub(super) fn may_change(world: &WorkingTree, link: Option<&[u8]>, path: &[u8]) -> bool {
    let job = &world.plan.job;
    let Some(path_here) = as_path(path).strip_prefix(prefix(world)).ok() else {
        return is_own(path) || link == Some(path);
    };
    let is_notes = job.notes_file.as_ref().is_some_and(|notes| plain(notes) == path_here);
    if path_here.starts_with(PIPELINES)
        && let Some(phase) = &job.phase
    {
        // The other documents are what this one is made from, or other pipelines'.
        return plain(&phase.document()) == path_here;
    }
    let is_plan = job.plan.as_ref().is_some_and(|places| is_plan(path_here, &plain_places(places)));
    is_own(path) || is_notes || is_plan || link == Some(path)
}

/// Where the plan lay when the attempt began, if its file was a link.
fn plan_behind_link(
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

/// Relative to the working directory, as people read it.
fn shown(world: &WorkingTree, path: &[u8]) -> String {
    let place = world.surveyor.place();
    let full = place.root.join(as_path(path));
    let here = full.strip_prefix(&place.directory);
    here.unwrap_or(as_path(path)).display().to_string()
}
