//! Commits that go to no branch that is checked out, and commits that are taken back from one.

use std::path::Path;

use super::call::Call;
use super::commit::{PrivateIndex, tree_of};
use super::lane::anonymous;
use super::obstacle::half_done;
use super::{Candidate, CommitError, GitError, ObjectId, Repository};
use crate::snapshot::Store;

/// What became of commits that were to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// HEAD stands where it stood before them.
    Yes,
    /// It stands where it is: why, in a sentence.
    No(String),
}

/// Makes a commit of the candidate on `parent` that nothing names yet; no hook runs, and neither HEAD nor a person's index
/// is touched. `None` where it would hold nothing, or what it would hold is not to be had as a commit (a filter is missing).
///
/// # Errors
/// git or the file system refuses.
pub fn commit_aside(
    repository: &Repository,
    store: &Store,
    candidate: &Candidate<'_>,
    parent: ObjectId,
) -> Result<Option<ObjectId>, CommitError> {
    let index = PrivateIndex::create(repository, store)?;
    index.call().args(["read-tree", &parent.to_string()]).output()?;
    if index.take(store, candidate)?.is_some() {
        return Ok(None);
    }
    let tree = index.write_tree()?;
    if tree == tree_of(repository, Some(parent))? {
        return Ok(None);
    }
    let commit = |call: Call| {
        let call = call.args(["commit-tree", "-p", &parent.to_string(), "-F", "-"]).arg(&tree);
        call.input(candidate.message).output()
    };
    // Not to know who commits is no reason to lose work.
    let within = || Call::within(repository);
    let made = commit(within()).or_else(|_| commit(anonymous(within())))?;
    let commit = ObjectId::from_hex(made.trim_ascii()).ok_or_else(|| GitError::Unexpected {
        command: "git commit-tree",
        printed: String::from_utf8_lossy(&made).chars().take(200).collect(),
    })?;
    Ok(Some(commit))
}

/// Lets HEAD, and the branch that is checked out, stand where it stood before `tip` was made on `base`, and the index say of
/// these paths what `base` says; what it says of others stays. Files are not touched. Only from `tip`: where somebody has
/// moved on, nothing is done. Cut off and called again, it does the rest.
///
/// # Errors
/// git or the file system refuses.
pub fn take_back(
    repository: &Repository,
    (tip, base): (ObjectId, ObjectId),
    paths: &[Vec<u8>],
) -> Result<TakenBack, GitError> {
    let head = repository.head()?.commit();
    if let Some(why) = half_done(repository)? {
        return Ok(TakenBack::No(why));
    }
    if head == Some(tip) && tip != base {
        let (tip, base) = (tip.to_string(), base.to_string());
        let update = ["update-ref", "-m", "windlass: park", "HEAD", &base, &tip];
        let answer = Call::within(repository).args(update).run()?;
        if answer.code != 0 {
            return Ok(TakenBack::No(super::call::last_lines(&answer)));
        }
    } else if head != Some(base) {
        return Ok(TakenBack::No("somebody else has committed meanwhile".to_owned()));
    }
    if !paths.is_empty() {
        reset_paths(repository, base, paths)?;
    }
    Ok(TakenBack::Yes)
}

/// Only the index. Another git at work keeps it; what it says is then a matter of `git status` and nothing else.
fn reset_paths(repository: &Repository, to: ObjectId, paths: &[Vec<u8>]) -> Result<(), GitError> {
    let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
    let reset = ["reset", "--quiet", &to.to_string(), "--pathspec-from-file=-", "--pathspec-file-nul"];
    Call::within(repository)
        .env("GIT_LITERAL_PATHSPECS", Path::new("1"))
        .args(reset)
        .input(input)
        .run()
        .map(drop)
}
