//! Copying files into a fresh checkout: never through a link, never over anything.

use std::collections::BTreeSet;
use std::fs::{File, FileTimes, Permissions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Copied, CopiedFile};
use windlass_host::file::{AtPath as _, FileError, Made};
use windlass_host::tree::{Attributes, TreePath, at};

/// What the name of a file begins with that is being written.
const UNFINISHED: &str = ".windlass-";

/// Copies these files and links, relative to both tops.
pub(super) fn copy(source: &Path, target: &Path, files: &[PathBuf]) -> Result<Copied, FileError> {
    let (source, target) = (at(source), at(target));
    let mut copying = Copying { source, target, folders: BTreeSet::new(), copied: Copied::default() };
    for path in files {
        copying.one(path)?;
    }
    Ok(copying.copied)
}

/// What a file is known by: its size and the time of its last change; `None` for what is neither a file nor a link.
pub(super) fn standing(path: &TreePath) -> Option<(u64, i128)> {
    let now = path.look().ok()??;
    if now.is_link() {
        return Some((now.size, 0));
    }
    let (seconds, nanoseconds) = now.modified;
    let modified = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    now.is_regular().then_some((now.size, modified))
}

struct Copying {
    source: TreePath,
    target: TreePath,
    /// Folders of the target that are known to be folders and no links.
    folders: BTreeSet<PathBuf>,
    copied: Copied,
}

impl Copying {
    fn one(&mut self, path: &Path) -> Result<(), FileError> {
        let (from, to) = (self.source.join(path), self.target.join(path));
        if matches!(to.look(), Ok(Some(_))) {
            // What git checked out, or an earlier call copied, is the one that counts.
            return Ok(());
        }
        let Some(found) = from.look().map_err(|error| from.failed("read", error))? else { return Ok(()) };
        if !self.make_folders(path.parent().unwrap_or(Path::new("")))? {
            let why = "is not copied: in the new checkout something else is in the place of its folder";
            self.copied.left_out.push(format!("{} {why}", path.display()));
            return Ok(());
        }
        let size = if found.is_link() { copy_link(&from, &to)? } else { copy_file(&from, &to)? };
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
            match path.look() {
                Ok(Some(found)) if found.is_folder() => {}
                Ok(Some(_)) => return Ok(false),
                Ok(None) | Err(_) => self.make_folder(one, &path)?,
            }
            self.folders.insert(one.to_owned());
        }
        Ok(true)
    }

    fn make_folder(&self, one: &Path, path: &TreePath) -> Result<(), FileError> {
        path.make_folder()?;
        let mode = self.source.join(one).look().ok().flatten().map_or(0o755, |found| found.mode & 0o777);
        path.set_permissions(mode | 0o700)
    }
}

/// A file of which nothing is shared with the original: later writes reach one of them. Whole, or not there. `None` where
/// there is nothing to copy any more.
fn copy_file(from: &TreePath, to: &TreePath) -> Result<Option<u64>, FileError> {
    // Neither a link that took its place, nor a pipe that nobody writes to.
    let Some(original) = gone_is_none(from.open_itself()).map_err(|error| from.failed("read", error))? else {
        return Ok(None);
    };
    let found = Attributes::of(&original).map_err(|error| from.failed("read", error))?;
    let (prepared, mut copy) = to.begin(UNFINISHED)?;
    let shown = to.shown();
    if rustix::fs::ioctl_ficlone(&copy, &original).is_err() {
        // One that grows while it is copied is not copied for ever.
        io::copy(&mut (&original).take(found.size), &mut copy).at("write", &shown)?;
    }
    keep_nature(&copy, &found).at("write", &shown)?;
    let size = Attributes::of(&copy).at("write", &shown)?.size;
    Ok((prepared.put_where_nothing_is()? == Made::Anew).then_some(size))
}

/// Permissions, and the time of the last change: caches go by it.
fn keep_nature(copy: &File, original: &Attributes) -> io::Result<()> {
    copy.set_permissions(Permissions::from_mode(original.mode & 0o777))?;
    copy.set_times(FileTimes::new().set_modified(original.modified_at()))
}

fn copy_link(from: &TreePath, to: &TreePath) -> Result<Option<u64>, FileError> {
    let target = gone_is_none(from.link_target()).map_err(|error| from.failed("read", error))?;
    let Some(target) = target else { return Ok(None) };
    to.make_link(&target)?;
    Ok(Some(target.as_os_str().as_bytes().len() as u64))
}

fn gone_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
