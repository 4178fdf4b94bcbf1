//! Removing a worktree in which nothing would be lost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::values::RunId;
use windlass_core::words::quoted;

use super::{Stage, Work, Worktree, WorktreeError, WorktreeStatus, locks, make};
use crate::store::lock::{Acquired, HeldBy, Holder, holders};
use crate::store::{Lock, Project};
use windlass_git::git::{GitError, ObjectId, Repository};
use windlass_host::process::leftovers;
use windlass_host::tree::at;

/// Why a worktree stays, in one sentence; [`Refusal::remedy`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// We are in it.
    #[error("this is the directory that windlass was called in")]
    Here,
    /// A run works in it, or something of a killed one is still alive.
    #[error("run {0} works there")]
    Live(RunId),
    /// A process has it that has not said which.
    #[error("another process works there")]
    Busy,
    /// Somebody locked it.
    #[error("it was locked with `git worktree lock`")]
    Locked,
    /// Something was begun and not ended.
    #[error("{0} is under way there")]
    UnderWay(&'static str),
    /// It is not a working tree any more.
    #[error("its folder is there but is not its working tree any more: its file .git is gone or another one")]
    Broken,
    /// It was never filled: a filter is missing, or this was ended in the middle.
    #[error("its files were never checked out")]
    Unfilled {
        /// Its branch.
        branch: String,
    },
    /// git cannot look at it.
    #[error("git cannot look at it: {0}")]
    Unreadable(String),
    /// Something is not committed.
    #[error("{count} file{} there {} in no commit, such as {example}", plural(*.count), are(*.count))]
    Uncommitted {
        /// How many files.
        count: usize,
        /// One of them.
        example: String,
    },
    /// Something is ignored and yet work.
    #[error("{count} file{} in .windlass there {} in no commit, such as {example}", plural(*.count), are(*.count))]
    Ignored {
        /// How many files.
        count: usize,
        /// One of them.
        example: String,
    },
    /// Its commits are in no branch that stays.
    #[error("its branch {branch} has {ahead} commit{} that {base} has not", plural(usize::try_from(*.ahead).unwrap_or(2)))]
    Unmerged {
        /// Its branch.
        branch: String,
        /// The branch that it came from.
        base: String,
        /// How many.
        ahead: u64,
        /// A remote has it as well: its pull request may be merged.
        pushed: bool,
    },
    /// There is no branch to compare it with.
    #[error("whether its branch {branch} is merged cannot be known: the branch that it came from is gone")]
    NoBase {
        /// Its branch.
        branch: String,
    },
    /// HEAD is at a commit that no branch has.
    #[error("the commit {commit} is checked out there, which is in no branch that stays")]
    Detached {
        /// The commit.
        commit: ObjectId,
    },
    /// A reference of its own has a commit that nothing else has.
    #[error("its own reference {reference} has the commit {commit}, which is in no branch that stays")]
    OwnReference {
        /// The reference, `refs/worktree/…`.
        reference: String,
        /// The commit.
        commit: ObjectId,
    },
    /// git refuses.
    #[error("git refuses to remove it: {0}")]
    Git(String),
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

const fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

impl Refusal {
    /// What to do about it, where it is; `path` is as a shell takes it.
    pub fn remedy(&self, path: &str) -> String {
        match self {
            Refusal::Here => "call it from another directory".to_owned(),
            Refusal::Live(run) => format!("end it first: windlass stop {run}"),
            Refusal::Busy => "try again in a few seconds".to_owned(),
            Refusal::Locked => format!("git worktree unlock {path}"),
            Refusal::UnderWay(_) => format!("end it first: git -C {path} status"),
            Refusal::Broken => format!("git worktree repair {path}"),
            Refusal::Unfilled { branch } => {
                format!(
                    "if nothing of yours is in it: git worktree remove --force {path} && git branch -d {}",
                    typed(branch)
                )
            }
            Refusal::Unreadable(_) => format!("see for yourself: git -C {path} status"),
            Refusal::Uncommitted { .. } => {
                format!("commit or delete what is there: git -C {path} status")
            }
            Refusal::Ignored { .. } => {
                format!("copy what you want to keep, then delete the folder {path}/.windlass")
            }
            Refusal::Unmerged { branch, pushed: false, .. } => {
                format!("merge it first: git merge {}", typed(branch))
            }
            Refusal::Unmerged { branch, pushed: true, .. } => format!(
                "if its pull request is merged, have it here: git fetch, or remove it yourself: git worktree remove {path} && \
                 git branch -D {}",
                typed(branch)
            ),
            Refusal::NoBase { branch } => {
                format!(
                    "if its commits are elsewhere: git worktree remove {path} && git branch -d {}",
                    typed(branch)
                )
            }
            Refusal::Detached { commit } | Refusal::OwnReference { commit, .. } => {
                format!("give it a branch: git branch NAME {commit}")
            }
            Refusal::Git(_) => format!("see for yourself: git worktree remove {path}"),
        }
    }
}

/// As a shell takes it.
fn typed(branch: &str) -> String {
    quoted(branch.as_ref())
}

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its branch went as well; otherwise it was gone, or is checked out elsewhere.
    pub branch: bool,
}

/// A worktree that somebody would like to be rid of.
#[derive(Clone, Copy, Debug)]
pub struct Removal<'a> {
    /// The worktree.
    pub worktree: &'a Worktree,
    /// Its repository, seen from any working tree.
    pub repository: &'a Repository,
    /// Its project.
    pub project: &'a Project,
    /// The directory that we are in.
    pub from: &'a Path,
}

impl Removal<'_> {
    /// Why it has to stay; `None` = nothing would be lost. Changes nothing.
    pub fn refusal(&self) -> Result<Option<Refusal>, WorktreeError> {
        self.look(None)
    }

    /// Removes it, and its branch, unless something would be lost.
    ///
    /// # Errors
    /// git or the file system fails; what is gone then was merged or copied.
    pub fn carry_out(&self) -> Result<Result<Removed, Refusal>, WorktreeError> {
        let _listing = locks::of_repository(self.project)?;
        let us = RunId(format!("removal-{}", std::process::id()));
        let lock = match Lock::acquire(self.project, &self.worktree.tree.path, &us, Duration::ZERO)? {
            Acquired::Taken(lock) => lock,
            Acquired::Held(HeldBy::Live(holder) | HeldBy::Leftovers(holder, _)) => {
                return Ok(Err(Refusal::Live(holder.run)));
            }
            Acquired::Held(HeldBy::Nameless | HeldBy::Elsewhere(_)) => return Ok(Err(Refusal::Busy)),
        };
        let removed = self.with_lock(&lock, &us);
        lock.release()?;
        removed
    }

    fn with_lock(&self, lock: &Lock, us: &RunId) -> Result<Result<Removed, Refusal>, WorktreeError> {
        let left = |holder: &&Holder| !leftovers::find(&holder.run).is_empty();
        if let Some(killed) = lock.replaced.as_ref().filter(left) {
            return Ok(Err(Refusal::Live(killed.run.clone())));
        }
        let full = self.worktree.name.full_branch();
        // Before anything is looked at: a commit that is made from here on keeps the branch.
        let tip = self.repository.commit_of(&full)?;
        if let Some(refusal) = self.look(Some(us))? {
            return Ok(Err(refusal));
        }
        let path = &self.worktree.tree.path;
        if self.worktree.tree.is_there() {
            for expendable in self.worktree.work()?.expendable {
                // git says so where it could not be removed.
                let _ = at(path).join(expendable).remove_file();
            }
        }
        match self.repository.remove_worktree(path) {
            Ok(()) => make::tidy_base(self.repository, path),
            Err(GitError::Failed { said, .. }) => return Ok(Err(Refusal::Git(said))),
            Err(error) => return Err(error.into()),
        }
        let tip = tip.filter(|_| !is_checked_out(self.repository, &full));
        if let Some(tip) = tip {
            self.repository.delete_branch(&full, tip)?;
        }
        Ok(Ok(Removed { branch: tip.is_some() }))
    }

    /// The same as [`Removal::refusal`] where `us` may hold the directory.
    fn look(&self, us: Option<&RunId>) -> Result<Option<Refusal>, WorktreeError> {
        let worktree = self.worktree;
        if worktree.holds(self.from) {
            return Ok(Some(Refusal::Here));
        }
        let live = |holder: &Holder| {
            worktree.holds(&holder.directory) && Some(&holder.run) != us && holder.is_alive()
        };
        if let Some(holder) = holders(self.project)?.into_iter().find(live) {
            return Ok(Some(Refusal::Live(holder.run)));
        }
        if worktree.tree.locked {
            return Ok(Some(Refusal::Locked));
        }
        if worktree.tree.is_there() {
            match self.of_files() {
                Ok(None) => {}
                // What the repository knows of it leads to another working tree, or to none.
                Err(WorktreeError::Broken(_)) => return Ok(Some(Refusal::Broken)),
                // The others can be looked at all the same.
                Err(WorktreeError::Git(GitError::Failed { said, .. })) => {
                    return Ok(Some(Refusal::Unreadable(said)));
                }
                refusal => return refusal,
            }
        } else if at(&worktree.tree.path).is_taken() {
            return Ok(Some(Refusal::Broken));
        }
        self.of_branch()
    }

    fn of_files(&self) -> Result<Option<Refusal>, WorktreeError> {
        if let Some(what) = self.worktree.tree.under_way() {
            return Ok(Some(Refusal::UnderWay(what)));
        }
        if self.worktree.stage() == Stage::Filling {
            return Ok(Some(Refusal::Unfilled { branch: self.worktree.name.branch() }));
        }
        let Work { uncommitted, ignored, .. } = self.worktree.work()?;
        let files = |paths: &[PathBuf]| Some((paths.len(), paths.first()?.display().to_string()));
        if let Some((count, example)) = files(&uncommitted) {
            return Ok(Some(Refusal::Uncommitted { count, example }));
        }
        if let Some((count, example)) = files(&ignored) {
            return Ok(Some(Refusal::Ignored { count, example }));
        }
        match self.worktree.stray_commit(self.repository)? {
            Some(commit) => Ok(Some(Refusal::Detached { commit })),
            None => self.of_own_references(),
        }
    }

    /// References that only this working tree has: they go with it.
    fn of_own_references(&self) -> Result<Option<Refusal>, WorktreeError> {
        for (reference, commit) in self.worktree.repository()?.own_references()? {
            if !self.worktree.is_merged(self.repository, commit)? {
                return Ok(Some(Refusal::OwnReference { reference, commit }));
            }
        }
        Ok(None)
    }

    fn of_branch(&self) -> Result<Option<Refusal>, WorktreeError> {
        let standing = self.worktree.standing(self.repository)?;
        let branch = self.worktree.name.branch();
        Ok(match (standing.tip, standing.base) {
            (None, _) => None,
            _ if standing.merged => None,
            (Some(_), Some(base)) => {
                let WorktreeStatus { ahead, pushed, .. } = standing;
                Some(Refusal::Unmerged { branch, base, ahead, pushed })
            }
            (Some(_), None) => Some(Refusal::NoBase { branch }),
        })
    }
}

/// More of a `HEAD` is not read.
const LONGEST_HEAD: usize = 4096;

/// Has some working tree this branch checked out?
fn is_checked_out(repository: &Repository, full: &str) -> bool {
    let line = format!("ref: {full}");
    let names = |folder: &Path| {
        let head = at(&folder.join("HEAD")).read_beginning(LONGEST_HEAD).ok().flatten();
        head.is_some_and(|head| head.trim_ascii_end() == line.as_bytes())
    };
    // Where that cannot be known, the branch stays.
    let Ok(trees) = repository.linked_trees() else { return true };
    names(&repository.common_dir) || trees.iter().any(|tree| names(&tree.git_dir))
}
