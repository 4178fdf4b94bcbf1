//! Bringing the files of a snapshot back: first a plan, then its changes.
//!
//! What is replaced or removed is kept in a snapshot of its own first, and what could not be kept is left alone. Killed
//! at any point, the same restore run again finishes it.

mod apply;
mod ignores;
mod undo;

use std::collections::BTreeSet;
use std::fmt;

use windlass_core::values::{Named, RunId, SnapshotId};

use super::keep::KeptFile;
use super::name::{Moment, SnapshotName};
use super::{LeftOut, LeftOutReason, Snapshot, SnapshotError, Store};
use crate::inventory::{Entry, EntryKind, Inventory, Place, SurveyError, Surveyor, as_path};
use ignores::SnapshotIgnores;
use windlass_host::tree::at;

pub use undo::{changed_since, remove_emptied, remove_half_written, undo};

/// A restore was not possible. What had been done until then stays done; running it again goes on.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The working tree could not be looked at.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// A snapshot could not be read, or the one of what is replaced could not be taken.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The snapshot belongs to another folder.
    #[error("the snapshot is of {}, not of {}", .of.display(), .here.display())]
    OtherPlace {
        /// Where it belongs.
        of: std::path::PathBuf,
        /// Where it was to be restored.
        here: std::path::PathBuf,
    },
}

/// What a restore would do.
#[derive(Clone, Debug)]
pub struct RestorePlan {
    /// Files that get the snapshot's content or mode.
    pub write: Vec<KeptFile>,
    /// Files that the snapshot does not have.
    pub remove: Vec<Vec<u8>>,
    /// How many files are as in the snapshot.
    pub unchanged: usize,
    /// What is not touched, and why.
    pub left_alone: Vec<LeftAlone>,
    place: Place,
    now: Inventory,
    /// Files that nobody but their owner may read or write, where they are written anew.
    private: BTreeSet<Vec<u8>>,
}

/// A path that a restore does not touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftAlone {
    /// Relative to the working tree's root.
    pub path: Vec<u8>,
    /// Why.
    pub why: WhyLeft,
}

/// Why a restore does not touch a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyLeft {
    /// The snapshot does not hold it.
    NotInSnapshot(LeftOutReason),
    /// It was there, the snapshot does not hold it, and it is there no more.
    Gone(LeftOutReason),
    /// What is there now cannot be kept first: too large, or unreadable.
    CannotBeKept,
    /// git ignores it, now or by the rules of the snapshot.
    Ignored,
    /// A repository inside the repository.
    Submodule,
    /// There was a repository of its own, which is gone: no snapshot holds it, and what is left there may be nowhere else.
    RepositoryGone,
    /// Something that no snapshot holds is in the way: a folder with ignored files, a link in place of a folder.
    InTheWay,
    /// The system refused.
    Failed(String),
}

impl fmt::Display for LeftAlone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = String::from_utf8_lossy(&self.path);
        match &self.why {
            WhyLeft::NotInSnapshot(reason) => {
                write!(f, "{path}: the snapshot does not hold it ({})", reason.name())
            }
            WhyLeft::Gone(reason) => {
                write!(f, "{path}: it is gone, and the snapshot does not hold it ({})", reason.name())
            }
            WhyLeft::CannotBeKept => {
                write!(f, "{path}: what is there now is too large to be kept first, or unreadable")
            }
            WhyLeft::Ignored => write!(f, "{path}: git ignores it"),
            WhyLeft::Submodule => write!(f, "{path}: it is a repository of its own"),
            WhyLeft::RepositoryGone => {
                write!(
                    f,
                    "{path}: the repository of its own that was there is gone, and no snapshot holds it"
                )
            }
            WhyLeft::InTheWay => write!(f, "{path}: something that no snapshot holds is in the way"),
            WhyLeft::Failed(said) => write!(f, "{path}: {said}"),
        }
    }
}

/// What a restore did.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Files that were written.
    pub written: Vec<Vec<u8>>,
    /// Files that were removed.
    pub removed: Vec<Vec<u8>>,
    /// How many files were as in the snapshot.
    pub unchanged: usize,
    /// What was not touched, and why.
    pub left_alone: Vec<LeftAlone>,
    /// The snapshot of what was there before; `None` when there was nothing to do.
    pub before: Option<(SnapshotName, SnapshotId)>,
}

impl Restored {
    /// The command that brings back what was there before; `None` when nothing was done.
    pub fn undo(&self) -> Option<String> {
        self.before.as_ref().map(|(name, _)| format!("windlass restore {} {}", name.run, name.moment))
    }
}

/// Finds out what a restore of the surveyor's working tree would do. Changes nothing but permissions that keep files of the
/// snapshot from being read.
pub fn plan_restore(
    surveyor: &mut Surveyor,
    store: &Store,
    target: &Snapshot,
) -> Result<RestorePlan, RestoreError> {
    let place = surveyor.place().clone();
    if place.root != target.place.root {
        return Err(RestoreError::OtherPlace { of: target.place.root.clone(), here: place.root });
    }
    let paths: Vec<Vec<u8>> = target.files.iter().map(|file| file.path.clone()).collect();
    let mut now = surveyor.survey(&paths)?;
    loop {
        let shut: Vec<Vec<u8>> = paths.iter().filter(|path| now.is_unread(path)).cloned().collect();
        if surveyor.open(&shut) == 0 {
            break;
        }
        now = surveyor.survey(&paths)?;
    }
    let mut plan = RestorePlan::of(place, target);
    plan.plan_writes(store, target, &now);
    plan.plan_removals(store, target, &now)?;
    plan.name_what_is_gone(target, &now);
    plan.left_alone.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    plan.now = now;
    Ok(plan)
}

impl RestorePlan {
    fn of(place: Place, target: &Snapshot) -> RestorePlan {
        let (write, remove, left_alone) = (Vec::new(), Vec::new(), Vec::new());
        let private = target.private.clone();
        RestorePlan { write, remove, unchanged: 0, left_alone, place, now: Inventory::default(), private }
    }

    /// Leaves all other paths as they are, but for a file that stands where a folder was of what is written.
    pub fn only(&mut self, target: &Snapshot, is_meant: impl Fn(&[u8]) -> bool) {
        self.write.retain(|file| is_meant(&file.path));
        let folders: BTreeSet<&[u8]> = self.write.iter().flat_map(|file| above(&file.path)).collect();
        self.remove.retain(|path| is_meant(path) || folders.contains(path.as_slice()));
        self.left_alone.retain(|left| is_meant(&left.path));
        let left_alone = self.left_alone.iter().map(|left| &left.path);
        let touched: BTreeSet<&Vec<u8>> =
            self.write.iter().map(|file| &file.path).chain(left_alone).collect();
        let is_unchanged = |file: &&KeptFile| is_meant(&file.path) && !touched.contains(&file.path);
        self.unchanged = target.files.iter().filter(is_unchanged).count();
    }

    /// Is everything as in the snapshot?
    pub(crate) fn is_empty(&self) -> bool {
        self.write.is_empty() && self.remove.is_empty()
    }

    fn leave(&mut self, path: &[u8], why: WhyLeft) {
        self.left_alone.push(LeftAlone { path: path.to_vec(), why });
    }

    fn plan_writes(&mut self, store: &Store, target: &Snapshot, now: &Inventory) {
        for file in &target.files {
            let there = now.entry(&file.path);
            let unread = now.is_unread(&file.path);
            if there.is_some_and(|entry| entry.kind == file.kind && entry.content == file.content) {
                self.unchanged += 1;
            } else if file.kind == EntryKind::Submodule && self.has_lost_repository(&file.path) {
                self.leave(&file.path, WhyLeft::RepositoryGone);
            } else if involves_submodule(file.kind, there) {
                self.leave(&file.path, WhyLeft::Submodule);
            } else if unread || there.is_some_and(|entry| !can_be_kept(store, entry)) {
                self.leave(&file.path, WhyLeft::CannotBeKept);
            } else {
                self.write.push(file.clone());
            }
        }
    }

    fn has_lost_repository(&self, path: &[u8]) -> bool {
        !at(&self.place.root).join(as_path(path)).join(".git").is_taken()
    }

    fn plan_removals(
        &mut self,
        store: &Store,
        target: &Snapshot,
        now: &Inventory,
    ) -> Result<(), SnapshotError> {
        let ignores = SnapshotIgnores::read(store, target)?;
        // A walk that stopped early says nothing about files that it did not come to.
        let bounded = target.left_out.iter().any(|left| left.reason == LeftOutReason::Bound);
        let nested = target.files.iter().filter(|file| file.kind == EntryKind::Submodule);
        let nested: BTreeSet<&[u8]> = nested.map(|file| file.path.as_slice()).collect();
        // What lies where a repository of its own was is its working copy: of that no snapshot knows anything.
        let is_of_the_tree = |entry: &&Entry| {
            target.file(&entry.path).is_none() && !above(&entry.path).any(|folder| nested.contains(folder))
        };
        for entry in now.entries.iter().filter(is_of_the_tree) {
            let left_out = target.left_out.iter().find(|left| left.path == entry.path);
            let why = match left_out {
                Some(left) => Some(WhyLeft::NotInSnapshot(left.reason)),
                None if bounded => Some(WhyLeft::NotInSnapshot(LeftOutReason::Bound)),
                None if entry.kind == EntryKind::Submodule => Some(WhyLeft::Submodule),
                None if entry.ignored || ignores.ignores(&entry.path) => Some(WhyLeft::Ignored),
                None if !can_be_kept(store, entry) => Some(WhyLeft::CannotBeKept),
                None => None,
            };
            match why {
                Some(why) => self.leave(&entry.path, why),
                None => self.remove.push(entry.path.clone()),
            }
        }
        Ok(())
    }

    /// Names what was there and can be put back by nobody.
    fn name_what_is_gone(&mut self, target: &Snapshot, now: &Inventory) {
        for LeftOut { path, reason, .. } in &target.left_out {
            let was_a_file = matches!(
                reason,
                LeftOutReason::TooLarge
                    | LeftOutReason::OverTotal
                    | LeftOutReason::Unreadable
                    | LeftOutReason::Changing
            ) && !path.starts_with(b".git/");
            // On the disk: what git ignores by now is not among what was found.
            let is_there = || at(&self.place.root).join(as_path(path)).is_taken();
            if was_a_file && now.entry(path).is_none() && !now.is_unread(path) && !is_there() {
                self.leave(path, WhyLeft::Gone(*reason));
            }
        }
    }
}

/// The folders above a path, from the innermost on.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut above = path;
    std::iter::from_fn(move || {
        above = above.get(..memchr::memrchr(b'/', above)?)?;
        Some(above)
    })
}

fn involves_submodule(kind: EntryKind, there: Option<&Entry>) -> bool {
    kind == EntryKind::Submodule || there.is_some_and(|entry| entry.kind == EntryKind::Submodule)
}

fn can_be_kept(store: &Store, entry: &Entry) -> bool {
    entry.size <= store.caps.file
}

/// Carries a plan out. `run` is the run whose snapshot is restored; the snapshot of what is replaced gets a name in it.
pub fn restore(store: &mut Store, plan: &RestorePlan, run: &RunId) -> Result<Restored, RestoreError> {
    let (unchanged, left_alone) = (plan.unchanged, plan.left_alone.clone());
    let mut restored = Restored { unchanged, left_alone, ..Restored::default() };
    if plan.is_empty() {
        return Ok(restored);
    }
    let name = store.next_before_restore(run)?;
    let before = store.keep(&plan.place, &plan.now, &name)?;
    restored.before = Some((name, before.id.clone()));
    let unkept = |path: &[u8]| before.left_out.iter().any(|left| left.path == path);
    apply::remove(plan, unkept, &mut restored);
    apply::write(store, plan, unkept, &mut restored)?;
    Ok(restored)
}

impl Store {
    /// The name for the snapshot that the next restore of this run takes first, or for one that lost its own.
    pub fn next_before_restore(&self, run: &RunId) -> Result<SnapshotName, SnapshotError> {
        let number = |moment| match moment {
            Moment::BeforeRestore { number } => Some(number),
            Moment::Iteration { .. } | Moment::SessionStart { .. } => None,
        };
        let number = self.next_number(run, number)?;
        Ok(SnapshotName { run: run.clone(), moment: Moment::BeforeRestore { number } })
    }

    /// The name for what the next session begins with.
    pub fn next_session_start(&self, run: &RunId) -> Result<SnapshotName, SnapshotError> {
        let number = |moment| match moment {
            Moment::SessionStart { number } => Some(number),
            Moment::Iteration { .. } | Moment::BeforeRestore { .. } => None,
        };
        let number = self.next_number(run, number)?;
        Ok(SnapshotName { run: run.clone(), moment: Moment::SessionStart { number } })
    }

    fn next_number(&self, run: &RunId, number: impl Fn(Moment) -> Option<u32>) -> Result<u32, SnapshotError> {
        let last = self.list(run)?.into_iter().filter_map(|(name, _)| number(name.moment)).max();
        Ok(last.unwrap_or(0).saturating_add(1))
    }
}
