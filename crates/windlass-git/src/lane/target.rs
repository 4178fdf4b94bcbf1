//! Where landings go, and who has it checked out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::git::as_path;
use crate::git::call::Call;
use crate::git::{FoundRepository, GitError, Head, ObjectId, Repository};
use windlass_host::tree::at;

/// What landings advance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A branch, by its full name (`refs/heads/main`), wherever it is checked out.
    Branch(Vec<u8>),
    /// The HEAD of the run's own working tree, which is on no branch.
    Detached,
}

impl Target {
    /// Where a run's landings go that begins here; `None` where there is no commit yet.
    pub fn of(head: &Head) -> Option<Self> {
        match head {
            Head::Unborn { .. } => None,
            Head::Branch { branch, .. } => Some(Target::Branch(branch.clone())),
            Head::Detached { .. } => Some(Target::Detached),
        }
    }

    /// The branch of this full name; without one, HEAD.
    pub fn named(branch: Option<&str>) -> Self {
        branch.map_or(Target::Detached, |branch| Target::Branch(branch.as_bytes().to_vec()))
    }

    /// Its commit; a sentence where it is not there any more.
    pub fn tip(&self, main: &Repository) -> Result<Result<ObjectId, String>, GitError> {
        let Target::Branch(branch) = self else {
            return Ok(match main.head()? {
                Head::Detached { commit } => Ok(commit),
                Head::Branch { branch, .. } | Head::Unborn { branch } => Err(format!(
                    "this run began without a branch, and {} is checked out now: check out the commit again \
                     (`git checkout --detach`)",
                    short(&branch)
                )),
            });
        };
        // A branch names a commit; only one whose value is stored otherwise has to be asked for.
        if let Some(commit) = main.plain_branch(branch) {
            return Ok(Ok(commit));
        }
        let asked = Call::within(main)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(OsStr::from_bytes(&[branch.as_slice(), b"^{commit}"].concat()))
            .found_id()?;
        let gone = || format!("the branch {} is gone: make it again with `git branch`", short(branch));
        Ok(asked.ok_or_else(gone))
    }

    /// What `git update-ref` is told to advance.
    pub(super) fn reference(&self) -> &OsStr {
        match self {
            Target::Branch(branch) => OsStr::from_bytes(branch),
            Target::Detached => OsStr::new("HEAD"),
        }
    }

    /// The working trees that follow when it advances: one, as git has it, unless somebody forced it.
    pub(super) fn checkouts(&self, main: &Repository) -> Result<Vec<Repository>, GitError> {
        let Target::Branch(target) = self else { return Ok(vec![main.clone()]) };
        let mut found = Vec::new();
        if matches!(main.head()?, Head::Branch { branch, .. } if branch == *target) {
            found.push(main.clone());
        }
        let listing = Call::within(main).args(["worktree", "list", "--porcelain", "-z"]).output()?;
        let mut folder = None;
        for line in listing.split(|byte| *byte == 0) {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                folder = Some(as_path(path).to_path_buf());
            } else if line.strip_prefix(b"branch ") == Some(target)
                && let Some(folder) =
                    folder.take().filter(|folder| *folder != main.top && at(folder).is_real_folder())
                && let FoundRepository::Worktree(other) = Repository::find(&folder)?
                && found.iter().all(|known| known.git_dir != other.git_dir)
            {
                found.push(other);
            }
        }
        Ok(found)
    }

    /// That a rebase of it is under way, as a sentence: at its end git would not take what has landed meanwhile.
    pub(super) fn rebase_under_way(&self, main: &Repository) -> Option<String> {
        let Target::Branch(target) = self else { return None };
        let others = at(&main.common_dir).join("worktrees").entries().unwrap_or_default();
        let others = others.iter().map(|entry| main.common_dir.join("worktrees").join(&entry.name));
        let is_of_target = |folder: &PathBuf| {
            NAMING.iter().any(|file| {
                let read = at(folder).join(file).read(LONGEST_NAME);
                read.is_ok_and(|name| name.is_some_and(|name| name.trim_ascii_end() == target))
            })
        };
        let is_rebased =
            std::iter::once(main.common_dir.clone()).chain(others).any(|folder| is_of_target(&folder));
        let said = || {
            let branch = short(target);
            format!("a rebase of {branch} is under way: finish or abort it first (`git status` says how)")
        };
        is_rebased.then(said)
    }
}

/// Where git notes of which branch a rebase is.
const NAMING: [&str; 2] = ["rebase-merge/head-name", "rebase-apply/head-name"];

/// The longest name of a branch that is read, in bytes.
const LONGEST_NAME: usize = 4096;

/// A branch's name as people say it.
pub(super) fn short(branch: &[u8]) -> String {
    String::from_utf8_lossy(branch.strip_prefix(b"refs/heads/").unwrap_or(branch)).into_owned()
}
