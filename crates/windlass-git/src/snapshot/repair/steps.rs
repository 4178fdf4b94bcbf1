//! Carrying out the steps of a repair. Each can be repeated.

use std::fs::File;

use super::RepairStep;
use crate::inventory::{EntryKind, as_path};
use windlass_host::file::{AtPath as _, FileError};
use windlass_host::tree::{TreePath, at};

/// git's objects are never written to again.
const OBJECT: u32 = 0o444;

pub(super) fn carry_out(step: &RepairStep) -> Result<(), FileError> {
    match step {
        RepairStep::CreateFolder(path) => at(path).make_folders(),
        RepairStep::CopyObjects { from, to } => {
            let to = at(to);
            make_room(&to)?;
            // outside: the store is ours; what it holds is copied into the repository.
            let source = File::open(from).at("read", from)?;
            to.copy_from(&source, OBJECT)
        }
        RepairStep::WriteFile { path, content, kind } => {
            let path = at(path);
            make_room(&path)?;
            write(&path, content, *kind)
        }
        RepairStep::Remove(path) => remove(&at(path)),
        RepairStep::MoveAside(path) => move_aside(&at(path)),
        RepairStep::WriteReference { path, to, .. } => {
            let path = at(path);
            make_room(&path)?;
            path.replace(format!("{to}\n").as_bytes(), 0o644)
        }
    }
}

fn write(path: &TreePath, content: &[u8], kind: EntryKind) -> Result<(), FileError> {
    match kind {
        EntryKind::Symlink => {
            remove(path)?;
            path.make_link(as_path(content))
        }
        EntryKind::Executable => {
            // Its permissions are those of the file that is replaced, where there is one.
            remove(path)?;
            path.replace(content, 0o755)
        }
        EntryKind::File | EntryKind::Submodule => path.replace(content, 0o644),
    }
}

/// Removes a file, or a folder that nothing is in.
fn remove(path: &TreePath) -> Result<(), FileError> {
    let removed = if path.is_real_folder() { path.remove_empty_folders() } else { path.remove_file() };
    match removed {
        Err(error) if error.is_not_found() => Ok(()),
        removed => removed,
    }
}

fn move_aside(path: &TreePath) -> Result<(), FileError> {
    let name = |number: u32| {
        let mut name = path.name()?.to_os_string();
        name.push(format!(".aside-{number}"));
        Some(path.parent()?.join(name))
    };
    let free = (1..1000).filter_map(name).find(|free| !free.is_taken());
    free.map_or(Ok(()), |free| path.rename_to_free(&free))
}

/// Creates the folders above a path, and removes empty folders in its place, as git leaves them behind.
fn make_room(path: &TreePath) -> Result<(), FileError> {
    path.parent().map_or(Ok(()), |folder| folder.make_folders())?;
    if path.is_real_folder() {
        path.remove_empty_folders()?;
    }
    Ok(())
}
