//! Commits that go to no branch that is checked out, and what is taken out of the index with them.

use std::path::Path;

use super::call::Call;
use super::commit::{PrivateIndex, tree_of};
use super::lane::{anonymous, printed_id};
use super::obstacle::half_done;
use super::patience::patiently;
use super::{Candidate, CommitError, GitError, ObjectId, Repository};
use crate::snapshot::Store;

/// Makes a commit of the candidate on `parent` that nothing names yet; no hook runs, and neither HEAD nor a person's index
/// is touched. `None` where it would hold nothing, or what it would hold is not to be had as a commit (a filter is missing).
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
    // Not to know who commits is not a reason to lose work.
    let within = || Call::within(repository);
    let made = commit(within()).or_else(|_| commit(anonymous(within())))?;
    Ok(Some(printed_id("git commit-tree", &made)?))
}

/// Lets the index say of these paths what HEAD says; what it says of others stays, and files are not touched. Where another
/// git is at work the index stays as it is: what it says is then a matter of `git status` and nothing else.
pub fn unstage(repository: &Repository, paths: &[Vec<u8>]) -> Result<(), GitError> {
    if paths.is_empty() || half_done(repository)?.is_some() {
        return Ok(());
    }
    let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
    let reset = ["reset", "--quiet", "HEAD", "--pathspec-from-file=-", "--pathspec-file-nul"];
    let call = || Call::within(repository).env("GIT_LITERAL_PATHSPECS", Path::new("1")).args(reset);
    match patiently(|| call().input(input.as_slice())) {
        Ok(()) | Err(GitError::Failed { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
