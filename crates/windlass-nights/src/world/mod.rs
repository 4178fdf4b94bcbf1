//! The world as values: files and a git history, snapshots, a journal on a disk, two clocks.

mod clock;
mod disk;
mod git;
mod snapshots;
mod tree;

use std::collections::BTreeSet;

use windlass_core::fact::{Evidence, Items, Standing, StandingSource};
use windlass_core::mode;
use windlass_core::run::Job;

use crate::record::Actor;
use crate::script::{Script, StatusWord};

pub(crate) use clock::Clock;
pub(crate) use disk::Disk;
pub(crate) use git::{Author, Git};
pub(crate) use snapshots::{Side, Snapshots};
pub(crate) use tree::{FILES, NAMES, Tree};

/// A workspace's status file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Status {
    pub complete: bool,
    worked: Option<bool>,
    done: u32,
    broken: bool,
    /// It is another one whenever the file was written.
    pub mark: u32,
}

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
    /// The workspace's status file.
    pub status: Option<Status>,
    /// Contents that checks and hooks made: nobody's work.
    pub derived: BTreeSet<(u8, u32)>,
    /// It moves on with every change that is not a check's.
    pub epoch: u32,
    contents: u32,
    flips: u32,
    epochs: u32,
    /// The tree that the newest check left, and its epoch: whoever puts that back has changed nothing.
    anchor: Option<(Tree, u32)>,
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
        let mut world = World {
            clock: Clock::new(),
            disk: Disk::default(),
            tree,
            no_directory: false,
            git,
            snapshots: Snapshots::default(),
            notes: None,
            stop_file: false,
            status: None,
            anchor: None,
            epochs: 0,
            derived: BTreeSet::new(),
            epoch: 0,
            contents: 1_000,
            flips: 0,
        };
        if let Some(word) = script.status {
            world.report(word, script.goal);
        }
        world
    }

    pub fn evidence(&self, job: &Job) -> Evidence {
        let said = |status: Status| {
            format!("{}-{:?}-{}-{}", status.complete, status.worked, status.done, status.broken)
        };
        let work = mode::reads_file(job.mode).then(|| self.status.map_or_else(String::new, said));
        Evidence { head: self.git.head_name(), tree: self.tree.digest(), work }
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
        if by == Actor::Check {
            return;
        }
        self.epoch = match self.anchor {
            Some((tree, epoch)) if tree == self.tree => epoch,
            _ => {
                self.epochs += 1;
                self.epochs
            }
        };
    }

    /// A check has ended: this is the tree that it has judged, with what it made of it.
    pub fn judged(&mut self) {
        self.anchor = Some((self.tree, self.epoch));
    }

    /// Writes the status file.
    pub fn report(&mut self, word: StatusWord, goal: u32) {
        let done = self.tree.done();
        if word == StatusWord::Same && self.status.is_some() {
            return;
        }
        self.contents += 1;
        self.status = Some(Status {
            complete: word == StatusWord::Done || (word == StatusWord::DoneIfSo && done >= goal),
            worked: Some(word != StatusWord::NoWork),
            done,
            broken: word == StatusWord::Broken,
            mark: self.contents,
        });
    }

    /// What is read of it; nothing where the mode reads none.
    pub fn standing(&self, job: &Job) -> Option<Standing> {
        if !mode::reads_file(job.mode) {
            return None;
        }
        let Some(status) = self.status.filter(|_| !self.no_directory) else {
            return Some(Standing::default());
        };
        let read = Standing {
            source: StandingSource::StatusFile,
            mark: status.mark.to_string(),
            ..Standing::default()
        };
        if status.broken {
            return Some(Standing { problem: Some("it is no JSON".to_owned()), ..read });
        }
        let items = Items { done: status.done.into(), total: 5 };
        Some(Standing { complete: status.complete, worked: status.worked, items: Some(items), ..read })
    }

    /// Does the status file claim that the job is done, in words of this run or in trusted ones?
    pub fn file_claims(&self, job: &Job, first: u32) -> bool {
        let trusted = job.workspace.as_ref().is_some_and(|workspace| workspace.trust_existing_status);
        self.status
            .is_some_and(|status| status.complete && !status.broken && (trusted || status.mark != first))
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
