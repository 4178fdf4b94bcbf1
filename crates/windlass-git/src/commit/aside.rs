//! Commits that go to no branch that is checked out, and what is taken out of the index with them.

use std::path::Path;

use super::{Candidate, CommitError, PrivateIndex, tree_of};
use crate::git::call::Call;
use crate::git::obstacle::half_done;
use crate::git::patience::patiently;
use crate::git::{GitError, ObjectId, Repository};
use crate::snapshot::Store;

/// Makes a commit of the candidate on `parent`, or without one, that nothing names yet; no hook runs, and neither HEAD nor a person's index
/// is touched. `None` where it would hold nothing, or what it would hold is not to be had as a commit (a filter is missing).
pub fn commit_aside(
    repository: &Repository,
    store: &Store,
    candidate: &Candidate<'_>,
    parent: Option<ObjectId>,
) -> Result<Option<ObjectId>, CommitError> {
    let index = PrivateIndex::create(repository, store)?;
    index.begin_with(parent, candidate)?;
    if index.take(store, candidate)?.is_some() {
        return Ok(None);
    }
    let tree = index.write_tree()?;
    if tree == tree_of(repository, parent)? {
        return Ok(None);
    }
    Ok(Some(commit_tree(repository, parent, &tree, candidate.message)?))
}

/// A commit of a tree that nothing names yet, also where git does not know who commits: that is not a reason to lose work.
pub(crate) fn commit_tree(
    repository: &Repository,
    parent: Option<ObjectId>,
    tree: &str,
    message: &str,
) -> Result<ObjectId, GitError> {
    let commit = |call: Call| {
        let parent = parent.map(|parent| ["-p".to_owned(), parent.to_string()]);
        let call = call.args(["commit-tree"]).args(parent.iter().flatten());
        call.args(["-F", "-"]).arg(tree).input(message).id()
    };
    let within = || Call::within(repository);
    commit(within()).or_else(|_| commit(within().anonymous()))
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
