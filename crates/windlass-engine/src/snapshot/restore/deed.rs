//! Writing and removing files, never outside the working tree.

use std::ffi::OsStr;
use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path};

use super::{LeftAlone, RestorePlan, Restored, WhyLeft};
use crate::file::remove_empty_folders;
use crate::inventory::{EntryKind, as_path};
use crate::snapshot::keep::KeptFile;
use crate::snapshot::{SnapshotError, Store};

/// Removes what the snapshot does not have, and the folders that become empty by that.
pub(super) fn remove(plan: &RestorePlan, unkept: impl Fn(&[u8]) -> bool, restored: &mut Restored) {
    let root = &plan.place.root;
    for path in &plan.remove {
        if unkept(path) {
            restored.left_alone.push(LeftAlone { path: path.clone(), why: WhyLeft::CannotBeKept });
            continue;
        }
        match remove_file(root, as_path(path)) {
            Ok(()) => restored.removed.push(path.clone()),
            Err(why) => restored.left_alone.push(LeftAlone { path: path.clone(), why }),
        }
    }
}

fn remove_file(root: &Path, path: &Path) -> Result<(), WhyLeft> {
    if !leads_inside(root, path) {
        return Err(WhyLeft::InTheWay);
    }
    match fs::remove_file(root.join(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(WhyLeft::Failed(error.to_string()));
        }
        _ => {}
    }
    remove_emptied(root, path);
    Ok(())
}

/// Removes the folders above a file that is gone, as far as they are empty.
pub(super) fn remove_emptied(root: &Path, path: &Path) {
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    for folder in above {
        // One that is not empty stays, and so do all above it.
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
}

/// Are all folders above the path real ones?
fn leads_inside(root: &Path, path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.all(|folder| root.join(folder).symlink_metadata().is_ok_and(|metadata| metadata.is_dir()))
}

/// Writes what differs from the snapshot.
pub(super) fn write(
    store: &Store,
    plan: &RestorePlan,
    unkept: impl Fn(&[u8]) -> bool,
    restored: &mut Restored,
) -> Result<(), SnapshotError> {
    for file in &plan.write {
        if unkept(&file.path) {
            restored.left_alone.push(LeftAlone { path: file.path.clone(), why: WhyLeft::CannotBeKept });
            continue;
        }
        let content = store.content(&file.content)?;
        match write_file(&plan.place.root, file, &content) {
            Ok(()) => restored.written.push(file.path.clone()),
            Err(why) => restored.left_alone.push(LeftAlone { path: file.path.clone(), why }),
        }
    }
    Ok(())
}

fn write_file(root: &Path, file: &KeptFile, content: &[u8]) -> Result<(), WhyLeft> {
    let path = as_path(&file.path);
    make_folders(root, path)?;
    let full = root.join(path);
    let failed = |error: io::Error| WhyLeft::Failed(error.to_string());
    let there = match full.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {
            // Empty folders hold nothing.
            remove_empty_folders(&full).map_err(|_| WhyLeft::InTheWay)?;
            None
        }
        Ok(metadata) => Some(metadata),
        Err(_) => None,
    };
    if file.kind == EntryKind::Symlink {
        write_link(&full, content).map_err(failed)
    } else {
        write_plain(&full, content, file.kind == EntryKind::Executable, there.as_ref()).map_err(failed)
    }
}

/// Creates the folders above a path; refuses to go through anything but real folders.
fn make_folders(root: &Path, path: &Path) -> Result<(), WhyLeft> {
    let mut folder = root.to_path_buf();
    let parts = path.parent().into_iter().flat_map(Path::components);
    for part in parts {
        let Component::Normal(name) = part else {
            return Err(WhyLeft::InTheWay);
        };
        folder.push(name);
        match folder.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(WhyLeft::InTheWay),
            Err(_) => fs::create_dir(&folder).map_err(|error| WhyLeft::Failed(error.to_string()))?,
        }
    }
    Ok(())
}

const TEMPORARY: &str = ".windlass-restore-";

/// Is this the name of a file that was to be renamed into its place?
pub(super) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(TEMPORARY.as_bytes()) && name.ends_with(b".tmp")
}

fn write_plain(full: &Path, content: &[u8], executable: bool, there: Option<&Metadata>) -> io::Result<()> {
    let folder = full.parent().unwrap_or(Path::new("."));
    let fresh = if executable { 0o777 } else { 0o666 };
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).suffix(".tmp").permissions(Permissions::from_mode(fresh));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(content)?;
    if let Some(mode) =
        there.filter(|metadata| metadata.is_file()).map(|metadata| metadata.permissions().mode())
    {
        // Who may read it may execute it; otherwise a file keeps the permissions it has.
        let mode = if executable { mode | ((mode & 0o444) >> 2) | 0o100 } else { mode & !0o111 };
        temporary.as_file().set_permissions(Permissions::from_mode(mode & 0o777))?;
    }
    temporary.persist(full).map_err(|failed| failed.error).map(drop)
}

fn write_link(full: &Path, target: &[u8]) -> io::Result<()> {
    let folder = full.parent().unwrap_or(Path::new("."));
    let target = OsStr::from_bytes(target);
    let mut builder = tempfile::Builder::new();
    let temporary = builder.prefix(TEMPORARY).suffix(".tmp").make_in(folder, |path| symlink(target, path))?;
    temporary.persist(full).map_err(|failed| failed.error).map(drop)
}
