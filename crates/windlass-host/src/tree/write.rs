//! Writing: whole files or nothing, and never through a link that leads out.

use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Uid, chownat, ioctl_ficlone, linkat, mkdirat,
    renameat, renameat_with, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::open::{as_error, open_at};
use super::path::plain;
use super::{Attributes, Kind, TreePath};
use crate::file::{FileError, Made, is_half_written};

impl TreePath {
    /// Replaces a file's content in one step, on the disk before it has its name. What is there under this name is replaced, be
    /// it a link; see [`TreePath::resolved`].
    pub fn replace(&self, bytes: &[u8], permissions: u32) -> Result<(), FileError> {
        self.prepare(bytes, permissions)?.put_in_place()
    }

    /// Writes a file that must not replace another one: all of it or nothing, on the disk before it has its name.
    pub fn create_new(&self, bytes: &[u8], permissions: u32) -> Result<Made, FileError> {
        // Looked at first, so that a folder that cannot be written is not trouble where nothing has to be written.
        if matches!(self.look(), Ok(Some(_))) {
            return Ok(Made::WasThere);
        }
        self.prepare(bytes, permissions)?.put_where_nothing_is()
    }

    /// Writes a file's new content beside it, on the disk.
    pub(crate) fn prepare(&self, bytes: &[u8], permissions: u32) -> Result<Prepared, FileError> {
        self.write_beside(USUAL, 0o600, |file| {
            file.write_all(bytes)?;
            file.set_permissions(Permissions::from_mode(permissions))?;
            file.sync_data()
        })
    }

    /// Begins a file's content beside it, under a name that begins with `prefix`: whoever asked for it writes and syncs it.
    pub fn begin(&self, prefix: &str) -> Result<(Prepared, File), FileError> {
        self.begin_with(prefix, 0o600)
    }

    fn begin_with(&self, prefix: &str, permissions: u32) -> Result<(Prepared, File), FileError> {
        let begin = || {
            let (folder, _) = self.named_place().map_err(as_error)?;
            let (temporary, file) = temporary_in(&folder, prefix, permissions)?;
            Ok((Prepared { path: self.clone(), folder, temporary: Some(temporary) }, file))
        };
        begin().map_err(|error| self.failed("write", error))
    }

    fn write_beside(
        &self,
        prefix: &str,
        permissions: u32,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<Prepared, FileError> {
        let (prepared, mut file) = self.begin_with(prefix, permissions)?;
        write(&mut file).map_err(|error| self.failed("write", error))?;
        Ok(prepared)
    }

    /// The same with the permissions of the file that is replaced, whose owner it keeps where that is possible.
    pub fn prepare_like(&self, bytes: &[u8]) -> Result<Prepared, FileError> {
        let found = self.look().map_err(|error| self.failed("look at", error))?;
        let found = found.ok_or_else(|| self.failed("look at", io::ErrorKind::NotFound.into()))?;
        let prepared = self.prepare(bytes, found.mode)?;
        // Root may change somebody else's file, which stays theirs; nobody else can, and need not.
        let _ = prepared.give_to(found.owner, found.group);
        Ok(prepared)
    }

    /// Gives a copy of a file this name, when it is complete; shares the blocks where the file system can.
    pub fn copy_from(&self, mut source: &File, permissions: u32) -> Result<(), FileError> {
        let prepared = self.write_beside(USUAL, 0o600, |file| {
            if ioctl_ficlone(&*file, source).is_err() {
                io::copy(&mut source, file)?;
            }
            file.set_permissions(Permissions::from_mode(permissions))
        });
        prepared?.put_in_place()
    }

    /// Replaces a file by way of a name that begins with `prefix`. Without `permissions` it has those that the user's mask leaves
    /// of `fresh`. It is not known to be on the disk.
    pub fn write_by_way_of(
        &self,
        prefix: &str,
        bytes: &[u8],
        permissions: Option<u32>,
        fresh: u32,
    ) -> Result<(), FileError> {
        let prepared = self.write_beside(prefix, fresh, |file| {
            file.write_all(bytes)?;
            permissions.map_or(Ok(()), |mode| file.set_permissions(Permissions::from_mode(mode)))
        });
        prepared?.put_in_place()
    }

    /// Replaces what is there by a link, by way of a name that begins with `prefix`.
    pub fn link_by_way_of(&self, prefix: &str, target: &Path) -> Result<(), FileError> {
        let failed = |error: io::Error| self.failed("write", error);
        let (folder, _) = self.named_place().map_err(|errno| failed(as_error(errno)))?;
        let make = |name: &str| symlinkat(target, &folder, name);
        let (temporary, ()) = under_a_free_name(prefix, make).map_err(failed)?;
        Prepared { path: self.clone(), folder, temporary: Some(temporary) }.put_in_place()
    }

    /// Opens a regular file at whose end is written; it is made where there is none. No link is followed, and a file that has
    /// a further name somewhere is refused.
    pub fn append_to(&self, permissions: u32) -> Result<File, FileError> {
        self.open_for_writing("write", OFlags::CREATE | OFlags::APPEND, permissions)
    }

    /// Makes a new file, at whose end is written; fails where something is there.
    pub fn make_file(&self, permissions: u32) -> Result<File, FileError> {
        self.open_for_writing("create", OFlags::CREATE | OFlags::EXCL | OFlags::APPEND, permissions)
    }

    fn open_for_writing(
        &self,
        action: &'static str,
        flags: OFlags,
        permissions: u32,
    ) -> Result<File, FileError> {
        let open = || {
            let (folder, name) = self.named_place().map_err(as_error)?;
            let flags = flags | OFlags::WRONLY | OFlags::NOFOLLOW;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let opened = open_at(&folder, Path::new(name), flags, Mode::from_raw_mode(permissions), resolve);
            let file = plain(File::from(opened.map_err(as_error)?))?;
            if std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 1 {
                return Err(io::Error::other("it has another name elsewhere"));
            }
            Ok(file)
        };
        open().map_err(|error| self.failed(action, error))
    }

    /// Makes a folder that may be there; those above it must exist.
    ///
    /// # Errors
    /// It cannot be made, or something else is in its place.
    pub fn make_folder(&self) -> Result<Made, FileError> {
        self.make_folder_with(0o777)
    }

    /// The same with these permissions, as far as the user's mask lets it have them.
    pub fn make_folder_with(&self, permissions: u32) -> Result<Made, FileError> {
        let make = || {
            let (folder, name) = self.named_place()?;
            mkdirat(folder, Path::new(name), Mode::from_raw_mode(permissions))
        };
        match make() {
            Ok(()) => Ok(Made::Anew),
            Err(_) if self.holds_folder() => Ok(Made::WasThere),
            Err(errno) => Err(self.failed("create", as_error(errno))),
        }
    }

    /// Makes a folder and those above it.
    pub fn make_folders(&self) -> Result<(), FileError> {
        self.make_folders_with(0o777)
    }

    /// Makes a folder and those above it, all of them with these permissions, as far as the user's mask lets them.
    pub fn make_folders_with(&self, permissions: u32) -> Result<(), FileError> {
        if self.below().as_os_str().is_empty() || self.holds_folder() {
            return Ok(());
        }
        if let Some(parent) = self.parent() {
            parent.make_folders_with(permissions)?;
        }
        self.make_folder_with(permissions).map(drop)
    }

    /// Makes a folder in this one, under a name that nothing has and that begins with `prefix`; only its owner may enter.
    pub fn make_free_folder(&self, prefix: &str) -> Result<TreePath, FileError> {
        let make = || {
            let folder = self.open_as(OFlags::PATH | OFlags::DIRECTORY).map_err(as_error)?;
            under_a_free_name(prefix, |name| mkdirat(&folder, name, Mode::from_raw_mode(0o700)))
        };
        let (name, ()) = make().map_err(|error| self.failed("create a folder in", error))?;
        Ok(self.join(name))
    }

    /// Gives a file a further name, which nothing has.
    pub fn give_name(&self, further: &TreePath) -> Result<(), FileError> {
        let give = || {
            let ((from_folder, from), (to_folder, to)) = (self.named_place()?, further.named_place()?);
            linkat(from_folder, Path::new(from), to_folder, Path::new(to), AtFlags::empty())
        };
        give().map_err(|errno| further.failed("create", as_error(errno)))
    }

    /// Is there room for a little more in this folder? When there is none, programs do not always say so.
    ///
    /// # Errors
    /// There is none. That nothing can be written for another reason is not an error.
    pub fn has_room(&self) -> Result<(), FileError> {
        const LITTLE: usize = 64 * 1024;
        match self.join("room").prepare(&vec![1; LITTLE], 0o600) {
            Err(error) if error.is_disk_full() => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes a link that says this.
    pub fn make_link(&self, target: &Path) -> Result<(), FileError> {
        let make = || {
            let (folder, name) = self.named_place()?;
            symlinkat(target, folder, Path::new(name))
        };
        make().map_err(|errno| self.failed("write", as_error(errno)))
    }

    /// Removes a file or a link, never what it leads to.
    pub fn remove_file(&self) -> Result<(), FileError> {
        self.unlink(AtFlags::empty()).map_err(|errno| self.failed("remove", as_error(errno)))
    }

    /// Removes an empty folder.
    pub fn remove_empty_folder(&self) -> Result<(), FileError> {
        self.unlink(AtFlags::REMOVEDIR).map_err(|errno| self.failed("remove", as_error(errno)))
    }

    fn unlink(&self, flags: AtFlags) -> Result<(), Errno> {
        let (folder, name) = self.named_place()?;
        unlinkat(folder, Path::new(name), flags)
    }

    /// Removes what was on its way into a file of this folder when its writer was killed: ours by its name, and nobody's work.
    /// What cannot be removed stays.
    pub fn remove_half_written(&self) {
        for entry in self.entries().unwrap_or_default() {
            if entry.kind == Kind::File && entry.name.to_str().is_some_and(is_half_written) {
                let _ = self.join(&entry.name).remove_file();
            }
        }
    }

    /// Removes a folder that holds nothing but empty folders; fails at the first thing in it.
    pub fn remove_empty_folders(&self) -> Result<(), FileError> {
        if !self.is_real_folder() {
            return self.remove_empty_folder();
        }
        for entry in self.entries()?.into_iter().filter(|entry| entry.kind == Kind::Folder) {
            self.join(&entry.name).remove_empty_folders()?;
        }
        self.remove_empty_folder()
    }

    /// Removes a folder with all that is in it, folders that may not be written to included. What links lead to stays; a
    /// folder that is gone already is not trouble.
    pub fn remove_folder(&self) -> Result<(), FileError> {
        match self.look().map_err(|error| self.failed("delete", error))? {
            None => return Ok(()),
            Some(found) if !found.is_folder() => return self.remove_file(),
            Some(found) if found.mode & 0o700 != 0o700 => self.set_permissions(0o700)?,
            Some(_) => {}
        }
        for entry in self.entries()? {
            let inner = self.join(&entry.name);
            if entry.kind == Kind::Folder { inner.remove_folder()? } else { inner.remove_file()? }
        }
        self.remove_empty_folder()
    }

    /// Sets the permissions of a file or folder, never of what a link leads to.
    pub fn set_permissions(&self, permissions: u32) -> Result<(), FileError> {
        let set = || {
            let found = self.open_as(OFlags::PATH | OFlags::NOFOLLOW).map_err(as_error)?;
            // An open path has no other way to be changed; it is ours, and no guest's.
            let this = format!("/proc/self/fd/{}", found.as_raw_fd());
            std::fs::set_permissions(this, Permissions::from_mode(permissions))
        };
        set().map_err(|error| self.failed("change", error))
    }

    /// Gives a file or folder another name, in place of what has it.
    pub fn rename_to(&self, to: &TreePath) -> Result<(), FileError> {
        let rename = || {
            let ((from_folder, from), (to_folder, to)) = (self.named_place()?, to.named_place()?);
            renameat(from_folder, Path::new(from), to_folder, Path::new(to))
        };
        rename().map_err(|errno| self.failed("rename", as_error(errno)))
    }

    /// Gives a file or folder another name that nothing has.
    pub fn rename_to_free(&self, to: &TreePath) -> Result<(), FileError> {
        self.rename_as(to, RenameFlags::NOREPLACE)
    }

    /// Each gets the other's name.
    pub fn exchange_with(&self, other: &TreePath) -> Result<(), FileError> {
        self.rename_as(other, RenameFlags::EXCHANGE)
    }

    fn rename_as(&self, to: &TreePath, flags: RenameFlags) -> Result<(), FileError> {
        let rename = || {
            let ((from_folder, from), (to_folder, to)) = (self.named_place()?, to.named_place()?);
            renameat_with(from_folder, Path::new(from), to_folder, Path::new(to), flags)
        };
        rename().map_err(|errno| self.failed("rename", as_error(errno)))
    }

    /// What the user's mask allows others with a new file in this folder, found as a program without `unsafe` can.
    pub fn permissions_of_new_files(&self) -> Result<u32, FileError> {
        let failed = |error: io::Error| self.failed("write in", error);
        let folder =
            self.open_as(OFlags::PATH | OFlags::DIRECTORY).map_err(|errno| failed(as_error(errno)))?;
        let (name, file) = temporary_in(&folder, USUAL, 0o666).map_err(failed)?;
        let found = Attributes::of(&file).map_err(failed)?;
        let _ = unlinkat(&folder, name, AtFlags::empty());
        Ok(found.mode & 0o666)
    }

    /// Makes the names in a folder survive a power failure.
    pub fn sync_folder(&self) -> Result<(), FileError> {
        let sync = || self.open_folder()?.sync();
        sync().map_err(|error| self.failed("sync", error))
    }
}

/// A file's new content, on the disk beside it; gone with the value where it was not put in place.
#[derive(Debug)]
pub struct Prepared {
    path: TreePath,
    folder: OwnedFd,
    temporary: Option<String>,
}

impl Prepared {
    fn give_to(&self, owner: u32, group: u32) -> Result<(), Errno> {
        let (owner, group) = (Uid::from_raw(owner), Gid::from_raw(group));
        let Some(temporary) = self.temporary.as_deref() else { return Ok(()) };
        chownat(&self.folder, temporary, Some(owner), Some(group), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Gives it its name.
    pub fn put_in_place(mut self) -> Result<(), FileError> {
        self.rename(RenameFlags::empty()).map_err(|errno| self.path.failed("write", as_error(errno)))
    }

    /// Where it is until it has its name.
    pub fn unfinished(&self) -> Option<TreePath> {
        Some(self.path.parent()?.join(self.temporary.as_deref()?))
    }

    /// Gives it its name, unless something has it.
    pub fn put_where_nothing_is(mut self) -> Result<Made, FileError> {
        match self.rename(RenameFlags::NOREPLACE) {
            Ok(()) => Ok(Made::Anew),
            Err(Errno::EXIST) => Ok(Made::WasThere),
            Err(errno) => Err(self.path.failed("write", as_error(errno))),
        }
    }

    fn rename(&mut self, flags: RenameFlags) -> Result<(), Errno> {
        let (Some(temporary), Some(name)) = (self.temporary.as_deref(), self.path.name()) else {
            return Err(Errno::NOENT);
        };
        renameat_with(&self.folder, temporary, &self.folder, Path::new(name), flags)?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = unlinkat(&self.folder, temporary.as_str(), AtFlags::empty());
        }
    }
}

/// What the names of files begin with that are being written.
const USUAL: &str = ".windlass-";

/// A new file in a folder, whose name says that it is half written.
fn temporary_in(folder: &OwnedFd, prefix: &str, mode: u32) -> io::Result<(String, File)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let make = |name: &str| {
        open_at(folder, Path::new(name), flags, Mode::from_raw_mode(mode), ResolveFlags::BENEATH)
    };
    under_a_free_name(prefix, make).map(|(name, file)| (name, File::from(file)))
}

fn under_a_free_name<T>(prefix: &str, make: impl Fn(&str) -> Result<T, Errno>) -> io::Result<(String, T)> {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    for _ in 0..64 {
        let mut random = [0; 6];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let letter =
            |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied().map_or('a', char::from);
        let name = format!("{prefix}{}.tmp", random.iter().map(letter).collect::<String>());
        match make(&name) {
            Ok(opened) => return Ok((name, opened)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(as_error(errno)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
