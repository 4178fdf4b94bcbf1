//! Putting aside what a parked task has left in the user's own directory: it is kept as a branch, and taken out of the files,
//! the index and the history. Only what the task's attempts made is touched, as the snapshots before and after each of them
//! show it; each step can be done again after it was cut off.

use windlass_core::fact::{SnapshotId, TaskId};
use windlass_core::run::{CommitPolicy, Input, TurnKey};

use super::commit::{HOOKS, changed_paths};
use super::event::WorkError;
use super::tasks::is_own_file;
use super::world::World;
use crate::git::lane::park_commit;
use crate::git::{self, Candidate, CommitHooks, ObjectId, Repository, TakenBack};
use crate::inventory::{Entry, Inventory, Place, content_now, is_own};
use crate::snapshot::{Side, Snapshot, SnapshotError, Store, changed_since, remove_half_written, undo};
use crate::withhold::{self, Scene};

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
    pub inputs: Vec<Input>,
    /// The branch that it is on.
    pub branch: Option<String>,
    /// What the work of the next task is counted from; `None` = as before.
    pub since: Option<SnapshotId>,
}

/// Where the attempts began and where they left HEAD.
#[derive(Clone, Copy, Debug)]
struct Way {
    base: ObjectId,
    tip: ObjectId,
}

/// A commit, and the branch by its full name where one is checked out.
type CheckedOut = (ObjectId, Option<Vec<u8>>);

/// Whose commits there are.
#[derive(Clone, Copy, Debug)]
enum Commits {
    /// The attempts' own, or none where the way has no length; `None` = nothing was ever committed here, or it is not known.
    Own(Option<Way>),
    /// Somebody else's are among them.
    Mixed,
}

/// Makes files, index and HEAD what they were when something of this run was last committed, or its task was begun.
pub(super) fn put_aside(world: &mut World, parked: &ParkedTask<'_>) -> Result<PutAside, WorkError> {
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
    let (before, after_id) = (store.load(parked.since)?, store.named(&after_name)?);
    let after = store.load(&after_id)?;
    let Commits::Own(way) = commits(world, store, &repository, parked.attempts)? else {
        let said = format!(
            "what {} left stays here: somebody else has committed meanwhile, and it cannot be told apart; `git log` shows it",
            parked.task
        );
        // What is there is no part of the next task all the same.
        return Ok(PutAside { inputs: vec![Input::Notice(said)], branch: None, since: Some(after_id) });
    };
    let left = work_of(world, store, &before, &after);
    let branch = keep(world, store, &repository, parked, (&before, &left), way)?;
    let mut changed = changed_since(store, &before, &now)?;
    changed.retain(|path| !is_own(path) && !is_own_file(&world.plan, &place, path));
    remove_half_written(&place.root, &now, [&before, &after]);
    undo(store, &place, (&before, &after), &changed)?;
    let mut inputs = Vec::new();
    if let Some(way) = way
        && let TakenBack::No(why) = take_back(&place, &repository, way, (&before, &left))?
    {
        inputs.push(Input::Notice(format!("the commits of {} stay on the branch here: {why}", parked.task)));
    }
    if !left.changed.is_empty() {
        inputs.push(Input::Notice(said(world, parked, &left, branch.as_deref())));
    }
    let look = world.look()?;
    world.remember(look);
    Ok(PutAside { inputs, branch, since: Some(parked.since.clone()) })
}

/// HEAD, and the index for files that are as they were before the task.
fn take_back(
    place: &Place,
    repository: &Repository,
    Way { base, tip }: Way,
    (before, left): (&Snapshot, &Work),
) -> Result<TakenBack, WorkError> {
    let is_back = |path: &&Vec<u8>| {
        let was = before.file(path).map(|file| (file.kind, file.content));
        content_now(&place.root, place.object_format(), path) == was
    };
    let paths: Vec<Vec<u8>> = left.changed.iter().filter(is_back).cloned().collect();
    Ok(git::take_back(repository, (tip, base), &paths)?)
}

fn said(world: &World, parked: &ParkedTask<'_>, left: &Work, branch: Option<&str>) -> String {
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

/// What HEAD was before and after each attempt says whose commits there are.
fn commits(
    world: &World,
    store: &Store,
    repository: &Repository,
    attempts: &[TurnKey],
) -> Result<Commits, WorkError> {
    let Some(now) = repository.head()?.commit() else {
        return Ok(Commits::Own(None));
    };
    let (mut way, mut branch): (Option<Way>, Option<Option<Vec<u8>>>) = (None, None);
    for turn in attempts {
        for side in [Side::Before, Side::After] {
            let Some((at, on)) = head_in(world, store, *turn, side)? else {
                return Ok(Commits::Own(None));
            };
            if *branch.get_or_insert_with(|| on.clone()) != on {
                return Ok(Commits::Mixed);
            }
            let so_far = way.get_or_insert(Way { base: at, tip: at });
            let goes_on = side == Side::After
                && repository.is_in_history_of(&so_far.tip.to_string(), &at.to_string())?;
            if at != so_far.tip && !goes_on {
                return Ok(Commits::Mixed);
            }
            so_far.tip = at;
        }
    }
    Ok(match way {
        // The latter: it was taken back already, and this is done again.
        Some(Way { base, tip }) if now != tip && now != base => Commits::Mixed,
        way => Commits::Own(way),
    })
}

/// What was checked out: the commit, and the branch; `None` where the snapshot does not say.
fn head_in(world: &World, store: &Store, turn: TurnKey, side: Side) -> Result<Option<CheckedOut>, WorkError> {
    let id = match store.named(&world.name(turn, side)) {
        Ok(id) => id,
        Err(SnapshotError::Unknown(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let scene = store.scene(&store.own_files(&id)?)?;
    let commit = scene.commit.and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
    Ok(commit.map(|commit| (commit, scene.branch)))
}

/// What a task's attempts changed, as the last one left it.
struct Work {
    inventory: Inventory,
    changed: Vec<Vec<u8>>,
}

fn work_of(world: &World, store: &Store, before: &Snapshot, after: &Snapshot) -> Work {
    let entry = |file: &crate::snapshot::KeptFile| Entry {
        path: file.path.clone(),
        kind: file.kind,
        size: 0,
        content: file.content,
        ignored: false,
    };
    let mut inventory =
        Inventory { entries: after.files.iter().map(entry).collect(), ..Inventory::default() };
    let place = world.surveyor.place();
    let mut changed = changed_paths(before, &inventory);
    // What the later snapshot left out is not gone.
    changed.retain(|path| !after.left_out.iter().any(|left| left.path == *path));
    changed.retain(|path| !is_own(path) && !is_own_file(&world.plan, place, path));
    changed.sort_unstable();
    for entry in &mut inventory.entries {
        if changed.binary_search(&entry.path).is_ok() {
            entry.size = store.content(&entry.content).map_or(0, |content| content.len() as u64);
        }
    }
    Work { inventory, changed }
}

/// A branch with the task's commits, and what it had not committed on top of them. What looks like a secret, is large or
/// was a person's before is in no commit; the snapshot has it.
fn keep(
    world: &World,
    store: &Store,
    repository: &Repository,
    parked: &ParkedTask<'_>,
    (before, left): (&Snapshot, &Work),
    way: Option<Way>,
) -> Result<Option<String>, WorkError> {
    let Some(Way { base, tip }) = way else {
        return Ok(None);
    };
    let mut changed = left.changed.clone();
    // What was uncommitted when this session began may be what an earlier one was putting aside here.
    let committed = repository.files_of(&base.to_string())?;
    let was = |path: &Vec<u8>| before.file(path).map(|file| (file.kind, file.content));
    let was_clean = |path: &Vec<u8>| was(path) == committed.get(path).copied();
    changed.retain(|path| was_clean(path) || !world.uncommitted.contains_key(path));
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
    let unfinished = git::commit_aside(repository, store, &candidate, tip)?;
    let Some(work) = unfinished.or(Some(tip).filter(|tip| *tip != base)) else {
        return Ok(None);
    };
    Ok(Some(park_commit(repository, work, &world.plan.run.0, &parked.task.0)?))
}
