//! Which repository a directory belongs to, and where its HEAD is.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use windlass_core::words::quoted;

use super::call::{Call, CallOutput, printed_path, unexpected, zero_ended};
use super::refs::{self, PackedRefs, RefValue};
use super::{ClosedFilters, Folders, GitError, ObjectFormat, ObjectId, listing, sound};
use windlass_host::tree::{self, at};

/// The longest reference, in bytes.
const LONGEST_REF: usize = 1 << 16;
/// The longest list of packed references.
const LONGEST_PACKED_REFS: usize = 1 << 30;
/// How long it may take to find a repository: a few small files are read. What its configuration includes may be a pipe.
const FINDING: Duration = Duration::from_secs(15);

/// A repository with a working tree. Its paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The working tree's top folder.
    pub top: PathBuf,
    /// Where this working tree's HEAD and index are.
    pub git_dir: PathBuf,
    /// Where the references and objects are; another folder than `git_dir` in a linked working tree.
    pub common_dir: PathBuf,
    /// How it names its objects.
    pub object_format: ObjectFormat,
    /// Where guests of a sandbox are at work: the person's filters that are not run, since what they start may be a guest's
    /// work. `None` where nobody is locked in.
    pub closed_filters: Option<ClosedFilters>,
}

/// What there is at a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundRepository {
    /// A working tree.
    Worktree(Repository),
    /// A repository without a working tree; also the inside of a `.git` folder.
    Bare,
    /// No repository.
    None,
    /// git is not installed.
    GitMissing,
    /// git refuses to look at it, since it belongs to another user: what to do about it, on one line, with the command that
    /// allows it.
    Unsafe(String),
}

impl FoundRepository {
    /// The working tree, where there is one.
    pub fn worktree(self) -> Option<Repository> {
        if let FoundRepository::Worktree(repository) = self { Some(repository) } else { None }
    }
}

/// One setting of `git config -z`: the name, a line's end, the value. One without a value is true.
pub(crate) fn setting_of(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
    let (name, value) = line.split_at_checked(end)?;
    let name = String::from_utf8(name.to_vec()).ok()?;
    Some((name, value.strip_prefix(b"\n").unwrap_or(b"true").to_vec()))
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch without a commit. Normal in a new repository.
    Unborn {
        /// Its full name, `refs/heads/main`.
        branch: Vec<u8>,
    },
    /// A branch.
    Branch {
        /// Its full name, `refs/heads/main`.
        branch: Vec<u8>,
        /// Its commit.
        commit: ObjectId,
    },
    /// A commit without a branch.
    Detached {
        /// The commit.
        commit: ObjectId,
    },
}

impl Head {
    /// The commit, where there is one.
    pub const fn commit(&self) -> Option<ObjectId> {
        match self {
            Head::Unborn { .. } => None,
            Head::Branch { commit, .. } | Head::Detached { commit } => Some(*commit),
        }
    }
}

/// Makes a directory a repository with one commit of all that is in it, by an author of its own; no hook and no
/// template of the user's is used. For scratch projects.
pub fn create_with_everything(directory: &Path, message: &str) -> Result<(), GitError> {
    let git =
        || Call::new(directory).env("GIT_AUTHOR_NAME", "Windlass").env("GIT_COMMITTER_NAME", "Windlass");
    let git = || {
        git().env("GIT_AUTHOR_EMAIL", "windlass@localhost").env("GIT_COMMITTER_EMAIL", "windlass@localhost")
    };
    git().args(["init", "--quiet", "--template=", "--initial-branch=main"]).output()?;
    git().args(["add", "--all"]).output()?;
    git().args(["-c", "commit.gpgSign=false", "commit", "--quiet", "--message", message]).output().map(drop)
}

/// The installed git's version: major and minor. Asked for once.
///
/// # Errors
/// git is not there, or says something that is not a version.
pub fn version(directory: &Path) -> Result<(u32, u32), GitError> {
    static KNOWN: OnceLock<(u32, u32)> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(*known);
    }
    let found = ask_for_version(directory)?;
    Ok(*KNOWN.get_or_init(|| found))
}

fn ask_for_version(directory: &Path) -> Result<(u32, u32), GitError> {
    let printed = Call::new(directory).args(["--version"]).text()?;
    let word = printed.split_whitespace().nth(2).unwrap_or_default();
    let mut numbers = word.split('.').map(|part| part.parse().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(major), Some(minor)) => Ok((major, minor)),
        _ => Err(unexpected("git --version", printed.as_bytes())),
    }
}

impl Repository {
    /// Looks for the repository that a directory belongs to, as git does: in it and above it. A guest of an earlier run may
    /// have written what git reads for that: it is not called where it would wait for a pipe.
    pub fn find(directory: &Path) -> Result<FoundRepository, GitError> {
        if let Some(folders) = Folders::locate(directory) {
            folders.hold();
            if let Some(said) = sound::unsound_folders(&folders) {
                return Err(GitError::Failed { command: "git rev-parse".to_owned(), said });
            }
        }
        let ask = || Call::new(directory).timeout(FINDING).arg("rev-parse");
        let asked =
            ask().args(["--is-bare-repository", "--is-inside-work-tree", "--show-object-format"]).run();
        let answer = match asked {
            Ok(answer) => answer,
            Err(GitError::Missing) => return Ok(FoundRepository::GitMissing),
            Err(error) => return Err(error),
        };
        if answer.code != 0 {
            return refused(&answer);
        }
        let text = String::from_utf8_lossy(&answer.output).into_owned();
        let mut lines = text.lines();
        let (bare, inside, format) = (lines.next(), lines.next(), lines.next());
        let Some(object_format) = format.and_then(|name| name.parse::<ObjectFormat>().ok()) else {
            return Err(unexpected("git rev-parse", text.as_bytes()));
        };
        if bare == Some("true") || inside != Some("true") {
            return Ok(FoundRepository::Bare);
        }
        // One call for each path: a path may contain a line's end.
        let path = |what: &[&str]| {
            ask().arg("--path-format=absolute").args(what).output().map(|output| printed_path(&output))
        };
        let repository = Repository {
            top: path(&["--show-toplevel"])?,
            git_dir: path(&["--git-dir"])?,
            common_dir: path(&["--git-common-dir"])?,
            object_format,
            closed_filters: None,
        };
        repository.hold();
        Ok(FoundRepository::Worktree(repository))
    }

    /// Where its files and its git directories are.
    pub fn folders(&self) -> Folders {
        let Repository { top, git_dir, common_dir, .. } = self.clone();
        Folders { top, git_dir, common_dir }
    }

    /// Makes its folders known as trees that guests can write.
    pub(crate) fn hold(&self) {
        self.folders().hold();
    }

    /// Is this a linked working tree (`git worktree add`)?
    pub(crate) fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// Are names that differ in case alone different files here?
    pub(crate) fn tells_case_apart(&self) -> bool {
        let is_there = |name: &str| at(&self.git_dir).join(name).is_taken();
        is_there("HEAD") && !is_there("hEAD")
    }

    /// Does its working tree not lead to it? So it is with a lane, and with a submodule's.
    pub(crate) fn is_apart(&self) -> bool {
        !self.is_linked() && self.git_dir != self.top.join(".git")
    }

    /// The values of these settings, wherever they are set; those that are not set are left out.
    pub fn settings(&self, names: &[&str]) -> Result<Vec<(String, String)>, GitError> {
        let mut found = Vec::new();
        for name in names {
            let answer = Call::within(self).args(["config", "--get", name]).run()?;
            let value = String::from_utf8_lossy(&answer.output).trim_end_matches('\n').to_owned();
            if answer.code == 0 && !value.is_empty() {
                found.push(((*name).to_owned(), value));
            }
        }
        Ok(found)
    }

    /// The settings whose names, in git's way of writing them, match this.
    pub fn settings_like(&self, pattern: &str) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let answer = Call::within(self).args(["config", "-z", "--get-regexp", pattern]).run()?;
        let settings = answer.output.split(|byte| *byte == 0).filter(|setting| !setting.is_empty());
        Ok(settings.filter_map(setting_of).collect())
    }

    /// Where git looks for this repository's hooks; perhaps not there.
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        // The only call besides a commit for which the user's own path of hooks counts.
        let call = Call::with_hooks_within(self).args([
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "hooks",
        ]);
        call.output().map(|output| printed_path(&output))
    }

    /// What is checked out. Read without a process where references are plain files; git is asked otherwise.
    pub fn head(&self) -> Result<Head, GitError> {
        match self.read_head() {
            Ok(Some(head)) => Ok(head),
            // Links that a person's own tools have made of the repository's files are followed once a run has noted them.
            Err(GitError::File(error)) if tree::leads_out(&error.source) => self.ask_for_head(),
            Ok(None) => self.ask_for_head(),
            Err(error) => Err(error),
        }
    }

    /// What is checked out, where all objects of its files are there and the index can be read. Takes about a second where there are
    /// hundreds of thousands of files.
    ///
    /// # Errors
    /// They are not: an object, or the index, is gone or damaged.
    pub fn whole_head(&self) -> Result<Head, GitError> {
        let head = self.head()?;
        if let Some(commit) = head.commit() {
            self.call_for_all_objects().arg("--no-walk").arg(commit.to_string()).output()?;
        }
        Call::within(self).args(["ls-files", "--unmerged", "-z"]).output()?;
        Ok(head)
    }

    /// The commit that HEAD names, if plain files say it; no process, no complaint.
    pub(crate) fn plain_commit(&self) -> Option<ObjectId> {
        self.read_head().ok().flatten().and_then(|head| head.commit())
    }

    /// The commit of a branch (`refs/heads/…`), if plain files say it; no process, no complaint.
    pub(crate) fn plain_branch(&self, name: &[u8]) -> Option<ObjectId> {
        if at(&self.common_dir).join("reftable").holds_folder() {
            return None;
        }
        match self.read_ref(name).ok().flatten() {
            Some(RefValue::Direct(commit)) => Some(commit),
            _ => None,
        }
    }

    /// HEAD from plain files; `None` when it is stored in another way.
    fn read_head(&self) -> Result<Option<Head>, GitError> {
        if at(&self.common_dir).join("reftable").holds_folder() {
            return Ok(None);
        }
        let Some(content) = at(&self.git_dir).join("HEAD").read(LONGEST_REF)? else {
            return Ok(None);
        };
        let branch = match RefValue::parse(&content) {
            Some(RefValue::Direct(commit)) => return Ok(Some(Head::Detached { commit })),
            Some(RefValue::Symbolic(branch)) if branch.starts_with(b"refs/heads/") => branch,
            _ => return Ok(None),
        };
        Ok(match self.read_ref(&branch)? {
            Some(RefValue::Direct(commit)) => Some(Head::Branch { branch, commit }),
            Some(RefValue::Symbolic(_)) => None,
            None => Some(Head::Unborn { branch }),
        })
    }

    /// A shared reference's value, from its own file or from `packed-refs`.
    fn read_ref(&self, name: &[u8]) -> Result<Option<RefValue>, GitError> {
        use std::os::unix::ffi::OsStrExt;
        if refs::is_safe_name(name) {
            let file = self.common_dir.join(std::ffi::OsStr::from_bytes(name));
            let file = at(&file);
            if !file.holds_folder()
                && let Some(value) = file.read(LONGEST_REF)?.as_deref().and_then(RefValue::parse)
            {
                return Ok(Some(value));
            }
        }
        let packed = at(&self.common_dir).join("packed-refs").read(LONGEST_PACKED_REFS)?.unwrap_or_default();
        Ok(PackedRefs::parse(&packed).0.get(name).copied().map(RefValue::Direct))
    }

    fn ask_for_head(&self) -> Result<Head, GitError> {
        let commit =
            Call::within(self).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).found_id()?;
        let branch = Call::within(self).args(["symbolic-ref", "--quiet", "HEAD"]).run()?;
        let named = (branch.code == 0).then(|| branch.output.trim_ascii_end().to_vec());
        match (named, commit) {
            (Some(branch), Some(commit)) => Ok(Head::Branch { branch, commit }),
            (Some(branch), None) => Ok(Head::Unborn { branch }),
            (None, Some(commit)) => Ok(Head::Detached { commit }),
            (None, None) => Err(GitError::Failed { command: "git rev-parse".into(), said: branch.errors }),
        }
    }

    /// Is there nothing that is not committed? Ignored files do not count.
    pub fn is_clean(&self) -> Result<bool, GitError> {
        // Of submodules only their commits: git would run what their settings name to look into them.
        let call = Call::within(self).args(["status", "--porcelain", "-z", "--ignore-submodules=dirty"]);
        Ok(call.output()?.is_empty())
    }

    /// The paths at which submodules are registered.
    pub(crate) fn submodules(&self) -> Result<Vec<Vec<u8>>, GitError> {
        // Asked around every attempt: a process of git only where there is no other way.
        if let Some(known) = listing::submodules(self) {
            return Ok(known);
        }
        let listing = Call::within(self).args(["ls-files", "--stage", "-z"]).output()?;
        let submodules = zero_ended(&listing).filter(|line| line.starts_with(b"160000 "));
        let paths = submodules.filter_map(|line| line.get(memchr::memchr(b'\t', line)? + 1..));
        Ok(paths.map(<[u8]>::to_vec).collect())
    }

    /// How many commits lead from one commit to another: those that `last` has and `first` has not. Without a first one:
    /// all that lead to the last one.
    ///
    /// # Errors
    /// One of them is not a commit of this repository, or not any more; or counting takes too long.
    pub fn count_commits(&self, first: Option<&str>, last: &str, timeout: Duration) -> Result<u64, GitError> {
        let range = first.map_or_else(|| last.to_owned(), |first| format!("{first}..{last}"));
        let call = Call::within(self).timeout(timeout);
        let call = call.args(["rev-list", "--count", "--end-of-options", &range, "--"]);
        let printed = call.text()?;
        printed.parse().map_err(|_| unexpected("git rev-list", printed.as_bytes()))
    }

    /// What is not tracked, ignored or not, relative to the top. A path that ends in `/` is a folder in which nothing is
    /// tracked, or a repository inside this one; what is in it is not listed.
    pub fn list_untracked(&self) -> Result<Vec<Vec<u8>>, GitError> {
        Call::not_above(self).args(["ls-files", "-z", "--others", "--directory"]).zero_ended()
    }

    /// The subjects of so many commits that lead to HEAD, the newest first.
    pub fn subjects(&self, most: u32) -> Result<Vec<String>, GitError> {
        let call = Call::within(self).args([
            "rev-list",
            "--format=%s",
            &format!("--max-count={most}"),
            "HEAD",
            "--",
        ]);
        let printed = String::from_utf8_lossy(&call.output()?).into_owned();
        // Before each subject git says which commit it is of.
        Ok(printed.lines().skip(1).step_by(2).map(str::to_owned).collect())
    }

    /// The paths of all tracked files and of all untracked files that are not ignored, relative to the top, sorted, each
    /// once. Some of the tracked ones may not exist. A path that ends in `/` is a repository inside this one.
    pub fn list_files(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let call =
            Call::not_above(self).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut paths = call.zero_ended()?;
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}

/// The command that git names for a repository of another user, as it is typed on one line: git writes the path as it is.
pub(super) fn way_in(said: &str) -> String {
    const ALLOW: &str = "git config --global --add safe.directory ";
    let Some((_, named)) = said.split_once(ALLOW) else { return said.to_owned() };
    // git puts all in quotes, but for these and for `!`, which stand behind a backslash.
    let inner = named.strip_prefix('\'').and_then(|named| named.strip_suffix('\''));
    let path = inner.unwrap_or(named).replace(r"'\''", "'").replace(r"'\!'", "!");
    format!("It belongs to another user; if you trust what is in it: {ALLOW}{}", quoted(path.as_ref()))
}

/// Why git did not answer.
fn refused(answer: &CallOutput) -> Result<FoundRepository, GitError> {
    let said = answer.errors.trim().to_owned();
    if said.contains("dubious ownership") {
        return Ok(FoundRepository::Unsafe(way_in(&said)));
    }
    if said.contains("not a git repository") {
        return Ok(FoundRepository::None);
    }
    Err(GitError::Failed { command: "git rev-parse".into(), said })
}
