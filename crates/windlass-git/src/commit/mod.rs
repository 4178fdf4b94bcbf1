//! Committing what an iteration changed: exactly that, as it was when it was judged.
//!
//! The commit is made from an index of our own, so that what a person has staged or left dirty is neither committed nor
//! touched. The commit itself is git's: with the user's hooks, identity, signature and filters.

mod aside;
mod begin;
mod gitlinks;
mod looked_over;

#[cfg(test)]
mod tests;

pub(crate) use aside::commit_tree;
pub use aside::{commit_aside, unstage};
pub use begin::{first_commit, init};
pub use looked_over::Made;
use looked_over::{altered, message_refused, message_written};

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::git::call::{Call, CallOutput, index_line, last_lines, unexpected, zero_ended};
use crate::git::obstacle::{explain, obstacle};
use crate::git::patience::with_pauses;
use crate::git::{GitError, ObjectId, ObjectKind, Repository, says_disk_full};
use crate::inventory::{Entry, EntryKind, HiddenFiles, Inventory, content_now};
use crate::snapshot::{SnapshotError, Store};
use windlass_host::file::{AtPath, FileError, create_private_folder};

/// What is to be committed.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The working tree as it was judged.
    pub inventory: &'a Inventory,
    /// The paths that the iteration changed, relative to the top. One that the inventory does not have was removed;
    /// one that git ignores is passed over.
    pub changed: &'a [Vec<u8>],
    /// The commit's message.
    pub message: &'a str,
    /// What becomes of the repository's hooks.
    pub hooks: CommitHooks,
    /// How long the commit's hooks may take.
    pub timeout: Duration,
}

/// What becomes of a repository's hooks when the runner commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitHooks {
    /// They are run, as for a person's commit.
    Run,
    /// They are not: they, or what they start, may be the work of whoever is locked in.
    Skip,
}

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is there.
    Committed {
        /// Its name.
        commit: ObjectId,
        /// The paths that a hook has made other than the candidate has them.
        altered: Vec<Vec<u8>>,
    },
    /// HEAD already has all of it.
    NothingToCommit,
    /// There is none: what git said, its last lines; or a sentence that says what to do.
    Refused(String),
    /// There is none, since a hook of the repository failed or took too long: the end of what was said.
    RefusedByHook(String),
    /// There is none, and nothing that is tried again or mended in the files changes that: a sentence that says what a person
    /// has to do.
    NeedsPerson(String),
}

/// A commit could not be tried, or its end is not known.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// git failed at something that it should be able to do.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The candidate could not be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// So much of what a hook printed is passed on, in bytes.
const HOOK_OUTPUT: usize = 2 * 1024;

/// Commits the candidate. Contents that the working tree no longer has (a gate rewrote them) come from the store. Where hooks
/// have made something else of the commit, and there is an objection to that, it is not kept.
pub fn commit(
    repository: &Repository,
    store: &Store,
    candidate: &Candidate<'_>,
    objection: impl FnOnce(&Made) -> Result<Option<String>, CommitError>,
) -> Result<CommitOutcome, CommitError> {
    if let Some(obstacle) = obstacle(repository)? {
        return Ok(CommitOutcome::Refused(obstacle));
    }
    let before = repository.head()?.commit();
    let index = PrivateIndex::create(repository, store)?;
    index.begin_with(before, candidate)?;
    if let Some(why) = index.take(store, candidate)? {
        return Ok(CommitOutcome::Refused(why));
    }
    let tree = index.write_tree()?;
    if tree == tree_of(repository, before)? {
        return Ok(CommitOutcome::NothingToCommit);
    }
    if let Some(refused) = call_for_commit(repository, &index, candidate)? {
        return Ok(refused);
    }
    let Some(commit) = repository.head()?.commit() else {
        return Err(unexpected("git commit", b"no commit").into());
    };
    Made { before, commit, altered: altered(repository, &tree, commit)? }.kept(repository, objection)
}

/// Has git make a commit of this index, with the repository's hooks; what came of it, where that is no commit.
fn call_for_commit(
    repository: &Repository,
    index: &PrivateIndex<'_>,
    candidate: &Candidate<'_>,
) -> Result<Option<CommitOutcome>, GitError> {
    let call = match candidate.hooks {
        CommitHooks::Run => Call::with_hooks_within(repository),
        CommitHooks::Skip => Call::within(repository),
    };
    let written = message_written(repository);
    let answer = call
        .env("GIT_INDEX_FILE", &index.path)
        .args(["commit", "--quiet", "--no-edit", "--cleanup=whitespace", "--file=-"])
        .input(candidate.message)
        .timeout(candidate.timeout)
        .run();
    let has_ended = answer.is_ok();
    match made_of(repository, answer)? {
        // No agent words the runner's commits: it would be called for nothing.
        Some(CommitOutcome::RefusedByHook(said)) if has_ended && message_written(repository) != written => {
            let why = message_refused(repository, candidate.message, &said)?;
            Ok(Some(CommitOutcome::NeedsPerson(why)))
        }
        made => Ok(made),
    }
}

/// What `git commit` came to, where it came to no commit.
pub(crate) fn made_of(
    repository: &Repository,
    answer: Result<CallOutput, GitError>,
) -> Result<Option<CommitOutcome>, GitError> {
    let answer = match answer {
        Err(error @ GitError::TimedOut { .. }) => {
            return Ok(Some(CommitOutcome::RefusedByHook(error.to_string())));
        }
        answer => answer?,
    };
    let refusal = if answer.code == 0 { String::new() } else { hook_output(&answer) };
    if says_disk_full(&refusal) {
        // Neither git nor a hook of the repository objects: whatever is committed next meets the same.
        return Err(GitError::Failed { command: "git commit".to_owned(), said: refusal });
    }
    Ok(match answer.code {
        0 => None,
        // git's own refusals are fatal (128); 1 is what becomes of a hook's, whatever the hook's own exit code.
        1 => Some(CommitOutcome::RefusedByHook(refusal)),
        _ => Some(CommitOutcome::Refused(explain(repository, &answer)?)),
    })
}

/// How far back a commit is looked for that was made before a crash: others may have committed since.
const LOOKED_BACK: &str = "-20";

/// The newest commit whose message holds these lines one below the other, and that was made since this one was checked out
/// (`None` = there was none yet): it was made before a crash. Other lines may follow, since hooks add trailers of their own.
/// If it is HEAD, its index is settled as well, unless there is an objection to what is in it.
pub fn marked_commit(
    repository: &Repository,
    key: &str,
    since: Option<&str>,
    objection: impl FnOnce(&Made) -> Result<Option<String>, CommitError>,
) -> Result<Option<CommitOutcome>, CommitError> {
    let Some(head) = repository.head()?.commit() else { return Ok(None) };
    let listing =
        ["log", LOOKED_BACK, "--first-parent", "--no-show-signature", "--format=%H%n%B%x00", "HEAD"];
    let call = Call::within(repository).args(listing).args(since.map(|since| format!("^{since}")));
    let messages = call.output()?;
    let messages = String::from_utf8_lossy(&messages);
    let marked = messages.split('\0').find(|message| holds_lines(message, key));
    let name = marked.and_then(|message| message.trim_start().lines().next());
    let Some(commit) = name.and_then(|name| ObjectId::from_hex(name.as_bytes())) else { return Ok(None) };
    if commit != head {
        return Ok(Some(CommitOutcome::Committed { commit, altered: Vec::new() }));
    }
    let parent = Call::within(repository).args(["rev-parse", "--quiet", "--verify", "HEAD~1"]);
    let before = parent.found_id()?;
    // What it was to have is not known any more: all that is in it is looked over.
    let altered = altered(repository, &tree_of(repository, before)?, commit)?;
    Ok(Some(match (Made { before, commit, altered }).kept(repository, objection)? {
        CommitOutcome::Committed { commit, .. } => CommitOutcome::Committed { commit, altered: Vec::new() },
        other => other,
    }))
}

fn holds_lines(message: &str, lines: &str) -> bool {
    let ends = |after: &str| after.is_empty() || after.starts_with('\n');
    let mut found = message.match_indices(lines);
    found.any(|(at, _)| {
        let (before, from) = message.split_at(at);
        before.ends_with('\n') && from.get(lines.len()..).is_some_and(ends)
    })
}

/// Brings the index up to date with what was committed since `before`: those paths and no others. A commit does so by
/// itself; after a crash in the middle of one it is called again, any number of times.
pub fn settle_index(repository: &Repository, before: Option<ObjectId>) -> Result<(), GitError> {
    let after = repository.head()?.commit();
    with_pauses(|| settle(repository, before, after))
}

/// Whoever has committed while a lock was waited for has brought the index along: what it says then is theirs.
fn settle(
    repository: &Repository,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
) -> Result<(), GitError> {
    let now = repository.head()?.commit();
    let Some(after) = now.filter(|now| Some(*now) == after && Some(*now) != before) else {
        return Ok(());
    };
    let listing = index_lines(&changes(repository, before, after)?);
    let hidden = repository.hidden_files()?;
    let update = ["update-index", "-z", "--add", "--remove", "--replace", "--index-info"];
    Call::within(repository).args(update).input(listing.as_slice()).output()?;
    // What is written anew has lost its marks.
    repository.hide_again(&hidden, &paths_of(&listing))?;
    // Only so that git need not compare contents later; it complains about files that differ, which is their right.
    Call::within(repository).args(["update-index", "-q", "--refresh"]).run().map(drop)
}

/// Which files differ between two commits, as `git diff-tree -z` prints it; before the first one there is none.
fn changes(repository: &Repository, before: Option<ObjectId>, after: ObjectId) -> Result<Vec<u8>, GitError> {
    let from = before.map_or_else(|| empty_tree(repository), |commit| commit.to_string());
    let call = Call::within(repository);
    call.args(["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", &from, &after.to_string()]).output()
}

/// Could an index follow to this commit? A few small objects make a tree of more files than there is room for.
pub(crate) fn can_follow(
    repository: &Repository,
    before: Option<ObjectId>,
    after: ObjectId,
) -> Result<bool, GitError> {
    match changes(repository, before, after) {
        Ok(_) => Ok(true),
        Err(error) if error.is_too_long() || matches!(error, GitError::TimedOut { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What `git diff-tree -z` printed, as `git update-index --index-info -z` reads it.
fn index_lines(raw: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut parts = raw.split(|byte| *byte == 0);
    // `:100644 100755 <before> <after> M`, then the path.
    while let (Some(change), Some(path)) = (parts.next(), parts.next()) {
        let mut fields = change.split(|byte| *byte == b' ');
        if let (Some(mode), Some(id)) = (fields.nth(1), fields.nth(1)) {
            lines.extend_from_slice(&[mode, b" ", id, b"\t", path, b"\0"].concat());
        }
    }
    lines
}

/// The paths of such lines.
fn paths_of(lines: &[u8]) -> BTreeSet<&[u8]> {
    let path = |line| memchr::memchr(b'\t', line).and_then(|end| line.get(end + 1..));
    zero_ended(lines).filter_map(path).collect()
}

/// The end of what a hook printed; git passes all of it to standard error.
fn hook_output(answer: &CallOutput) -> String {
    let said = answer.errors.trim_end();
    let tail =
        said.get(said.ceil_char_boundary(said.len().saturating_sub(HOOK_OUTPUT))..).unwrap_or_default();
    if tail.trim().is_empty() { last_lines(answer) } else { tail.to_owned() }
}

fn empty_tree(repository: &Repository) -> String {
    repository.object_format.identify(ObjectKind::Tree, b"").to_string()
}

/// The tree of a commit; the empty tree where there is none.
pub(crate) fn tree_of(repository: &Repository, commit: Option<ObjectId>) -> Result<String, GitError> {
    let Some(commit) = commit else {
        return Ok(empty_tree(repository));
    };
    Call::within(repository).args(["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).text()
}

/// An index of our own, gone when it is dropped.
pub(crate) struct PrivateIndex<'a> {
    repository: &'a Repository,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl<'a> PrivateIndex<'a> {
    pub(crate) fn create(repository: &'a Repository, store: &Store) -> Result<Self, FileError> {
        let scratch = store.scratch();
        // outside: the store of snapshots.
        create_private_folder(&scratch)?;
        // outside: the store of snapshots.
        let folder = tempfile::tempdir_in(&scratch).at("write in", &scratch)?;
        Ok(Self { repository, path: folder.path().join("index"), _folder: folder })
    }

    pub(crate) fn call(&self) -> Call {
        Call::within(self.repository).only_as_filtered().with_index(&self.path)
    }

    /// Begins with the files of a commit; without one there is none.
    pub(crate) fn begin_with(
        &self,
        commit: Option<ObjectId>,
        candidate: &Candidate<'_>,
    ) -> Result<(), GitError> {
        let Some(commit) = commit else { return Ok(()) };
        self.call().args(["read-tree", &commit.to_string()]).output()?;
        self.leave_out_what_is_elsewhere(candidate)
    }

    /// In a partial clone git fetches whatever an index has and the repository has not, before it makes a tree of it: but for
    /// what a sparse checkout leaves out.
    fn leave_out_what_is_elsewhere(&self, candidate: &Candidate<'_>) -> Result<(), GitError> {
        let hidden = self.repository.hidden_files()?;
        let mut left_out = hidden.skipped();
        if left_out.is_empty() || !self.repository.is_partial()? {
            return Ok(());
        }
        for path in candidate.changed {
            left_out.remove(path.as_slice());
        }
        let tracked = self.call().args(["ls-files", "-z"]).output()?;
        let listing: Vec<u8> = zero_ended(&tracked)
            .filter(|path| left_out.contains(path))
            .flat_map(|path| [path, b"\0"].concat())
            .collect();
        self.call()
            .args(["update-index", "-z", "--skip-worktree", "--stdin"])
            .input(listing)
            .output()
            .map(drop)
    }

    pub(crate) fn write_tree(&self) -> Result<String, GitError> {
        self.call().arg("write-tree").text()
    }

    /// Puts the candidate's changes into the index; a sentence when a content is nowhere to be had, or a filter that it has
    /// to go through.
    pub(crate) fn take(
        &self,
        store: &Store,
        candidate: &Candidate<'_>,
    ) -> Result<Option<String>, CommitError> {
        let present = |path: &&Vec<u8>| candidate.inventory.entry(path).is_some();
        let written: Vec<&[u8]> = candidate.changed.iter().filter(present).map(Vec::as_slice).collect();
        let missing = self.repository.missing_filter(&written)?;
        if let Some(why) =
            missing.map_or_else(|| self.repository.not_filtered(&written), |why| Ok(Some(why)))?
        {
            return Ok(Some(why));
        }
        // The lines that remove go first: a file may have taken a folder's place.
        let (mut removed, mut replaced, mut as_they_are) = (Vec::new(), Vec::new(), Vec::new());
        let mut gitlinks: Vec<&Entry> = Vec::new();
        let hidden = self.hidden_where_removed(candidate)?;
        let left_out = hidden.skipped();
        for path in candidate.changed {
            let Some(entry) = candidate.inventory.entry(path) else {
                if left_out.contains(path.as_slice()) || self.is_emptied_submodule(candidate, path)? {
                    continue;
                }
                let zero = ObjectId::zero(self.repository.object_format);
                removed.extend_from_slice(&index_line("0", &zero.to_string(), path));
                continue;
            };
            if entry.ignored {
                continue;
            }
            if entry.kind == EntryKind::Submodule {
                gitlinks.push(entry);
                continue;
            }
            if content_now(&self.repository.top, self.repository.object_format, path)
                == Some((entry.kind, entry.content))
            {
                as_they_are.extend_from_slice(path);
                as_they_are.push(0);
            } else {
                match self.kept_line(store, entry)? {
                    Some(line) => replaced.extend_from_slice(&line),
                    None => return Ok(Some(gone(path))),
                }
            }
        }
        let update = ["update-index", "-z", "--add", "--remove", "--replace"];
        for lines in [removed, replaced].into_iter().filter(|lines| !lines.is_empty()) {
            self.call().args(update).arg("--index-info").input(lines).output()?;
        }
        if !as_they_are.is_empty() {
            let call = self.telling_modes(candidate.inventory).args(update).arg("--stdin");
            let answer = call.input(as_they_are).run()?;
            if answer.code != 0 {
                // A filter that fails, or a file that changes at this moment.
                return Ok(Some(last_lines(&answer)));
            }
        }
        // What registers them is in the index by now.
        self.take_gitlinks(&gitlinks)?;
        Ok(None)
    }

    /// Files are committed as executable as they were judged, whatever `core.fileMode` says, where files tell it: on a file system
    /// that does not, all of them are.
    fn telling_modes(&self, inventory: &Inventory) -> Call {
        let tells = inventory.entries.iter().any(|entry| entry.kind == EntryKind::File);
        if tells { self.call().option("core.fileMode=true") } else { self.call() }
    }

    /// What a sparse checkout leaves out of the tree is not deleted: asked where anything is.
    fn hidden_where_removed(&self, candidate: &Candidate<'_>) -> Result<HiddenFiles, GitError> {
        if candidate.changed.iter().all(|path| candidate.inventory.entry(path).is_some()) {
            return Ok(HiddenFiles::default());
        }
        self.repository.hidden_files()
    }

    /// The index's line for a content that only the snapshot has. `None` when it does not have it either.
    fn kept_line(&self, store: &Store, entry: &Entry) -> Result<Option<Vec<u8>>, CommitError> {
        let content = match store.content(&entry.content) {
            Ok(content) => content,
            Err(SnapshotError::Missing(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let call = self.call().args(["hash-object", "-w", "--stdin"]);
        let call = match entry.kind {
            EntryKind::Symlink => call.arg("--no-filters"),
            _ => call.path_option("--path", &entry.path),
        };
        let id = call.input(content).text()?;
        Ok(Some(index_line(entry.kind.git_mode(), &id, &entry.path)))
    }
}

fn gone(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    format!("{path} changed after it was judged, and was too large to be kept as it was")
}
