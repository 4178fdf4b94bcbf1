//! Carrying out the steps of a repair. Each can be repeated.

use std::fs;
use std::path::Path;

use super::RepairStep;
use crate::file::{AtPath, FileError, remove_empty_folders, replace};
use crate::inventory::{EntryKind, as_path};
use crate::snapshot::objects;

pub(super) fn carry_out(step: &RepairStep) -> Result<(), FileError> {
    match step {
        RepairStep::CreateFolder(path) => fs::create_dir_all(path).at("create", path),
        RepairStep::CopyObjects { from, to } => {
            make_room(to)?;
            objects::copy(from, to).map(drop)
        }
        RepairStep::WriteFile { path, content, kind } => {
            make_room(path)?;
            write(path, content, *kind)
        }
        RepairStep::Remove(path) => remove(path),
        RepairStep::MoveAside(path) => move_aside(path),
        RepairStep::WriteReference { path, to, .. } => {
            make_room(path)?;
            replace(path, format!("{to}\n").as_bytes(), 0o644)
        }
    }
}

fn write(path: &Path, content: &[u8], kind: EntryKind) -> Result<(), FileError> {
    match kind {
        EntryKind::Symlink => {
            remove(path)?;
            std::os::unix::fs::symlink(as_path(content), path).at("write", path)
        }
        EntryKind::Executable => {
            // Its permissions are those of the file that is replaced, where there is one.
            remove(path)?;
            replace(path, content, 0o755)
        }
        EntryKind::File | EntryKind::Submodule => replace(path, content, 0o644),
    }
}

/// Removes a file, or a folder that nothing is in.
fn remove(path: &Path) -> Result<(), FileError> {
    let removed = if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        remove_empty_folders(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.at("remove", path),
    }
}

fn move_aside(path: &Path) -> Result<(), FileError> {
    let name = |number: u32| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".aside-{number}"));
        path.with_file_name(name)
    };
    let free = (1..1000).map(name).find(|free| free.symlink_metadata().is_err());
    free.map_or(Ok(()), |free| fs::rename(path, free).at("move aside", path))
}

/// Creates the folders above a path, and removes empty folders in its place, as git leaves them behind.
fn make_room(path: &Path) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).at("create", folder)?;
    }
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        remove_empty_folders(path).at("replace", path)?;
    }
    Ok(())
}
