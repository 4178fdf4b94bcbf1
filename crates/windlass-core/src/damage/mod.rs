//! What an agent did to a repository beyond its work: found by comparing what its attempt began with and what it left.
//!
//! Pure: whoever looks describes both as a [`Scene`], and says with an [`Ancestry`] what became of commits. Commits of the
//! agent, branches and tags it makes, and files it deletes as part of its work are none of this.

mod by_hand;
mod compare;
pub mod loan;
mod scene;
mod settings;
mod steering;
#[cfg(test)]
mod tests;
mod unprotected;

pub use by_hand::by_hand;
pub use compare::compare;
pub use scene::{Ancestry, Lost, Name, Operation, Scene};
pub use settings::{Setting, settings_in};
pub use steering::steering_settings;
pub use unprotected::unprotected;

use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::spec::{CommitPolicy, UndoPolicy};

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// What.
    pub kind: DamageKind,
    /// One sentence for people, without a full stop.
    pub sentence: String,
    /// What it was done to: references, settings, files. Only for undoing it.
    #[serde(skip)]
    pub names: Vec<Name>,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageKind {
    /// git cannot read the repository, or it is gone.
    RepositoryUnusable,
    /// The branch that was checked out has lost commits, and no reference holds them.
    CommitsLost,
    /// The branch that was checked out was moved back or aside; another reference still holds its commits.
    BranchMovedBack,
    /// Another branch, which was there before, is checked out.
    BranchSwitched,
    /// A branch that the agent made is checked out.
    BranchBegun,
    /// A commit without a branch is checked out.
    HeadDetached,
    /// A merge, a rebase, … was begun and not finished.
    UnderWay,
    /// A merge, a rebase, … that was under way, and that no agent had begun, is gone: finished, aborted or forgotten.
    OperationEnded,
    /// Uncommitted changes are gone.
    ChangesDiscarded,
    /// Files that git did not know are gone.
    FilesCleaned,
    /// Repositories of their own inside this one are gone. No snapshot holds what was in them.
    NestedRepositoriesGone,
    /// A person's files that no snapshot holds, since they are too large or could not be read, are gone, or their changes are.
    UnprotectedFilesGone,
    /// Branches or tags beside the one that was checked out were deleted, or do not hold their former commits any more.
    ReferencesLost,
    /// Stashed changes were dropped.
    StashDropped,
    /// The repository's configuration or hooks were changed.
    SettingsChanged,
    /// A lock was left behind by a process that is gone. Journals have it; such locks are removed now before anybody meets them.
    LockLeft,
}

impl DamageKind {
    /// Does a snapshot hold what was there?
    pub const fn can_be_undone(self) -> bool {
        !matches!(self, DamageKind::NestedRepositoriesGone | DamageKind::UnprotectedFilesGone)
    }
}

/// What follows from damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DamageCourse {
    /// The run goes on; a person can undo it at any time.
    GoOn,
    /// The run ends: what came next would be built on it.
    Stop,
    /// The runner makes files and repository what they were when the attempt began.
    UndoAll,
    /// The runner undoes the damage and leaves the attempt's work.
    UndoParts,
}

impl DamageCourse {
    /// Does the runner undo something?
    pub const fn undoes(self) -> bool {
        matches!(self, DamageCourse::UndoAll | DamageCourse::UndoParts)
    }
}

/// What is done about it: the heaviest of it decides.
pub fn course(found: &[Damage], undo: UndoPolicy, commit: CommitPolicy) -> DamageCourse {
    let kinds = found.iter().map(|damage| damage.kind).filter(|kind| kind.can_be_undone());
    let weight = kinds.map(|kind| weight(kind, commit)).max().unwrap_or(Weight::Nothing);
    match (undo, weight) {
        (_, Weight::Nothing) | (UndoPolicy::Ask, Weight::Beside | Weight::Blocks) => DamageCourse::GoOn,
        (UndoPolicy::Ask, Weight::Undermines) => DamageCourse::Stop,
        // Files that a merge left half done cannot be told from the agent's work.
        (UndoPolicy::Auto, Weight::Blocks | Weight::Undermines) => DamageCourse::UndoAll,
        (UndoPolicy::Auto, Weight::Beside) => DamageCourse::UndoParts,
    }
}

/// May this be what was wanted of an agent that is to commit? Then it is not damage.
pub fn may_be_wanted(kind: DamageKind, commit: CommitPolicy) -> bool {
    commit == CommitPolicy::Agent && weight(kind, commit) == Weight::Nothing
}

/// How much what comes next would suffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// It may be what was wanted.
    Nothing,
    /// Nothing that comes next depends on it.
    Beside,
    /// Commits may be refused, or say less, until somebody clears it away; no work gets into a wrong place.
    Blocks,
    /// Work would go into a wrong place, or be built on what is gone.
    Undermines,
}

const fn weight(kind: DamageKind, commit: CommitPolicy) -> Weight {
    match kind {
        DamageKind::RepositoryUnusable
        | DamageKind::CommitsLost
        | DamageKind::BranchSwitched
        | DamageKind::HeadDetached => Weight::Undermines,
        // Whoever is to commit may rewrite what he holds elsewhere.
        DamageKind::BranchMovedBack => match commit {
            CommitPolicy::Agent => Weight::Nothing,
            CommitPolicy::None | CommitPolicy::Runner => Weight::Undermines,
        },
        // Without commits the work is in the tree, whatever the branch is called.
        DamageKind::BranchBegun => match commit {
            CommitPolicy::Runner => Weight::Undermines,
            CommitPolicy::None | CommitPolicy::Agent => Weight::Nothing,
        },
        DamageKind::UnderWay => Weight::Blocks,
        // Whoever is to commit may have been asked to bring it to its end.
        DamageKind::OperationEnded => match commit {
            CommitPolicy::Agent => Weight::Nothing,
            CommitPolicy::None | CommitPolicy::Runner => Weight::Blocks,
        },
        DamageKind::ChangesDiscarded
        | DamageKind::FilesCleaned
        | DamageKind::NestedRepositoriesGone
        | DamageKind::UnprotectedFilesGone
        | DamageKind::ReferencesLost
        | DamageKind::StashDropped
        | DamageKind::SettingsChanged
        | DamageKind::LockLeft => Weight::Beside,
    }
}

/// What the next agent is told of damage: one line for each; empty without any.
pub fn sentences(found: &[Damage], undone: bool) -> String {
    let told = found.iter().filter(|damage| undone || damage.kind == DamageKind::UnderWay);
    let end = |kind: DamageKind| match (undone, kind.can_be_undone()) {
        (_, false) => "this cannot be undone",
        (true, true) => "this was undone",
        (false, true) => "this is still so",
    };
    let line = |damage: &Damage| format!("- {}; {}.\n", damage.sentence, end(damage.kind));
    let lines: Vec<String> = told.map(line).collect();
    lines.concat()
}
