//! One at a time makes or removes worktrees of a repository, and one at a time makes a worktree ready.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::store::Project;
use windlass_host::file::{AtPath as _, FileError};
use windlass_host::tree::at;

use super::WorktreeError;

/// Held while the list of worktrees changes: for moments.
pub(super) fn of_repository(project: &Project) -> Result<File, WorktreeError> {
    project.create()?;
    let path = project.path().join("worktrees.lock");
    // outside: the state folder.
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
    Ok(take(file.at("open", &path)?, &path)?)
}

/// Held while files are checked out and copied: for minutes, if need be.
pub(super) fn of_worktree(git_dir: &Path) -> Result<File, FileError> {
    let path = at(&git_dir.join("windlass.lock"));
    take(path.append_to(0o666)?, &path.shown())
}

/// Waits for it. It is given back when the file is dropped, and when this process ends in whatever way.
fn take(file: File, path: &Path) -> Result<File, FileError> {
    file.lock().at("lock", path)?;
    Ok(file)
}
