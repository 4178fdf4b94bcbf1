//! A git history as a value.

use std::collections::BTreeSet;

use super::Tree;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    Person,
    Agent,
    /// With the trailer that names this iteration.
    Runner(u32),
}

#[derive(Clone, Debug)]
struct Commit {
    parent: Option<usize>,
    tree: Tree,
    author: Author,
}

/// One repository with one branch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    exists: bool,
    pub head: Option<usize>,
    protected: BTreeSet<(u8, u32)>,
}

/// The history that all repositories share, and the one that is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    commits: Vec<Commit>,
    pub here: Repository,
}

impl Git {
    pub fn new(exists: bool, tree: Tree) -> Git {
        let here = Repository { exists, ..Repository::default() };
        let mut git = Git { commits: Vec::new(), here };
        if exists {
            git.commit(tree, Author::Person);
        }
        git
    }

    pub fn exists(&self) -> bool {
        self.here.exists
    }

    pub fn destroy(&mut self) {
        self.here.exists = false;
        self.here.head = None;
        self.here.protected.clear();
    }

    /// Somebody put it back, as it was.
    pub fn repair(&mut self) {
        self.here.exists = true;
        self.here.head = self.commits.len().checked_sub(1);
        for commit in &self.commits {
            self.here.protected.extend(commit.tree.files());
        }
    }

    pub fn head_name(&self) -> Option<String> {
        self.here.head.map(name)
    }

    pub fn head_tree(&self) -> Tree {
        self.here.head.map(|head| self.commits[head].tree).unwrap_or_default()
    }

    pub fn commit(&mut self, tree: Tree, author: Author) -> String {
        self.commits.push(Commit { parent: self.here.head, tree, author });
        self.here.protected.extend(tree.files());
        let head = self.commits.len() - 1;
        self.here.head = Some(head);
        name(head)
    }

    /// HEAD or a commit shortly before it, if it carries the trailer of this iteration.
    pub fn marked(&self, iteration: u32) -> Option<String> {
        let before = |at: &usize| self.commits[*at].parent;
        let mut back = std::iter::successors(self.here.head, before).take(20);
        back.find(|at| self.commits[*at].author == Author::Runner(iteration)).map(name)
    }

    /// `git reset --hard HEAD~1`: the tree that is there then.
    pub fn reset(&mut self) -> Option<Tree> {
        let parent = self.commits[self.here.head?].parent?;
        self.here.head = Some(parent);
        Some(self.commits[parent].tree)
    }

    /// Is this content in some commit?
    pub fn protects(&self, at: (u8, u32)) -> bool {
        self.here.protected.contains(&at)
    }
}

fn name(commit: usize) -> String {
    format!("c{commit}")
}
