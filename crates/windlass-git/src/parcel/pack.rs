//! Packing commits.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::git::call::{Call, unexpected};
use crate::git::{GitError, ObjectId, Repository};
use windlass_host::file::AtPath;

/// A large repository is packed for minutes.
const LONG: Duration = Duration::from_mins(30);

/// Packs all that these commits need and whoever has the others lacks, to a file that is not there yet; gives its size in bytes.
/// What this repository does not have of the others is left out of account.
///
/// # Errors
/// The repository is shallow: what it has of its commits is not all that they need.
pub fn pack(
    repository: &Repository,
    wanted: &[ObjectId],
    has: &[ObjectId],
    to: &Path,
) -> Result<u64, GitError> {
    refuse_shallow(repository)?;
    let mut tips: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let there = those_there(Call::within(repository), has)?;
    tips.extend(there.iter().map(|commit| format!("^{commit}")));
    pack_objects(Call::within(repository), &tips, to)
}

/// Packs what some objects need, and those with `^` before them do not, to a file that is not there yet; gives its size in bytes.
pub(crate) fn pack_objects(call: Call, tips: &[String], to: &Path) -> Result<u64, GitError> {
    let folder = to.parent().unwrap_or(Path::new("."));
    // outside: the state folder.
    let scratch = tempfile::tempdir_in(folder).at("write in", folder)?;
    let call = call.args(["pack-objects", "--revs", "--delta-base-offset", "-q"]);
    let printed =
        call.arg(scratch.path().join("parcel")).input(tips.join("\n") + "\n").timeout(LONG).output()?;
    let name =
        ObjectId::from_hex(printed.trim_ascii()).ok_or_else(|| unexpected("git pack-objects", &printed))?;
    let made = scratch.path().join(format!("parcel-{name}.pack"));
    // outside: from there into there.
    let size = made.metadata().at("read", &made)?.len();
    // outside: the same.
    fs::rename(&made, to).at("write", to)?;
    Ok(size)
}

/// Those of some commits that are there, by one call for all: a long run has given many tips.
pub(super) fn those_there(call: Call, commits: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let asked: Vec<String> = commits.iter().map(ToString::to_string).collect();
    // A line for each, in their order: its type, or that it is missing.
    let printed =
        call.args(["cat-file", "--batch-check=%(objecttype)"]).input(asked.join("\n") + "\n").output()?;
    let lines = printed.split(|byte| *byte == b'\n');
    Ok(commits.iter().zip(lines).filter(|(_, line)| *line == b"commit").map(|(commit, _)| *commit).collect())
}

/// Is all of its commits here?
pub(crate) fn refuse_shallow(repository: &Repository) -> Result<(), GitError> {
    // By this file git itself knows.
    // outside: the repository.
    if repository.common_dir.join("shallow").exists() {
        return Err(GitError::Failed {
            command: "git pack-objects".to_owned(),
            said: "this is a shallow clone, which lacks what its commits are made of: `git fetch --unshallow` brings it"
                .to_owned(),
        });
    }
    Ok(())
}
