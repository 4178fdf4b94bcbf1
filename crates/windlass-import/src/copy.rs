//! Copying a folder: into a temporary one beside its place, which it takes in one step.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use windlass_host::file::{AtPath as _, FileError, sync_folder};

/// Deeper folders than this are not work of a person's.
const DEPTH: usize = 64;

/// What of a folder was not copied: its path within the folder, and why.
pub(super) type NotCopied = Vec<(PathBuf, &'static str)>;

/// Copies a folder with all files in it, bytes and permissions as they are, to a place where nothing may be. Links and
/// what is not a file are not copied ([`look_over`] names them). A crash leaves at most a folder whose name begins with a dot.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<(), FileError> {
    let parent = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).at("create", parent)?;
    let building = tempfile::Builder::new().prefix(".importing-").tempdir_in(parent).at("create", parent)?;
    copy_into(from, building.path(), Path::new(""), &mut Vec::new())?;
    fs::set_permissions(building.path(), permissions_of(from)?).at("change", building.path())?;
    sync_folder(building.path())?;
    rename_anew(building.path(), to)?;
    // It has its name now: there is nothing left to be removed.
    let _ = building.keep();
    sync_folder(parent)
}

/// Copies a file to a place where nothing may be.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), FileError> {
    let parent = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).at("create", parent)?;
    let mut building =
        tempfile::Builder::new().prefix(".importing-").tempfile_in(parent).at("create", parent)?;
    let mut source = File::open(from).at("read", from)?;
    io::copy(&mut source, building.as_file_mut()).at("copy", from)?;
    building.as_file().set_permissions(permissions_of(from)?).at("change", to)?;
    building.as_file().sync_all().at("sync", to)?;
    building.persist_noclobber(to).map_err(|error| error.error).at("create", to)?;
    sync_folder(parent)
}

/// What would not be copied of a folder, of which everything else can be read.
pub(super) fn look_over(from: &Path) -> Result<NotCopied, FileError> {
    let mut not_copied = Vec::new();
    walk(from, Path::new(""), &mut not_copied, &mut |path, kind| match kind {
        Kind::Folder => Ok(()),
        Kind::File => File::open(from.join(path)).map(drop).at("read", &from.join(path)),
    })?;
    Ok(not_copied)
}

fn copy_into(from: &Path, to: &Path, within: &Path, not_copied: &mut NotCopied) -> Result<(), FileError> {
    let mut folders = Vec::new();
    walk(from, within, not_copied, &mut |path, kind| {
        let target = to.join(path);
        match kind {
            Kind::Folder => {
                fs::create_dir(&target).at("create", &target)?;
                folders.push(path.to_owned());
                Ok(())
            }
            Kind::File => {
                let source = from.join(path);
                fs::copy(&source, &target).at("copy", &source)?;
                File::open(&target).and_then(|file| file.sync_all()).at("sync", &target)
            }
        }
    })?;
    // Those above last, so that a folder nobody may write in could be filled.
    for folder in folders.iter().rev() {
        let (source, target) = (from.join(folder), to.join(folder));
        sync_folder(&target)?;
        fs::set_permissions(&target, permissions_of(&source)?).at("change", &target)?;
    }
    Ok(())
}

enum Kind {
    Folder,
    File,
}

fn walk(
    from: &Path,
    within: &Path,
    not_copied: &mut NotCopied,
    visit: &mut dyn FnMut(&Path, &Kind) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let folder = from.join(within);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).at("read", &folder)? {
        names.push(entry.at("read", &folder)?.file_name());
    }
    names.sort_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
    for name in names {
        let path = within.join(name);
        let full = from.join(&path);
        let kind = fs::symlink_metadata(&full).at("read", &full)?.file_type();
        if kind.is_symlink() {
            not_copied.push((path, "it is a link"));
        } else if kind.is_dir() && path.components().count() >= DEPTH {
            not_copied.push((path, "it lies too deep"));
        } else if kind.is_dir() {
            visit(&path, &Kind::Folder)?;
            walk(from, &path, not_copied, visit)?;
        } else if kind.is_file() {
            visit(&path, &Kind::File)?;
        } else {
            not_copied.push((path, "it is neither a file nor a folder"));
        }
    }
    Ok(())
}

fn permissions_of(path: &Path) -> Result<fs::Permissions, FileError> {
    Ok(path.metadata().at("read", path)?.permissions())
}

/// Renames a folder to a name that nothing may have.
fn rename_anew(from: &Path, to: &Path) -> Result<(), FileError> {
    rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, rustix::fs::RenameFlags::NOREPLACE)
        .map_err(io::Error::from)
        .at("create", to)
}
