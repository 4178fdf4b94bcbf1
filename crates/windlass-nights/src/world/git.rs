//! A git history as a value.

use std::collections::BTreeSet;

use super::Tree;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    Person,
    Agent,
    /// With the trailer that names this iteration.
    Runner(u32),
    /// The runner, in a lane's own checkout, for this attempt of an iteration.
    Lane(u32, u32),
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
    /// What is on branches of its own.
    aside: BTreeSet<(u8, u32)>,
}

impl Git {
    pub fn new(exists: bool, tree: Tree) -> Git {
        let here = Repository { exists, ..Repository::default() };
        let mut git = Git { commits: Vec::new(), here, aside: BTreeSet::new() };
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
    pub fn marked(&self, author: Author) -> Option<String> {
        let head = self.here.head?;
        self.ancestors(head).take(20).find(|at| self.commits[*at].author == author).map(name)
    }

    /// A commit and those before it.
    fn ancestors(&self, commit: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(commit), |at| self.commits[*at].parent)
    }

    /// Does HEAD, or a commit before it, carry the trailer of this iteration?
    pub fn holds(&self, iteration: u32) -> bool {
        let all = self.here.head.into_iter().flat_map(|head| self.ancestors(head));
        all.into_iter().any(|at| self.commits[at].author == Author::Runner(iteration))
    }

    /// Is one commit the other, or grown from it?
    pub fn grew_from(&self, commit: &str, other: &str) -> bool {
        let both = self.find(commit).zip(self.find(other));
        both.is_some_and(|(commit, other)| self.ancestors(commit).any(|at| at == other))
    }

    /// The commits that a commit was made on.
    pub fn parents(&self, commit: &str) -> Vec<String> {
        let commit = self.find(commit);
        commit.and_then(|at| self.commits[at].parent).map(name).into_iter().collect()
    }

    /// HEAD, where it is a lane's own work.
    pub fn work_in_lane(&self) -> Option<String> {
        let head = self.here.head?;
        let own = matches!(self.commits[head].author, Author::Agent | Author::Lane(..));
        own.then(|| name(head))
    }

    /// The number of a commit that was named.
    pub fn find(&self, commit: &str) -> Option<usize> {
        commit.strip_prefix('c')?.parse().ok().filter(|at| *at < self.commits.len())
    }

    pub fn tree_of(&self, commit: usize) -> Tree {
        self.commits[commit].tree
    }

    /// What two commits have both grown from.
    pub fn base(&self, one: usize, two: usize) -> Option<usize> {
        let before: BTreeSet<usize> = self.ancestors(one).collect();
        self.ancestors(two).find(|at| before.contains(at))
    }

    /// A commit that no branch has yet.
    pub fn loose(&mut self, parent: usize, tree: Tree, author: Author) -> usize {
        self.commits.push(Commit { parent: Some(parent), tree, author });
        self.commits.len() - 1
    }

    /// This repository's branch is at this commit from now on.
    pub fn set_head(&mut self, commit: usize) {
        self.here.exists = true;
        self.here.head = Some(commit);
        let files: Vec<_> =
            self.ancestors(commit).flat_map(|at| self.commits[at].tree.files().collect::<Vec<_>>()).collect();
        self.here.protected.extend(files);
    }

    /// What was there before a commit.
    pub fn parent_tree(&self, commit: usize) -> Tree {
        self.commits[commit].parent.map(|parent| self.commits[parent].tree).unwrap_or_default()
    }

    pub fn head(&self) -> Option<usize> {
        self.here.head
    }

    /// Another branch, of work that was put aside.
    pub fn keep(&mut self, tree: Tree) {
        self.aside.extend(tree.files());
    }

    /// `git reset --hard HEAD~1`: the tree that is there then.
    pub fn reset(&mut self) -> Option<Tree> {
        let parent = self.commits[self.here.head?].parent?;
        self.here.head = Some(parent);
        Some(self.commits[parent].tree)
    }

    /// Is this content in some commit?
    pub fn protects(&self, at: (u8, u32)) -> bool {
        self.here.protected.contains(&at) || self.aside.contains(&at)
    }
}

pub(crate) fn name(commit: usize) -> String {
    format!("c{commit}")
}
