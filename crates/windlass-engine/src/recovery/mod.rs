//! Uncommitted work that is found when a run begins: a person's, which stays theirs, and an interrupted run's, which is
//! kept and committed under its own name.

mod apart;
pub(crate) mod by_checks;
mod committed;
mod put_back;
pub(crate) mod record;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_core::message::preparing_commit;
use windlass_core::recovery::{self, Owner, SnapshotComparison, Trace, Unsettled};
use windlass_core::run::Run;
use windlass_core::spec::RunSpec;
use windlass_core::values::SnapshotId;

use crate::put_in;
use crate::store::RunFolder;
use crate::withhold::{self, Scene, StaysIn};
use windlass_git::commit::{Candidate, CommitError, CommitHooks, CommitOutcome, commit};
use windlass_git::git;
use windlass_git::git::{Repository, UncommittedPath};
use windlass_git::inventory::{
    Inventory, Place, SurveyError, Surveyor, as_path, content_now, is_half_written,
};
use windlass_git::snapshot::{Moment, Side, Snapshot, SnapshotError, SnapshotName, Store};
use windlass_host::tree::at;

pub(crate) use apart::is_own_file;
pub use apart::{Dirty, Rules, along, folders, harmless};
pub use by_checks::leave_out_checks;
use committed::LastSeen;
pub use put_back::{PutBack, forget_put_back};
pub use record::{Uncommitted, add_between, between, holding, read, take_along};

/// An agent whose runner was killed is gone after this.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// How long a commit's hooks may take.
pub(crate) const HOOKS: Duration = Duration::from_mins(10);

/// Uncommitted work could not be looked at, kept or committed.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// git failed.
    #[error(transparent)]
    Git(#[from] git::GitError),
    /// The working tree could not be looked at.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// A snapshot could not be read or taken.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A commit could not be tried.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] windlass_host::file::FileError),
}

/// A run's uncommitted work, and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Paths of the run.
    pub of_the_run: Vec<Vec<u8>>,
    /// A person's, and what was there.
    pub of_a_person: Uncommitted,
}

/// Removes locks that were made since this run began and whose git is gone: with them nothing could be committed. A sentence
/// for each.
pub fn clear_locks(repository: &Repository, run: &Run) -> Vec<String> {
    run.started().map(|began| repository.clear_locks(began.into())).unwrap_or_default()
}

/// What is uncommitted now, and what is there. What a killed runner had half-written is nobody's work.
pub fn uncommitted(repository: &Repository) -> Result<Dirty, RecoveryError> {
    let mut dirty = Dirty::default();
    for UncommittedPath { path, is_new } in repository.uncommitted_paths()? {
        if is_half_written(&path) {
            continue;
        }
        if is_new {
            dirty.new.insert(path.clone());
        }
        let content = content_now(&repository.top, repository.object_format, &path);
        dirty.paths.insert(path, content.map(|(_, content)| content));
    }
    for path in repository.hidden_changes()? {
        let content = content_now(&repository.top, repository.object_format, &path);
        dirty.hidden.insert(path.clone());
        dirty.paths.insert(path, content.map(|(_, content)| content));
    }
    Ok(dirty)
}

/// Writes down what of a person's is uncommitted as a session begins, and what of it is committed: by that it is known later whether
/// somebody has committed it.
pub fn add(repository: &Repository, folder: &RunFolder, found: &Uncommitted) -> Result<(), RecoveryError> {
    let mut base = Uncommitted::new();
    if !found.is_empty()
        && let Ok(committed) = repository.files_of_head()
    {
        let there = |path: &Vec<u8>| committed.get(path).map(|(_, content)| *content);
        base = found.keys().map(|path| (path.clone(), there(path))).collect();
    }
    Ok(record::add(folder, found, &base)?)
}

/// Tells a run's uncommitted work from a person's. Where the run did not look what was uncommitted when it began, all
/// is a person's.
pub fn sort(
    repository: &Repository,
    store: &Store,
    folder: &RunFolder,
    run: &Run,
    dirty: Uncommitted,
) -> Result<Sorted, RecoveryError> {
    let mut sorted = Sorted::default();
    if dirty.is_empty() {
        return Ok(sorted);
    }
    let (Some(plan), Some(unsettled), Some(recorded)) = (run.spec(), recovery::unsettled(run), read(folder)?)
    else {
        sorted.of_a_person = dirty;
        return Ok(sorted);
    };
    let ends = Ends::find(store, folder, plan, &unsettled)?;
    let last_seen = LastSeen::find(repository, run)?;
    let settled = record::settled(folder)?;
    for (path, content) in dirty {
        if settled.get(&path) == Some(&content) && !recorded.contains_key(&path) {
            sorted.of_the_run.push(path);
            continue;
        }
        let trace = Trace {
            was_dirty: recorded.contains_key(&path),
            is_committed: last_seen.has(repository, &path)?,
            kept: ends.compare(repository, &path),
            is_younger: is_of_later(&repository.top.join(as_path(&path)), ends.heard),
        };
        match recovery::owner(trace) {
            Owner::Run => sorted.of_the_run.push(path),
            Owner::Person => drop(sorted.of_a_person.insert(path, content)),
        }
    }
    Ok(sorted)
}

/// Takes out of what is uncommitted what `restore` has put back: that is the run's as well, and its next commit has it. What
/// was a person's before stays theirs.
///
/// # Errors
/// A record or the snapshot cannot be read; one that is gone says nothing.
pub fn leave_out_restored(
    folder: &RunFolder,
    (repository, store): (&Repository, &Store),
    dirty: &mut Uncommitted,
) -> Result<(), RecoveryError> {
    let put_back = PutBack::read(folder)?;
    let of_a_person = read(folder)?.unwrap_or_default();
    let mut snapshots: BTreeMap<SnapshotId, Option<Snapshot>> = BTreeMap::new();
    dirty.retain(|path, _| {
        let Some(id) = put_back.snapshot_of(path).filter(|_| !of_a_person.contains_key(path)) else {
            return true;
        };
        let Some(snapshot) = snapshots.entry(id.clone()).or_insert_with(|| store.load(id).ok()) else {
            return true;
        };
        let is_left_out = snapshot.left_out.iter().any(|left| left.path == *path);
        is_left_out || snapshot.content(path) != content_now(&repository.top, repository.object_format, path)
    });
    Ok(())
}

/// What the last attempt began with and left, and when its agent was last heard of.
struct Ends {
    before: Option<Snapshot>,
    after: Option<Snapshot>,
    heard: SystemTime,
}

impl Ends {
    fn find(
        store: &Store,
        folder: &RunFolder,
        plan: &RunSpec,
        unsettled: &Unsettled,
    ) -> Result<Ends, RecoveryError> {
        let (run, turn) = (&plan.run, unsettled.turn);
        let moment = |side| Moment::Iteration { iteration: turn.iteration, attempt: turn.attempt, side };
        let load = |side| store.load_named(&SnapshotName { run: run.clone(), moment: moment(side) });
        let after = if unsettled.unkept {
            None
        } else if turn.attempt == 0 {
            match store.find(run, turn.iteration, Side::After) {
                Err(SnapshotError::Unknown(_)) => None,
                found => readable(store.load(&found?.1).map(Some))?,
            }
        } else {
            readable(load(Side::After))?
        };
        let heard = folder.heard(plan, turn);
        Ok(Ends { before: readable(load(Side::Before))?, after, heard })
    }

    fn compare(&self, repository: &Repository, path: &[u8]) -> SnapshotComparison {
        let now = content_now(&repository.top, repository.object_format, path);
        let is_as_in = |snapshot: &Snapshot| {
            snapshot.content(path) == now && !snapshot.left_out.iter().any(|left| left.path == path)
        };
        match (&self.after, &self.before) {
            (Some(after), _) if is_as_in(after) => SnapshotComparison::AsLeft,
            (Some(_), _) | (None, None) => SnapshotComparison::Otherwise,
            (None, Some(before)) if is_as_in(before) => SnapshotComparison::AsBegun,
            (None, Some(_)) => SnapshotComparison::Grown,
        }
    }
}

/// A snapshot of which something is gone says nothing: then what is there is a person's, as far as anybody can tell.
fn readable(loaded: Result<Option<Snapshot>, SnapshotError>) -> Result<Option<Snapshot>, SnapshotError> {
    match loaded {
        Err(SnapshotError::Missing(_) | SnapshotError::Damaged { .. }) => Ok(None),
        loaded => loaded,
    }
}

/// Was it changed after an agent that was last heard of then could have done so? What is gone was not.
pub(crate) fn is_of_later(path: &Path, heard: SystemTime) -> bool {
    at(path).look().is_ok_and(|found| found.is_some_and(|found| later_than(found.changed_at(), heard)))
}

/// Was its content written then? Whoever changes the rights of all files has written none.
pub(crate) fn is_written_later(path: &Path, heard: SystemTime) -> bool {
    at(path).look().is_ok_and(|found| found.is_some_and(|found| later_than(found.written_at(), heard)))
}

/// Is this after an agent that was last heard of then could have done anything?
pub(crate) fn later_than(moment: SystemTime, heard: SystemTime) -> bool {
    moment > heard + LAST_WRITES
}

/// Was the run cut off with an agent that could have changed it?
pub fn may_be_of_agent(path: &Path, folder: &RunFolder, run: &Run) -> bool {
    let cut_off = recovery::unsettled(run).filter(|_| recovery::is_to_be_repeated(run));
    let heard = cut_off.zip(run.spec()).map(|(unsettled, plan)| folder.heard(plan, unsettled.turn));
    heard.is_some_and(|heard| !is_of_later(path, heard))
}

/// Was it written after the agent of the run's last attempt could have done that?
pub fn is_written_since(path: &Path, folder: &RunFolder, run: &Run) -> bool {
    let last = recovery::unsettled(run).zip(run.spec());
    let heard = last.map(|(unsettled, plan)| folder.heard(plan, unsettled.turn));
    // An agent that was never heard of says nothing about time.
    heard.filter(|heard| *heard > UNIX_EPOCH).is_some_and(|heard| is_written_later(path, heard))
}

/// Does a commit of the runner's run the repository's hooks? They may be the work of whoever was locked in.
pub(crate) fn hooks(plan: &RunSpec) -> CommitHooks {
    if plan.sandbox.is_on() { CommitHooks::Skip } else { CommitHooks::Run }
}

/// What became of a run's uncommitted work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The snapshot that has it in any case.
    pub snapshot: SnapshotName,
    /// The commit, or why there is none.
    pub outcome: CommitOutcome,
    /// What the commit has, or would have had.
    pub paths: Vec<Vec<u8>>,
    /// What a person has to decide on, and is in no commit: a sentence about it.
    pub withheld: Option<String>,
}

/// Keeps the tree, and commits these paths of it where that is wanted, but for what waits for a person, as in every commit of
/// the runner.
///
/// # Errors
/// It cannot be kept; then nothing was committed either.
pub fn save(
    place: &Place,
    store: &mut Store,
    plan: &RunSpec,
    (unsettled, paths): (&Unsettled, &[Vec<u8>]),
    commits: Commits,
) -> Result<Saved, RecoveryError> {
    let (inventory, snapshot) = keep(place, store, plan)?;
    let mut saved =
        Saved { snapshot, outcome: CommitOutcome::NothingToCommit, paths: paths.to_vec(), withheld: None };
    let (Commits::Yes, Some(repository)) = (commits, &place.repository) else {
        return Ok(saved);
    };
    let scene = Scene { repository, store, candidate: &inventory };
    let mut changed = paths.to_vec();
    let held = withhold::hold_back(&scene, &plan.withholding, &mut changed)?;
    saved.withheld = withhold::notice(&held, StaysIn::WorkingTree);
    if !changed.is_empty() {
        saved.outcome = commit_these(&scene, plan, &changed, &recovery::message(plan, unsettled))?;
        saved.paths = changed;
    }
    Ok(saved)
}

/// Commits what the first commit of a run takes along, before its first iteration: lanes begin with what is committed.
pub fn prepare(
    place: &Place,
    store: &mut Store,
    plan: &RunSpec,
    along: &Uncommitted,
) -> Result<CommitOutcome, RecoveryError> {
    let Some(repository) = place.repository.as_ref().filter(|_| !along.is_empty()) else {
        return Ok(CommitOutcome::NothingToCommit);
    };
    let (inventory, _) = keep(place, store, plan)?;
    let scene = Scene { repository, store, candidate: &inventory };
    let mut changed: Vec<Vec<u8>> = along.keys().cloned().collect();
    withhold::hold_back(&scene, &plan.withholding, &mut changed)?;
    Ok(commit_these(&scene, plan, &changed, &preparing_commit(&plan.message))?)
}

/// Keeps the tree as it is now.
fn keep(
    place: &Place,
    store: &mut Store,
    plan: &RunSpec,
) -> Result<(Inventory, SnapshotName), RecoveryError> {
    let inventory = Surveyor::new(place.clone()).survey(&[])?;
    let snapshot = store.next_before_restore(&plan.run)?;
    store.keep(place, &inventory, &snapshot)?;
    Ok((inventory, snapshot))
}

fn commit_these(
    scene: &Scene<'_>,
    plan: &RunSpec,
    changed: &[Vec<u8>],
    message: &str,
) -> Result<CommitOutcome, CommitError> {
    let (inventory, hooks) = (scene.candidate, hooks(plan));
    let candidate = Candidate { inventory, changed, message, hooks, timeout: HOOKS };
    let repository = scene.repository;
    // All else that is uncommitted is a person's.
    let uncommitted = repository.uncommitted_paths()?;
    let left = |path: &[u8]| {
        uncommitted.iter().any(|left| left.path == path) && !changed.iter().any(|named| named == path)
    };
    commit(repository, scene.store, &candidate, |made| {
        Ok(put_in::objection(repository, &plan.withholding, made, left)?)
    })
}

/// Is it to be committed, or only kept?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// Both.
    Yes,
    /// It is only kept.
    No,
}
