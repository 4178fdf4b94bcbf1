//! Putting aside what a parked task has left in the user's own directory: it is kept as a branch, and taken out of the files
//! and the index. Only what the task's attempts made is touched, as the snapshots before and after each of them show it; each
//! step can be done again after it was cut off. No commit is ever taken out of a branch.

use std::collections::BTreeSet;

use windlass_core::report::Report;
use windlass_core::run::TurnKey;
use windlass_core::spec::CommitPolicy;
use windlass_core::values::{SnapshotId, TaskId};

use super::commit::changed_paths;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::recovery::record::holding;
use crate::recovery::{HOOKS, is_own_file};
use crate::withhold::{self, Scene};
use windlass_git::commit::{Candidate, CommitHooks, commit_aside, unstage};
use windlass_git::git::{Head, ObjectId, Repository};
use windlass_git::inventory::{Entry, Inventory, is_own};
use windlass_git::lane::park_commit;
use windlass_git::snapshot::{Side, Snapshot, Store, changed_since, remove_half_written, undo};

/// A task that is parked, and the attempts that it had since something of it was last committed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParkedTask<'a> {
    pub task: &'a TaskId,
    /// Its last attempt.
    pub turn: TurnKey,
    pub attempts: &'a [TurnKey],
    /// What was there before them.
    pub since: &'a SnapshotId,
}

/// What became of its work.
#[derive(Debug, Default)]
pub(super) struct PutAside {
    pub reports: Vec<Report>,
    /// The branch that it is on.
    pub branch: Option<String>,
    /// What the work of the next task is counted from; `None` = as before.
    pub since: Option<SnapshotId>,
}

/// A commit, where there is one yet, and the branch by its full name where one is checked out.
type CheckedOut = (Option<ObjectId>, Option<Vec<u8>>);

/// Makes the files what they were when the task was begun, or something of it was last committed. Where HEAD has moved since,
/// whoever moved it, or it is not known whether it has, nothing is touched: a person's commits look as an agent's do.
pub(super) fn put_aside(world: &mut WorkingTree, parked: &ParkedTask<'_>) -> Result<PutAside, WorkError> {
    let place = world.surveyor.place().clone();
    let Some(repository) = place.repository.clone().filter(|_| world.plan.commit == CommitPolicy::Runner)
    else {
        return Ok(PutAside::default());
    };
    let now = world.look()?.inventory;
    let after_name = world.name(parked.turn, Side::After);
    let Some(store) = &world.snapshots else {
        return Ok(PutAside::default());
    };
    let after_id = store.named(&after_name)?;
    let (Some(before), Some((base, _))) = (
        parked.attempts.first().map_or(Ok(None), |first| world.kept(*first, Side::Before))?,
        what_stayed(world, store, &repository, parked.attempts)?,
    ) else {
        let said = format!(
            "what {} left stays here: HEAD was moved while it was worked on, and whose commits these are cannot be known; `git log` shows them",
            parked.task
        );
        // What is there is no part of the next task all the same.
        return Ok(PutAside { reports: vec![Report::notice(said)], branch: None, since: Some(after_id) });
    };
    let after = store.load(&after_id)?;
    let others = changed_between(world, parked.attempts)?;
    let mut left = work_of(world, store, &before, &after);
    left.changed.retain(|path| !others.contains(path));
    let clean = clean_before(&repository, base, &before, &left)?;
    let branch = keep(world, store, &repository, parked, &left, (base, &clean))?;
    let mut changed = changed_since(store, &before, &now)?;
    changed.retain(|path| left.changed.binary_search(path).is_ok());
    remove_half_written(&place.root, &now, [&before, &after]);
    undo(store, &place, (&before, &after), &changed)?;
    let is_back = |path: &&Vec<u8>| place.content_now(path) == before.content(path);
    unstage(&repository, &clean.iter().filter(is_back).cloned().collect::<Vec<_>>())?;
    let mut reports = Vec::new();
    if !left.changed.is_empty() {
        reports.push(Report::notice(said(world, parked, &left, branch.as_deref())));
    }
    let look = world.look()?;
    world.remember(look);
    Ok(PutAside { reports, branch, since: Some(parked.since.clone()) })
}

/// What of the task's work was as HEAD has it before. What was not may be a person's, and some of it staged.
fn clean_before(
    repository: &Repository,
    base: Option<ObjectId>,
    before: &Snapshot,
    left: &Work,
) -> Result<BTreeSet<Vec<u8>>, WorkError> {
    let committed = base.map(|base| repository.files_of(&base.to_string())).transpose()?.unwrap_or_default();
    let was_clean = |path: &&Vec<u8>| before.content(path) == committed.get(*path).copied();
    Ok(left.changed.iter().filter(was_clean).cloned().collect())
}

fn said(world: &WorkingTree, parked: &ParkedTask<'_>, left: &Work, branch: Option<&str>) -> String {
    let (run, iteration) = (&world.plan.run, parked.turn.iteration);
    let files = match left.changed.len() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let kept = branch.map(|branch| format!(" and is on the branch {branch}")).unwrap_or_default();
    format!(
        "what the parked task left in {files} was taken out of them{kept}; `windlass restore {run} {iteration}` brings it back"
    )
}

/// What stayed checked out, a commit on a branch or a branch without one, from the first attempt until now; `None` where something
/// else came, and where the snapshots do not say.
fn what_stayed(
    world: &WorkingTree,
    store: &Store,
    repository: &Repository,
    attempts: &[TurnKey],
) -> Result<Option<CheckedOut>, WorkError> {
    let now = match repository.head()? {
        Head::Branch { branch, commit } => (Some(commit), Some(branch)),
        Head::Detached { commit } => (Some(commit), None),
        Head::Unborn { branch } => (None, Some(branch)),
    };
    for turn in attempts {
        for side in [Side::Before, Side::After] {
            if head_in(world, store, *turn, side)?.as_ref() != Some(&now) {
                return Ok(None);
            }
        }
    }
    Ok(Some(now))
}

/// What somebody else changed after an attempt and before the next one.
fn changed_between(world: &WorkingTree, attempts: &[TurnKey]) -> Result<BTreeSet<Vec<u8>>, WorkError> {
    let mut others = BTreeSet::new();
    for (former, next) in attempts.iter().zip(attempts.iter().skip(1)) {
        let former = world.kept(*former, Side::After)?;
        let next = world.kept(*next, Side::Before)?;
        if let (Some(former), Some(next)) = (former, next) {
            others.extend(changed_from(world, &former, &next, &inventory_of(&next)));
        }
    }
    Ok(others)
}

/// What was checked out: the commit, and the branch; `None` where the snapshot does not say.
fn head_in(
    world: &WorkingTree,
    store: &Store,
    turn: TurnKey,
    side: Side,
) -> Result<Option<CheckedOut>, WorkError> {
    let Some(id) = store.find_named(&world.name(turn, side))? else { return Ok(None) };
    let scene = store.scene(&store.own_files(&id)?)?;
    let commit = scene.commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
    let is_known = commit.is_some() || scene.branch.is_some();
    Ok(is_known.then_some((commit, scene.branch)))
}

/// What a task's attempts changed, as the last one left it.
struct Work {
    inventory: Inventory,
    changed: Vec<Vec<u8>>,
}

fn work_of(world: &WorkingTree, store: &Store, before: &Snapshot, after: &Snapshot) -> Work {
    let mut inventory = inventory_of(after);
    let changed = changed_from(world, before, after, &inventory);
    for entry in &mut inventory.entries {
        if changed.binary_search(&entry.path).is_ok() {
            entry.size = store.content(&entry.content).map_or(0, |content| content.len() as u64);
        }
    }
    Work { inventory, changed }
}

/// The tree that a snapshot keeps; sizes are not in it.
fn inventory_of(snapshot: &Snapshot) -> Inventory {
    let entry = |file: &windlass_git::snapshot::KeptFile| Entry {
        path: file.path.clone(),
        kind: file.kind,
        size: 0,
        content: file.content,
        ignored: false,
    };
    let entries = snapshot.files.iter().map(entry).collect();
    Inventory { entries, private: snapshot.private.clone(), ..Inventory::default() }
}

/// The paths that differ, in order, but for the runner's own.
fn changed_from(
    world: &WorkingTree,
    before: &Snapshot,
    after: &Snapshot,
    inventory: &Inventory,
) -> Vec<Vec<u8>> {
    let place = world.surveyor.place();
    let mut changed = changed_paths(before, inventory);
    // What the later snapshot left out is not gone.
    changed.retain(|path| !after.left_out.iter().any(|left| left.path == *path));
    changed.retain(|path| !is_own(path) && !is_own_file(&world.plan, place, path));
    changed.sort_unstable();
    changed
}

/// A branch with what the task left, on what is checked out. What looks like a secret, is large or was a person's before is in
/// no commit; the snapshot has it.
fn keep(
    world: &WorkingTree,
    store: &Store,
    repository: &Repository,
    parked: &ParkedTask<'_>,
    left: &Work,
    (base, clean): (Option<ObjectId>, &BTreeSet<Vec<u8>>),
) -> Result<Option<String>, WorkError> {
    let mut changed = left.changed.clone();
    // What was uncommitted when this session began may be what an earlier one was putting aside here.
    changed.retain(|path| clean.contains(path) || holding(&world.uncommitted, path).is_none());
    let scene = Scene { repository, store, candidate: &left.inventory };
    withhold::hold_back(&scene, &world.plan.withholding, &mut changed)?;
    let message = format!("Unfinished work on {}\n", parked.task);
    let candidate = Candidate {
        inventory: &left.inventory,
        changed: &changed,
        message: &message,
        hooks: CommitHooks::Skip,
        timeout: HOOKS,
    };
    let Some(work) = commit_aside(repository, store, &candidate, base)? else {
        return Ok(None);
    };
    Ok(Some(park_commit(repository, work, &world.plan.run.0, &parked.task.0)?))
}
