//! Beginning a repository: only where a person asked for it.

use std::path::Path;
use std::time::Duration;

use super::{CommitOutcome, made_of, settle_index};
use crate::git::call::Call;
use crate::git::{GitError, Repository};
use windlass_host::file::AtPath as _;

/// How long the hooks of a first commit may take.
const HOOKS: Duration = Duration::from_mins(10);

/// Makes a directory a repository, as `git init` does: with the person's own template and name of the first branch.
pub fn init(directory: &Path) -> Result<(), GitError> {
    Call::new(directory).args(["init", "--quiet"]).output().map(drop)
}

/// Commits these paths, relative to the top, as a repository's first commit, with the repository's hooks. The index of a
/// person stays as it is when there is no commit.
pub fn first_commit(
    repository: &Repository,
    paths: &[&[u8]],
    message: &str,
) -> Result<CommitOutcome, GitError> {
    // outside: a repository that was made a moment ago, before any guest.
    let folder = tempfile::tempdir_in(&repository.git_dir).at("write in", &repository.git_dir)?;
    let index = folder.path().join("index");
    let mut listing = paths.join(&b"\0"[..]);
    listing.push(0);
    let add = Call::new(&repository.top).env("GIT_INDEX_FILE", &index);
    add.args(["update-index", "-z", "--add", "--stdin"]).input(listing).output()?;
    let call = Call::with_hooks(&repository.top).env("GIT_INDEX_FILE", &index);
    let call = call.args(["commit", "--quiet", "--no-edit", "--cleanup=whitespace", "--file=-"]);
    if let Some(refused) = made_of(repository, call.input(message).timeout(HOOKS).run())? {
        return Ok(refused);
    }
    settle_index(repository, None)?;
    match repository.head()?.commit() {
        Some(commit) => Ok(CommitOutcome::Committed { commit, altered: Vec::new() }),
        None => Ok(CommitOutcome::NothingToCommit),
    }
}
