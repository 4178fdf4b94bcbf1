//! Folders that appear and disappear as a whole.

use windlass_host::file::FileError;
use windlass_host::tree::{Kind, TreePath};

/// What the name of a folder that is being removed begins with; nobody takes it for a workspace.
const REMOVED: &str = ".windlass-removed-";

/// What the name of a folder that is being filled begins with.
const UNFINISHED: &str = ".windlass-unfinished-";

/// Removes a folder: in one step it is gone from its name, then what it held is deleted. Links in it are removed, not
/// what they lead to.
///
/// # Errors
/// The system refuses. What could not be deleted lies beside it under a hidden name, which the error names.
pub(in crate::workspace) fn remove_at_once(folder: &TreePath) -> Result<(), FileError> {
    let parent = parent_of(folder);
    clear_leftovers(&parent);
    let away = parent.make_free_folder(REMOVED)?;
    // An empty folder may be replaced by another folder: that is the one step.
    folder.rename_to(&away).inspect_err(|_| drop(away.remove_empty_folder()))?;
    parent.sync_folder()?;
    away.remove_folder()
}

/// Deletes what removals that were cut off have left; it was archived, or asked to be deleted, before.
fn clear_leftovers(parent: &TreePath) {
    for entry in parent.entries().unwrap_or_default() {
        if entry.kind == Kind::Folder && entry.name.as_encoded_bytes().starts_with(REMOVED.as_bytes()) {
            // Another process may be at it.
            let _ = parent.join(&entry.name).remove_folder();
        }
    }
}

/// A folder that is being filled beside where it will be; it goes again unless it is put in place.
#[derive(Debug)]
pub(in crate::workspace) struct Unfinished {
    path: TreePath,
}

impl Unfinished {
    /// An empty one in this folder.
    pub fn within(parent: &TreePath) -> Result<Unfinished, FileError> {
        Ok(Unfinished { path: parent.make_free_folder(UNFINISHED)? })
    }

    pub fn path(&self) -> &TreePath {
        &self.path
    }

    /// Gives it its name in one step; `false` when something of this name is there.
    pub fn put_in_place(self, name: &TreePath) -> Result<bool, FileError> {
        match self.path.rename_to_free(name) {
            Ok(()) => {}
            Err(error) if is_taken(&error) => return Ok(false),
            // A file system that does not know how: a person would have to be quicker than this.
            Err(error) if error.is_unknown_way() => {
                if name.is_taken() {
                    return Ok(false);
                }
                self.path.rename_to(name)?;
            }
            Err(error) => return Err(error),
        }
        parent_of(name).sync_folder()?;
        Ok(true)
    }

    /// Takes the place of the folder of this name in one step; that one is deleted then. `false` when there is none.
    pub fn replace(self, name: &TreePath) -> Result<bool, FileError> {
        match self.path.exchange_with(name) {
            Ok(()) => {}
            Err(error) if error.is_not_found() => return Ok(false),
            // A file system that does not know how: the old one stays aside until the new one is in place.
            Err(error) if error.is_unknown_way() => {
                let old = Unfinished::within(&parent_of(name))?;
                name.rename_to(&old.path)?;
                if let Err(error) = self.path.rename_to(name) {
                    old.path.rename_to(name)?;
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        parent_of(name).sync_folder()?;
        Ok(true)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Where it was put in place nothing is there any more.
        let _ = self.path.remove_folder();
    }
}

fn parent_of(path: &TreePath) -> TreePath {
    path.parent().unwrap_or_else(|| path.clone())
}

fn is_taken(error: &FileError) -> bool {
    use std::io::ErrorKind;
    matches!(error.source.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}
