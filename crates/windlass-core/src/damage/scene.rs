//! What a repository looks like to whoever wants to know whether it was damaged.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The name of a reference, a setting or a file: bytes, as git has them.
pub type Name = Vec<u8>;

/// A repository and its working tree at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Why git cannot read it; `None` when it can.
    pub unusable: Option<String>,
    /// The branch that is checked out, by its full name; `None` for a commit without a branch.
    pub branch: Option<Name>,
    /// The commit that is checked out; `None` before the first one.
    pub commit: Option<String>,
    /// Branches, tags, notes and whatever else a person names commits by, under their full names, and what they say.
    pub references: BTreeMap<Name, String>,
    /// Stashed changes: their commits.
    pub stashes: Vec<String>,
    /// What was begun and is not finished; what an agent had begun and ended itself is left out of what it began with.
    pub under_way: BTreeSet<Operation>,
    /// Configuration and hooks, and digests of what they say.
    pub settings: BTreeMap<Name, String>,
}

/// What became of commits and of uncommitted work between two scenes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// References whose former commits are still part of what they name now, or, where they were deleted, of what is
    /// checked out now; `HEAD` among them.
    pub carried_on: BTreeSet<Name>,
    /// A reference that holds the commit that was checked out, although the branch does not any more.
    pub held_by: Option<Name>,
    /// How many commits the branch has lost, where that is known.
    pub commits_lost: Option<u64>,
    /// Changes of tracked files that were not committed and are gone: the files are as their commit has them, or gone.
    pub discarded: Lost,
    /// Files that git did not know and that are gone.
    pub cleaned: Lost,
    /// Folders that had a repository of their own, a person's, which is gone.
    pub nested: Vec<Name>,
    /// A person's uncommitted files that no snapshot holds, and that are gone, or as their commit has them.
    pub unprotected: Vec<Name>,
}

/// Uncommitted work that is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// The files.
    pub files: Vec<Name>,
    /// Is some of it from before the run, and so a person's?
    pub of_a_person: bool,
    /// How many such files there were when the attempt began.
    pub of: usize,
}

impl Lost {
    /// A person's files are never an agent's to throw away; its own it may tidy up, but hardly all of them at once.
    pub(super) fn is_damage(&self) -> bool {
        const BULK: usize = 3;
        let all = self.files.len() >= self.of;
        !self.files.is_empty() && (self.of_a_person || (all && self.files.len() >= BULK))
    }
}

/// Something that git does in several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `git merge`.
    Merge,
    /// `git rebase`.
    Rebase,
    /// `git am`.
    Am,
    /// `git cherry-pick`.
    CherryPick,
    /// `git revert`.
    Revert,
    /// `git bisect`.
    Bisect,
}

impl Operation {
    /// As people call it, with an article.
    pub const fn words(self) -> &'static str {
        match self {
            Operation::Merge => "a merge",
            Operation::Rebase => "a rebase",
            Operation::Am => "applying mailed patches (`git am`)",
            Operation::CherryPick => "a cherry-pick",
            Operation::Revert => "a revert",
            Operation::Bisect => "a bisection",
        }
    }

    /// Is another commit checked out while it lasts?
    pub const fn detaches(self) -> bool {
        matches!(self, Operation::Rebase | Operation::Bisect)
    }
}
