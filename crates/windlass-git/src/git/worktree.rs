//! Linked working trees and their branches: adding, filling, finding, removing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::call::{Call, printed_path, unexpected, zero_ended};
use super::patience::patiently;
use super::{GitError, ObjectId, Repository, as_path};
use windlass_host::tree::at;

/// Time to check out a whole working tree, filters such as LFS included.
const CHECKOUT: Duration = Duration::from_mins(30);

/// In a working tree's own folder in the repository: what windlass knows of one that it has made.
pub const WORKTREE_MARKER: &str = "windlass.json";

/// The same of the files that it has copied there.
pub const WORKTREE_COPIES: &str = "windlass-copied";

/// The longest file below `.git/worktrees` that is read, in bytes.
const LONGEST: usize = 1 << 16;

/// What says in a working tree's own folder that something is under way in it, and what.
const UNDER_WAY: [(&str, &str); 6] = [
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
];

/// A linked working tree, as the repository knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedTree {
    /// Its folder in the repository: its own HEAD and index.
    pub git_dir: PathBuf,
    /// Where it is, or was.
    pub path: PathBuf,
    /// Somebody said `git worktree lock`.
    pub locked: bool,
}

impl LinkedTree {
    /// Is there a working tree at its path that belongs to it?
    pub fn is_there(&self) -> bool {
        at(&self.path).join(".git").holds_file()
    }

    /// What a person, or an agent, has begun in it and not ended.
    pub fn under_way(&self) -> Option<&'static str> {
        let is = |name: &str| at(&self.git_dir).join(name).is_taken();
        UNDER_WAY.iter().find(|(file, _)| is(file)).map(|(_, what)| *what)
    }
}

/// A path that is not committed as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncommitted {
    /// git does not track it.
    pub untracked: bool,
    /// The index has something else there than the commit that is checked out.
    pub staged: bool,
    /// Relative to the top. One that ends in `/` is a repository inside this one.
    pub path: PathBuf,
}

/// What a new working tree has checked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch<'a> {
    /// A branch that is made at a commit.
    New {
        /// Its short name.
        name: &'a str,
        /// Where it begins.
        at: ObjectId,
    },
    /// A branch that is there.
    Existing {
        /// Its short name.
        name: &'a str,
    },
}

impl Repository {
    /// The top of the working tree that was there first; of a bare repository, or one whose folder lies elsewhere, the
    /// working tree that was asked from.
    pub fn main_top(&self) -> PathBuf {
        match self.common_dir.parent() {
            Some(top) if self.common_dir.file_name().is_some_and(|name| name == ".git") => top.to_owned(),
            _ => self.top.clone(),
        }
    }

    /// All linked working trees, also those whose folder is gone, by the name of their folders in the repository. Read
    /// without a process. What is damaged is passed over, as git does.
    pub fn linked_trees(&self) -> Result<Vec<LinkedTree>, GitError> {
        let folder = self.common_dir.join("worktrees");
        let mut trees = Vec::new();
        for name in at(&folder).names()? {
            let git_dir = folder.join(name);
            let Ok(Some(content)) = at(&git_dir).join("gitdir").read_beginning(LONGEST) else { continue };
            // It may be relative to the folder it is in.
            let dot_git = git_dir.join(printed_path(&content));
            let Some(path) = dot_git.parent() else { continue };
            // Where it is there its real name is the one that runs know it by.
            // outside: only where it leads is asked.
            let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let locked = at(&git_dir).join("locked").is_taken();
            trees.push(LinkedTree { git_dir, path, locked });
        }
        trees.sort_by(|one, other| one.git_dir.cmp(&other.git_dir));
        Ok(trees)
    }

    /// Adds a linked working tree without files; [`fill_worktree`](Self::fill_worktree) checks them out. Nothing is
    /// configured for its branch, which must not be there yet if it is to be a new one.
    pub fn add_worktree(&self, path: &Path, branch: Branch<'_>) -> Result<(), GitError> {
        patiently(|| {
            let call = Call::within(self).args(["worktree", "add", "--quiet", "--no-checkout"]);
            match branch {
                // A first try that met a lock may have made the branch all the same.
                Branch::New { name, at } if !self.names(name, at) => {
                    call.args(["--no-track", "-b", name]).arg(path).arg(at.to_string())
                }
                Branch::New { name, .. } | Branch::Existing { name } => call.arg(path).arg(name),
            }
        })
    }

    /// Checks out the files of this working tree as its HEAD has them, whatever is there: for one that nobody has worked
    /// in yet. The user's filters (LFS) run, hooks do not; submodules are not checked out.
    pub fn fill_worktree(&self) -> Result<(), GitError> {
        patiently(|| {
            let call = Call::within(self).timeout(CHECKOUT);
            call.args(["reset", "--hard", "--quiet", "--no-recurse-submodules"])
        })
    }

    /// Removes a linked working tree, or what the repository knows of one whose folder is gone. git refuses while there is
    /// something in it that it would lose; what it ignores goes.
    pub fn remove_worktree(&self, path: &Path) -> Result<(), GitError> {
        patiently(|| {
            // A git that is called in the common folder takes that for another repository than its working tree, which may be
            // the one that a person has called safe.
            let call = if self.top == path { Call::new(&self.common_dir) } else { Call::within(self) };
            call.timeout(CHECKOUT).args(["worktree", "remove"]).arg(path)
        })
    }

    /// The full names of a branch of this full name and of all branches below it, as if it were a folder.
    pub fn branches_at(&self, full_name: &str) -> Result<Vec<String>, GitError> {
        let call = Call::within(self).args(["for-each-ref", "--format=%(refname)"]);
        let printed = call.arg(full_name).output()?;
        Ok(String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect())
    }

    /// The commit that a reference names; `None` where there is none.
    pub fn commit_of(&self, full_name: &str) -> Result<Option<ObjectId>, GitError> {
        let call = Call::within(self).args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        call.arg(format!("{full_name}^{{commit}}")).found_id()
    }

    /// The references that only this working tree has, and the commits that they name.
    pub fn own_references(&self) -> Result<Vec<(String, ObjectId)>, GitError> {
        let call = Call::within(self).args(["for-each-ref", "--format=%(objectname) %(refname)"]);
        let printed = call.args(["refs/worktree", "refs/rewritten"]).output()?;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let mut found = Vec::new();
        for name in text.lines().filter_map(|line| line.split_once(' ')).map(|(_, name)| name) {
            let commit = format!("{name}^{{commit}}");
            let call = Call::within(self).args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
            found.extend(call.arg(commit).found_id()?.map(|commit| (name.to_owned(), commit)));
        }
        Ok(found)
    }

    /// What a reference stands for: `refs/remotes/origin/HEAD`; `None` where it names a commit itself, or is not there.
    pub fn symbolic_target(&self, full_name: &str) -> Result<Option<String>, GitError> {
        let answer = Call::within(self).args(["symbolic-ref", "--quiet", full_name]).run()?;
        let name = String::from_utf8_lossy(&answer.output).trim().to_owned();
        Ok((answer.code == 0 && !name.is_empty()).then_some(name))
    }

    /// Is this commit among its objects?
    pub fn has_commit(&self, commit: ObjectId) -> Result<bool, GitError> {
        Call::within(self).args(["cat-file", "-e", &format!("{commit}^{{commit}}")]).succeeds()
    }

    /// Is all that led to the first commit also in the second one?
    pub fn is_ancestor(&self, first: ObjectId, second: ObjectId) -> Result<bool, GitError> {
        let (first, second) = (first.to_string(), second.to_string());
        let answer = Call::within(self).args(["merge-base", "--is-ancestor", &first, &second]).run()?;
        match answer.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(answer.failed()),
        }
    }

    /// Commits that only the first one has, and those that only the second one has.
    pub fn apart(&self, first: ObjectId, second: ObjectId) -> Result<(u64, u64), GitError> {
        let range = format!("{first}...{second}");
        let call = Call::within(self);
        let printed = call.args(["rev-list", "--left-right", "--count", &range, "--"]).text()?;
        let mut numbers = printed.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(left)), Some(Ok(right))) => Ok((left, right)),
            _ => Err(unexpected("git rev-list", printed.as_bytes())),
        }
    }

    /// Deletes a branch that names this commit; one that names another by now stays.
    pub fn delete_branch(&self, full_name: &str, names: ObjectId) -> Result<(), GitError> {
        patiently(|| {
            let call = Call::within(self);
            call.args(["update-ref", "-d", full_name, &names.to_string()])
        })
    }

    /// All that is not committed here: changed, staged, deleted, untracked and not ignored.
    pub fn uncommitted(&self) -> Result<Vec<Uncommitted>, GitError> {
        // Of submodules only their commits: git would run what their settings name to look into them.
        let call = Call::within(self).args(["status", "--porcelain", "-z", "--untracked-files=all"]);
        let output = call.args(["--no-renames", "--ignore-submodules=dirty"]).output()?;
        let entries = zero_ended(&output).filter_map(|entry| {
            let (code, path) = entry.split_at_checked(3)?;
            let untracked = code.starts_with(b"??");
            let staged = !untracked && !code.starts_with(b" ");
            Some(Uncommitted { untracked, staged, path: as_path(path).to_owned() })
        });
        Ok(entries.collect())
    }

    /// The paths of what is ignored below these folders (relative to the top), relative to the top.
    pub fn ignored_below(&self, folders: &[PathBuf]) -> Result<Vec<PathBuf>, GitError> {
        let call = Call::within(self).env("GIT_LITERAL_PATHSPECS", "1");
        let call = call.args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"]);
        let output = call.args(folders).output()?;
        Ok(zero_ended(&output).map(|path| as_path(path).to_owned()).collect())
    }

    fn names(&self, branch: &str, commit: ObjectId) -> bool {
        self.commit_of(&format!("refs/heads/{branch}")).is_ok_and(|found| found == Some(commit))
    }
}
