//! Copying files into a fresh checkout: never through a link, never over anything.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{Copied, CopiedFile};
use crate::file::{AtPath as _, FileError};

/// Copies these files and links, relative to both tops.
pub(super) fn copy(source: &Path, target: &Path, files: &[PathBuf]) -> Result<Copied, FileError> {
    let mut copying = Copying { source, target, folders: BTreeSet::new(), copied: Copied::default() };
    for path in files {
        copying.one(path)?;
    }
    Ok(copying.copied)
}

/// What a file is known by: its size and the time of its last change; `None` for what is neither a file nor a link.
pub(super) fn standing(path: &Path) -> Option<(u64, i128)> {
    let now = path.symlink_metadata().ok()?;
    if now.is_symlink() {
        return Some((now.len(), 0));
    }
    now.is_file().then(|| (now.len(), modified(&now)))
}

fn modified(metadata: &fs::Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

struct Copying<'a> {
    source: &'a Path,
    target: &'a Path,
    /// Folders of the target that are known to be folders and no links.
    folders: BTreeSet<PathBuf>,
    copied: Copied,
}

impl Copying<'_> {
    fn one(&mut self, path: &Path) -> Result<(), FileError> {
        let (from, to) = (self.source.join(path), self.target.join(path));
        if to.symlink_metadata().is_ok() {
            // What git checked out, or an earlier call copied, is the one that counts.
            return Ok(());
        }
        let Some(kind) = gone_is_none(from.symlink_metadata()).at("read", &from)? else { return Ok(()) };
        if !self.make_folders(path.parent().unwrap_or(Path::new("")))? {
            let why = "is not copied: in the new checkout something else is in the place of its folder";
            self.copied.left_out.push(format!("{} {why}", path.display()));
            return Ok(());
        }
        let size = if kind.is_symlink() { copy_link(&from, &to)? } else { copy_file(&from, &to)? };
        if let (Some(size), Some((_, modified))) = (size, standing(&to)) {
            self.copied.bytes += size;
            self.copied.files.push(CopiedFile { path: path.to_owned(), size, modified });
        }
        Ok(())
    }

    /// Makes a folder of the target, and those above it; false where something else is in the place of one.
    fn make_folders(&mut self, folder: &Path) -> Result<bool, FileError> {
        let mut above: Vec<&Path> = folder.ancestors().filter(|one| !one.as_os_str().is_empty()).collect();
        above.reverse();
        for one in above {
            if self.folders.contains(one) {
                continue;
            }
            let path = self.target.join(one);
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Ok(false),
                Err(_) => self.make_folder(one, &path)?,
            }
            self.folders.insert(one.to_owned());
        }
        Ok(true)
    }

    fn make_folder(&self, one: &Path, path: &Path) -> Result<(), FileError> {
        fs::create_dir(path).at("create", path)?;
        let from = self.source.join(one);
        let mode = from.symlink_metadata().map_or(0o755, |metadata| metadata.mode() & 0o777);
        fs::set_permissions(path, Permissions::from_mode(mode | 0o700)).at("create", path)
    }
}

/// A file of which nothing is shared with the original: later writes reach one of them. Whole, or not there. `None` where
/// there is nothing to copy any more.
fn copy_file(from: &Path, to: &Path) -> Result<Option<u64>, FileError> {
    // Neither a link that took its place, nor a pipe that nobody writes to.
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(from);
    let Some(original) = gone_is_none(opened).at("read", from)? else { return Ok(None) };
    let metadata = original.metadata().at("read", from)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let folder = to.parent().unwrap_or(Path::new("."));
    let builder = tempfile::Builder::new().prefix(".windlass-").suffix(".tmp").tempfile_in(folder);
    let mut copy = builder.at("write in", folder)?;
    if rustix::fs::ioctl_ficlone(copy.as_file(), &original).is_err() {
        // One that grows while it is copied is not copied for ever.
        io::copy(&mut (&original).take(metadata.len()), copy.as_file_mut()).at("write", to)?;
    }
    keep_nature(copy.as_file(), &metadata).at("write", to)?;
    let size = copy.as_file().metadata().at("write", to)?.len();
    match copy.persist_noclobber(to) {
        Ok(_) => Ok(Some(size)),
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(failed) => Err(failed.error).at("write", to),
    }
}

/// Permissions, and the time of the last change: caches go by it.
fn keep_nature(copy: &File, original: &fs::Metadata) -> io::Result<()> {
    copy.set_permissions(Permissions::from_mode(original.mode() & 0o777))?;
    copy.set_times(FileTimes::new().set_modified(original.modified()?))
}

fn copy_link(from: &Path, to: &Path) -> Result<Option<u64>, FileError> {
    let Some(target) = gone_is_none(fs::read_link(from)).at("read", from)? else { return Ok(None) };
    std::os::unix::fs::symlink(&target, to).at("write", to)?;
    Ok(Some(target.as_os_str().as_bytes().len() as u64))
}

fn gone_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
