//! One at a time makes or removes worktrees of a repository, and one at a time makes a worktree ready.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::file::{AtPath as _, FileError};
use crate::store::Project;

use super::WorktreeError;

/// Held while the list of worktrees changes: for moments.
pub(super) fn of_repository(project: &Project) -> Result<File, WorktreeError> {
    project.create()?;
    Ok(take(&project.path().join("worktrees.lock"))?)
}

/// Held while files are checked out and copied: for minutes, if need be.
pub(super) fn of_worktree(git_dir: &Path) -> Result<File, FileError> {
    take(&git_dir.join("windlass.lock"))
}

/// Waits for it. It is given back when the file is dropped, and when this process ends in whatever way.
fn take(path: &Path) -> Result<File, FileError> {
    let file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).at("open", path)?;
    file.lock().at("lock", path)?;
    Ok(file)
}
