//! Why there is no commit: what stands in its way, and what to tell a person about one that git refused.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::call::{Call, CallOutput, last_lines};
use super::patience::is_released;
use super::{GitError, ObjectId, Repository};
use windlass_host::tree::at;

const UNKNOWN_IDENTITY: &str = "git does not know who commits: run `git config --global user.name \"Your Name\"` and \
                                `git config --global user.email you@example.com`";

/// Why this is not a moment for a commit.
pub(crate) fn obstacle(repository: &Repository) -> Result<Option<String>, GitError> {
    let lock = repository.git_dir.join("index.lock");
    if under_way(repository).is_none() && !is_released(&lock) {
        return Ok(Some(locked(&lock)));
    }
    if let Some(half_done) = half_done(repository)? {
        return Ok(Some(half_done));
    }
    repository.missing_identity()
}

/// What somebody does to a repository that takes more than one command and is not finished.
pub(crate) fn half_done(repository: &Repository) -> Result<Option<String>, GitError> {
    if let Some(what) = under_way(repository) {
        return Ok(Some(format!("{what} is under way: finish or abort it first (`git status` says how)")));
    }
    let unmerged = Call::within(repository).args(["ls-files", "--unmerged", "-z"]).output()?;
    Ok((!unmerged.is_empty()).then(|| "files have unresolved conflicts (`git status` names them)".to_owned()))
}

/// What to say about a lock of git's that is there.
pub(crate) fn locked(lock: &Path) -> String {
    format!(
        "{} is there: another git is at work (a commit that waits in an editor?), or one was killed; finish it, or remove the file \
         where no git is at work",
        lock.display()
    )
}

fn under_way(repository: &Repository) -> Option<&'static str> {
    let signs = [
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
        ("sequencer", "a sequence of picks"),
    ];
    let is_there = |name: &str| at(&repository.git_dir).join(name).is_taken();
    signs.into_iter().find(|(name, _)| is_there(name)).map(|(_, what)| what)
}

/// What a person has to do before anything can be committed in his name; `None` when git knows who commits.
pub fn missing_identity(directory: &Path) -> Result<Option<String>, GitError> {
    asked_who(|| Call::new(directory))
}

fn asked_who(call: impl Fn() -> Call) -> Result<Option<String>, GitError> {
    for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        if !call().args(["var", who]).succeeds()? {
            return Ok(Some(misnamed(&call, who)?.unwrap_or_else(|| UNKNOWN_IDENTITY.to_owned())));
        }
    }
    Ok(None)
}

/// Where git would know it, were it not for a variable of the environment.
fn misnamed(call: &impl Fn() -> Call, who: &str) -> Result<Option<String>, GitError> {
    let whose = who.trim_end_matches("_IDENT");
    let (name, email) = (format!("{whose}_NAME"), format!("{whose}_EMAIL"));
    for left_out in [vec![&name], vec![&email], vec![&name, &email]] {
        let without = left_out.iter().fold(call(), |call, name| call.without(name));
        if without.args(["var", who]).succeeds()? {
            let unset = left_out.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
            return Ok(Some(format!(
                "git takes who commits from the environment, and cannot use what it finds there: run `unset {unset}`"
            )));
        }
    }
    Ok(None)
}

impl Repository {
    /// What a person has to do before anything can be committed here in his name; `None` when git knows who commits.
    pub fn missing_identity(&self) -> Result<Option<String>, GitError> {
        asked_who(|| Call::within(self))
    }

    /// What somebody does here that takes more than one command and is not finished: a merge, a rebase, conflicts; `None` when
    /// nothing is.
    pub fn half_done(&self) -> Result<Option<String>, GitError> {
        half_done(self)
    }

    /// What to tell a person about a filter that attributes name for one of these paths and that is configured nowhere: `git
    /// add` would pass such files by as they are, so that a repository with large file storage would get the large files
    /// themselves.
    pub(crate) fn missing_filter(&self, paths: &[&[u8]]) -> Result<Option<String>, GitError> {
        let named = self.filters(paths)?;
        let distinct: BTreeMap<&String, &Vec<u8>> =
            named.iter().rev().map(|(path, name)| (name, path)).collect();
        for (name, path) in distinct {
            let get = |part: &str| ["config".to_owned(), "--get".to_owned(), format!("filter.{name}.{part}")];
            let is_set = |part: &str| Call::within(self).args(get(part)).succeeds();
            if !is_set("clean")? && !is_set("process")? {
                return Ok(Some(filter_missing(path, name)));
            }
        }
        Ok(None)
    }

    /// Which of these paths attributes send through a filter, and its name.
    pub fn filters(&self, paths: &[&[u8]]) -> Result<Vec<(Vec<u8>, String)>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut listing = paths.join(&b"\0"[..]);
        listing.push(0);
        let call = Call::within(self).args(["check-attr", "-z", "--stdin", "filter"]);
        let output = call.input(listing).output()?;
        let parts: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let mut named = Vec::new();
        for triple in parts.chunks_exact(3) {
            let [path, _, value] = triple else { continue };
            if !matches!(*value, b"unspecified" | b"unset" | b"set") {
                named.push((path.to_vec(), String::from_utf8_lossy(value).into_owned()));
            }
        }
        Ok(named)
    }

    /// Is `commit.gpgSign` set?
    pub(crate) fn signs_commits(&self) -> Result<bool, GitError> {
        let call = Call::within(self).args(["config", "--type=bool", "--get", "commit.gpgSign"]);
        Ok(call.run()?.output.trim_ascii_end() == b"true")
    }

    /// The size of what the commit that is checked out has at this path, in bytes; `None` when it has nothing there.
    pub fn committed_size(&self, path: &[u8]) -> Result<Option<u64>, GitError> {
        self.size_in("HEAD", path)
    }

    /// The same of any commit.
    pub fn size_in(&self, commit: &str, path: &[u8]) -> Result<Option<u64>, GitError> {
        let name = within_commit(commit, OsStr::from_bytes(path));
        let answer = Call::within(self).args(["cat-file", "-s"]).arg(name).run()?;
        let size = String::from_utf8_lossy(&answer.output).trim().parse().ok();
        Ok(size.filter(|_| answer.code == 0))
    }

    /// What a checkout of the commit that is checked out has in this file, as filters and line ends make it; `None` when that
    /// commit has no such file.
    pub fn checked_out_content(&self, path: &Path) -> Result<Option<Vec<u8>>, GitError> {
        self.checked_out_content_of("HEAD", path)
    }

    /// The same of any commit.
    pub fn checked_out_content_of(&self, commit: &str, path: &Path) -> Result<Option<Vec<u8>>, GitError> {
        let name = within_commit(commit, path.as_os_str());
        if !Call::within(self).args(["cat-file", "-e"]).arg(&name).succeeds()? {
            return Ok(None);
        }
        Call::within(self).args(["cat-file", "--filters"]).arg(&name).output().map(Some)
    }

    /// The same by what names it.
    pub fn checked_out_id_of(&self, commit: &str, path: &Path) -> Result<Option<ObjectId>, GitError> {
        let content = self.checked_out_content_of(commit, path)?;
        Ok(content.map(|content| self.object_format.of_file(&content)))
    }

    /// What is committed at a path; `None` where nothing is, or more than is looked at.
    pub fn committed_content(&self, path: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        self.content_in("HEAD", path)
    }

    /// The same of any commit.
    pub fn content_in(&self, commit: &str, path: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
        /// In bytes.
        const LARGEST: u64 = 16 * 1024 * 1024;
        if self.size_in(commit, path)?.is_none_or(|size| size > LARGEST) {
            return Ok(None);
        }
        let name = within_commit(commit, OsStr::from_bytes(path));
        let answer = Call::within(self).args(["cat-file", "blob"]).arg(name).run()?;
        Ok((answer.code == 0).then_some(answer.output))
    }
}

/// git's name for what a commit has at a path from the repository's top.
fn within_commit(commit: &str, path: &OsStr) -> OsString {
    let mut name = OsString::from(commit);
    name.push(":");
    name.push(path);
    name
}

fn filter_missing(path: &[u8], name: &str) -> String {
    let path = String::from_utf8_lossy(path);
    let how = if name == "lfs" {
        "install Git LFS and run `git lfs install`".to_owned()
    } else {
        format!("configure it (`git config filter.{name}.clean …`)")
    };
    format!(".gitattributes sends {path} through the filter `{name}`, which is not configured here: {how}")
}

/// What to tell a person about a commit that git itself refused.
pub(crate) fn explain(repository: &Repository, answer: &CallOutput) -> Result<String, GitError> {
    // What a failed signature comes to, whichever program signs, and no hook's words.
    if answer.errors.contains("failed to write commit object") && repository.signs_commits()? {
        return Ok(unsigned(answer));
    }
    Ok(last_lines(answer))
}

/// What to tell a person about a commit that should have been signed.
pub(crate) fn unsigned(answer: &CallOutput) -> String {
    let said = answer.errors.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    format!(
        "the commit could not be signed ({said}): make the key available, or switch signing off for this repository \
         with `git config commit.gpgSign false`"
    )
}
