//! Writing and removing files, never outside the working tree.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::{LeftAlone, RestorePlan, Restored, WhyLeft};
use crate::inventory::{EntryKind, OF_OTHERS, as_path};
use crate::snapshot::keep::KeptFile;
use crate::snapshot::{SnapshotError, Store};
use windlass_host::file::FileError;
use windlass_host::tree::{Attributes, TreePath, at};

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
    let place = at(root);
    if !leads_inside(&place, path) {
        return Err(WhyLeft::InTheWay);
    }
    let full = place.join(path);
    match where_one_may_write(&full, || full.remove_file()) {
        Err(error) if !error.is_not_found() => return Err(failed(&error)),
        _ => {}
    }
    remove_emptied(root, path);
    Ok(())
}

/// Removes the folders above a file that is gone, as far as they are empty.
pub fn remove_emptied(root: &Path, path: &Path) {
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    for folder in above {
        // One that is not empty stays, and so do all above it.
        if at(root).join(folder).remove_empty_folder().is_err() {
            break;
        }
    }
}

/// Are all folders above the path real ones?
fn leads_inside(root: &TreePath, path: &Path) -> bool {
    path.parent().is_some_and(|folder| root.join(folder).open_real_folder().is_ok())
}

fn failed(error: &FileError) -> WhyLeft {
    WhyLeft::Failed(error.source.to_string())
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
        match write_file(plan, file, &content) {
            Ok(()) => restored.written.push(file.path.clone()),
            Err(why) => restored.left_alone.push(LeftAlone { path: file.path.clone(), why }),
        }
    }
    Ok(())
}

/// What others may do with what is made anew at a path, as far as the system lets them.
fn others_at(plan: &RestorePlan, path: &[u8]) -> u32 {
    if plan.private.contains(path) { 0 } else { OF_OTHERS }
}

fn write_file(plan: &RestorePlan, file: &KeptFile, content: &[u8]) -> Result<(), WhyLeft> {
    let path = as_path(&file.path);
    let root = at(&plan.place.root);
    make_folders(&root, path, |folder| others_at(plan, folder))?;
    let full = root.join(path);
    let there = match full.look() {
        Ok(Some(found)) if found.is_folder() => {
            // Empty folders hold nothing.
            full.remove_empty_folders().map_err(|_| WhyLeft::InTheWay)?;
            None
        }
        found => found.ok().flatten(),
    };
    if file.kind == EntryKind::Symlink {
        where_one_may_write(&full, || write_link(&full, content)).map_err(|error| failed(&error))
    } else {
        let access = (file.kind, others_at(plan, &file.path));
        where_one_may_write(&full, || write_plain(&full, content, access, there.as_ref()))
            .map_err(|error| failed(&error))
    }
}

/// Does this with a file or a folder. Where the owner of the folder that it is in may not write there (an agent did that, or a person
/// before), they may for as long as it takes.
fn where_one_may_write<T>(path: &TreePath, act: impl Fn() -> Result<T, FileError>) -> Result<T, FileError> {
    let refused = match act() {
        Err(error) if error.source.kind() == ErrorKind::PermissionDenied => error,
        done => return done,
    };
    let Some(folder) = path.parent() else { return Err(refused) };
    let Ok(Some(found)) = folder.look() else { return Err(refused) };
    if folder.set_permissions(found.mode | 0o700).is_err() {
        return Err(refused);
    }
    let done = act();
    // It was so before: where it cannot be made so again, nothing is lost.
    let _ = folder.set_permissions(found.mode);
    done
}

/// Creates the folders above a path; refuses to go through anything but real folders. `others`: what others may do with one that is
/// made, by its path.
fn make_folders(root: &TreePath, path: &Path, others: impl Fn(&[u8]) -> u32) -> Result<(), WhyLeft> {
    let mut way = PathBuf::new();
    let parts = path.parent().into_iter().flat_map(Path::components);
    for part in parts {
        let Component::Normal(name) = part else {
            return Err(WhyLeft::InTheWay);
        };
        way.push(name);
        let folder = root.join(&way);
        match folder.look() {
            Ok(Some(found)) if found.is_folder() => {}
            Ok(Some(_)) => return Err(WhyLeft::InTheWay),
            _ => {
                let permissions = 0o700 | others(way.as_os_str().as_bytes());
                where_one_may_write(&folder, || folder.make_folder_with(permissions))
                    .map_err(|error| failed(&error))?;
            }
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

fn write_plain(
    full: &TreePath,
    content: &[u8],
    (kind, others): (EntryKind, u32),
    there: Option<&Attributes>,
) -> Result<(), FileError> {
    let executable = kind == EntryKind::Executable;
    let mode = there.filter(|found| found.is_regular()).map(|found| found.mode).map(|mode| {
        // Who may read it may execute it; otherwise a file keeps the permissions it has.
        (if executable { mode | ((mode & 0o444) >> 2) | 0o100 } else { mode & !0o111 }) & (0o700 | others)
    });
    let anew = (if executable { 0o777 } else { 0o666 }) & (0o700 | others);
    full.write_by_way_of(TEMPORARY, content, mode, anew)
}

fn write_link(full: &TreePath, target: &[u8]) -> Result<(), FileError> {
    full.link_by_way_of(TEMPORARY, as_path(target))
}
