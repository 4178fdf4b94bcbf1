//! The world as values: files and a git history, snapshots, a journal on a disk, two clocks.

mod clock;
mod disk;
mod git;
mod snapshots;
mod tree;

use std::collections::BTreeSet;

use windlass_core::fact::Evidence;

use crate::record::Actor;
use crate::script::Script;

pub(crate) use clock::Clock;
pub(crate) use disk::Disk;
pub(crate) use git::{Author, Git};
pub(crate) use snapshots::{Side, Snapshots};
pub(crate) use tree::{FILES, NAMES, Tree};

/// Everything outside the runner.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub clock: Clock,
    pub disk: Disk,
    pub tree: Tree,
    /// The working directory itself is gone.
    pub no_directory: bool,
    pub git: Git,
    pub snapshots: Snapshots,
    pub notes: Option<Vec<u8>>,
    pub stop_file: bool,
    /// Contents that checks and hooks made: nobody's work.
    pub derived: BTreeSet<(u8, u32)>,
    /// It moves on with every change that is not a check's.
    pub epoch: u32,
    contents: u32,
    flips: u32,
}

impl World {
    pub fn new(script: &Script) -> World {
        let mut tree = Tree::default();
        for file in [1, 2, 3] {
            tree.put(file, u32::from(file));
        }
        let git = Git::new(script.plan.git, tree);
        // Something that nobody has committed yet.
        tree.put(4, 4);
        World {
            clock: Clock::new(),
            disk: Disk::default(),
            tree,
            no_directory: false,
            git,
            snapshots: Snapshots::default(),
            notes: None,
            stop_file: false,
            derived: BTreeSet::new(),
            epoch: 0,
            contents: 1_000,
            flips: 0,
        }
    }

    pub fn evidence(&self) -> Evidence {
        Evidence { head: self.git.head_name(), tree: self.tree.digest(), work: None }
    }

    /// Changes the tree on behalf of somebody.
    pub fn change(&mut self, by: Actor, change: impl FnOnce(&mut Tree)) {
        let before = self.tree;
        change(&mut self.tree);
        if self.tree == before {
            return;
        }
        if matches!(by, Actor::Check | Actor::Hook) {
            let made = self.tree.files().filter(|(file, content)| before.get(*file) != *content);
            self.derived.extend(made);
        }
        if by != Actor::Check {
            self.epoch += 1;
        }
    }

    /// A content that nothing ever had.
    pub fn new_content(&mut self) -> u32 {
        self.contents += 1;
        self.contents
    }

    /// One of two contents, in turn.
    pub fn flip(&mut self) -> u32 {
        self.flips += 1;
        500 + self.flips % 2
    }

    /// A file of somebody's that would be lost if it were changed now.
    pub fn unprotected(&self) -> Option<(u8, u32)> {
        self.tree.files().find(|at| !self.snapshots.protects(*at) && !self.git.protects(*at))
    }

    /// The same, without what checks and hooks made.
    pub fn unprotected_work(&self) -> Option<(u8, u32)> {
        let lost = |at: &(u8, u32)| !self.snapshots.protects(*at) && !self.git.protects(*at);
        self.tree.files().find(|at| lost(at) && !self.derived.contains(at))
    }
}
