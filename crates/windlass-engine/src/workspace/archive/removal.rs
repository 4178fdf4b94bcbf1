//! Folders that appear and disappear as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::file::{AtPath, FileError, remove_folder, sync_folder};

/// What the name of a folder that is being removed begins with; nobody takes it for a workspace.
const REMOVED: &str = ".windlass-removed-";

/// What the name of a folder that is being filled begins with.
const UNFINISHED: &str = ".windlass-unfinished-";

/// Removes a folder: in one step it is gone from its name, then what it held is deleted. Links in it are removed, not
/// what they lead to.
///
/// # Errors
/// The system refuses. What could not be deleted lies beside it under a hidden name, which the error names.
pub(in crate::workspace) fn remove_at_once(folder: &Path) -> Result<(), FileError> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    clear_leftovers(parent);
    let away =
        tempfile::Builder::new().prefix(REMOVED).tempdir_in(parent).at("create a folder in", parent)?.keep();
    // An empty folder may be replaced by another folder: that is the one step.
    fs::rename(folder, &away).at("remove", folder).inspect_err(|_| drop(fs::remove_dir(&away)))?;
    sync_folder(parent)?;
    remove_folder(&away)
}

/// Deletes what removals that were cut off have left; it was archived, or asked to be deleted, before.
fn clear_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().as_encoded_bytes().starts_with(REMOVED.as_bytes()) {
            // Another process may be at it.
            let _ = remove_folder(&entry.path());
        }
    }
}

/// A folder that is being filled beside where it will be; it goes again unless it is put in place.
#[derive(Debug)]
pub(in crate::workspace) struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// An empty one in this folder.
    pub fn within(parent: &Path) -> Result<Unfinished, FileError> {
        let folder = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(parent);
        Ok(Unfinished { path: folder.at("create a folder in", parent)?.keep() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name in one step; `false` when something of this name is there.
    pub fn put_in_place(self, name: &Path) -> Result<bool, FileError> {
        match renameat_with(CWD, &self.path, CWD, name, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(rustix::io::Errno::EXIST | rustix::io::Errno::NOTEMPTY) => return Ok(false),
            // A file system that does not know how: a person would have to be quicker than this.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                if name.symlink_metadata().is_ok() {
                    return Ok(false);
                }
                fs::rename(&self.path, name).at("write", name)?;
            }
            Err(error) => return Err(error).at("write", name),
        }
        sync_folder(name.parent().unwrap_or(Path::new(".")))?;
        Ok(true)
    }
}

impl Unfinished {
    /// Takes the place of the folder of this name in one step; that one is deleted then. `false` when there is none.
    pub fn replace(self, name: &Path) -> Result<bool, FileError> {
        match renameat_with(CWD, &self.path, CWD, name, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(rustix::io::Errno::NOENT) => return Ok(false),
            // A file system that does not know how: the old one stays aside until the new one is in place.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                let parent = name.parent().unwrap_or(Path::new("."));
                let old = Unfinished::within(parent)?;
                fs::rename(name, &old.path).at("replace", name)?;
                if let Err(error) = fs::rename(&self.path, name) {
                    fs::rename(&old.path, name).at("write", name)?;
                    return Err(error).at("write", name);
                }
            }
            Err(error) => return Err(error).at("replace", name),
        }
        sync_folder(name.parent().unwrap_or(Path::new(".")))?;
        Ok(true)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Where it was put in place nothing is there any more.
        let _ = remove_folder(&self.path);
    }
}
