//! A worktree that windlass made.

use std::ffi::OsString;
use std::path::Path;

use windlass_core::spec::{BootstrapSpec, PortPlace};

use super::marker::{Marker, Stage};
use super::{WorktreeError, WorktreeName, bootstrap};
use windlass_git::git::{FoundRepository, Head, LinkedTree, ObjectId, Repository};
use windlass_host::file::FileError;

/// The environment variable that holds a worktree's name.
pub const WORKTREE_VARIABLE: &str = "WINDLASS_WORKTREE";

/// A worktree that windlass made. Its folder may be gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// Its name.
    pub name: WorktreeName,
    /// Where it is, and what the repository knows of it.
    pub tree: LinkedTree,
    pub(super) marker: Marker,
}

/// Where a worktree's commits stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeStatus {
    /// The branch that it came from, as people write it; else the default branch; `None` where neither is there.
    pub base: Option<String>,
    /// The branch's last commit; `None` where the branch is gone.
    pub tip: Option<ObjectId>,
    /// Commits that the branch has and the base has not.
    pub ahead: u64,
    /// Commits that the base has and the branch has not.
    pub behind: u64,
    /// All its commits, or all that they changed in one commit, are in the branch that it came from, or in the default branch.
    pub merged: bool,
    /// A remote has a branch of its name.
    pub pushed: bool,
}

impl Worktree {
    /// All of a repository, by name.
    pub fn all(repository: &Repository) -> Result<Vec<Worktree>, WorktreeError> {
        let trees = repository.linked_trees()?;
        let mut worktrees: Vec<Worktree> = trees.into_iter().filter_map(Worktree::of).collect();
        worktrees.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(worktrees)
    }

    /// The one of this name.
    pub fn find(repository: &Repository, name: &str) -> Result<Worktree, WorktreeError> {
        let name = WorktreeName::parse(name)?;
        let all = Worktree::all(repository)?;
        if let Some(found) = all.into_iter().find(|worktree| worktree.name == name) {
            return Ok(found);
        }
        let called_so =
            |tree: &LinkedTree| tree.path.file_name().is_some_and(|folder| folder == name.as_str());
        match repository.linked_trees()?.into_iter().find(called_so) {
            Some(foreign) => Err(WorktreeError::Foreign(foreign.path)),
            None => Err(WorktreeError::NotFound(name.to_string())),
        }
    }

    /// The one that this is the working tree of, if it is one of ours.
    pub fn at(repository: &Repository) -> Option<Worktree> {
        let git_dir = repository.git_dir.clone();
        Worktree::of(LinkedTree { git_dir, path: repository.top.clone(), locked: false })
    }

    fn of(tree: LinkedTree) -> Option<Worktree> {
        let marker = Marker::read(&tree.git_dir)?;
        let name = WorktreeName::parse(&marker.name).ok()?;
        Some(Worktree { name, tree, marker })
    }

    /// How far it has come.
    pub const fn stage(&self) -> Stage {
        self.marker.stage
    }

    /// What makes it ready.
    pub const fn bootstrap(&self) -> &BootstrapSpec {
        &self.marker.bootstrap
    }

    /// Its setup command succeeded.
    pub fn set_ready(&mut self) -> Result<(), FileError> {
        self.set_stage(Stage::Ready)
    }

    pub(super) fn set_stage(&mut self, stage: Stage) -> Result<(), FileError> {
        self.marker.stage = stage;
        self.marker.write(&self.tree.git_dir)
    }

    /// Variables for whatever works in it: its name, its ports.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let place = PortPlace { checkout: self.marker.checkout, lane: 0 };
        let mut variables = bootstrap::variables(self.marker.bootstrap.ports, place);
        variables.push((WORKTREE_VARIABLE.into(), self.name.as_str().into()));
        variables
    }

    /// Its number among the checkouts of the project, for the ports of its lanes; from 1.
    pub const fn checkout(&self) -> u32 {
        self.marker.checkout
    }

    /// Its repository, seen from it.
    pub fn repository(&self) -> Result<Repository, WorktreeError> {
        match Repository::find(&self.tree.path)? {
            FoundRepository::Worktree(repository) if repository.git_dir == self.tree.git_dir => {
                Ok(repository)
            }
            _ => Err(WorktreeError::Broken(self.tree.path.clone())),
        }
    }

    /// Is a path in it?
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.tree.path)
    }

    /// Where its commits stand. Any working tree of the repository will do.
    pub fn standing(&self, repository: &Repository) -> Result<WorktreeStatus, WorktreeError> {
        let tip = repository.commit_of(&self.name.full_branch())?;
        let mut standing =
            WorktreeStatus { base: None, tip, ahead: 0, behind: 0, merged: false, pushed: false };
        for base in self.bases(repository)? {
            let Some(commit) = repository.commit_of(&base)? else { continue };
            if standing.base.is_none() {
                standing.base = Some(short(&base).to_owned());
                if let Some(tip) = tip {
                    (standing.ahead, standing.behind) = repository.apart(tip, commit)?;
                }
            }
            if let Some(tip) = tip.filter(|_| !standing.merged) {
                standing.merged =
                    repository.is_ancestor(tip, commit)? || repository.has_changes_of(commit, tip)?;
            }
        }
        standing.pushed =
            repository.commit_of(&format!("refs/remotes/origin/{}", self.name.branch()))?.is_some();
        Ok(standing)
    }

    /// Is a commit in the branch that it came from, or in the default branch?
    pub(super) fn is_merged(&self, repository: &Repository, commit: ObjectId) -> Result<bool, WorktreeError> {
        for base in self.bases(repository)? {
            if let Some(base) = repository.commit_of(&base)?
                && repository.is_ancestor(commit, base)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The commit that is checked out in it without a branch, where no branch that stays has it.
    pub fn stray_commit(&self, repository: &Repository) -> Result<Option<ObjectId>, WorktreeError> {
        match self.strayed_head()? {
            Some(Head::Detached { commit }) if !self.is_merged(repository, commit)? => Ok(Some(commit)),
            _ => Ok(None),
        }
    }

    /// What is checked out in it where that is not its branch.
    pub(super) fn strayed_head(&self) -> Result<Option<Head>, WorktreeError> {
        let head = self.repository()?.head()?;
        match &head {
            Head::Branch { branch, .. } if *branch == self.name.full_branch().as_bytes() => Ok(None),
            _ => Ok(Some(head)),
        }
    }

    /// The branches that its commits may have come to, by full name; never its own, and nothing that is not a branch.
    fn bases(&self, repository: &Repository) -> Result<Vec<String>, WorktreeError> {
        let remote = repository.symbolic_target("refs/remotes/origin/HEAD")?;
        let usual = ["refs/heads/main", "refs/heads/master"].map(str::to_owned);
        let all = self.marker.base.clone().into_iter().chain(remote).chain(usual);
        let is_branch = |name: &String| {
            (name.starts_with("refs/heads/") || name.starts_with("refs/remotes/"))
                && *name != self.name.full_branch()
        };
        Ok(all.filter(is_branch).collect())
    }
}

/// A branch as people write it.
pub(super) fn short(full: &str) -> &str {
    full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/remotes/")).unwrap_or(full)
}
