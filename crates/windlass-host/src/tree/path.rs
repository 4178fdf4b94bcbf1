//! Paths in a tree that guests can write.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, Mode, OFlags, ResolveFlags, accessat, fstat, readlinkat, statat};
use rustix::io::Errno;

use super::open::{as_error, no_file, open_at};
use super::root::{Root, folder_for_look, forget_folders};
use super::{Attributes, Folder, TreeEntry, at};
use super::{links, read};
use crate::file::FileError;

/// A path in a tree that guests can write. It is not a path of the system: what is done with it is done here, beneath its root.
#[derive(Clone)]
pub struct TreePath {
    root: Arc<Root>,
    below: PathBuf,
}

impl TreePath {
    pub(super) fn new(root: Arc<Root>, below: PathBuf) -> TreePath {
        TreePath { root, below }
    }

    /// The path with something below it. What is absolute, or goes up, is looked for anew.
    pub fn join(&self, name: impl AsRef<Path>) -> TreePath {
        let name = name.as_ref();
        let plain = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain {
            return at(&self.shown().join(name));
        }
        TreePath { root: Arc::clone(&self.root), below: self.below.join(name) }
    }

    /// The folder above it; `None` for the root itself.
    pub fn parent(&self) -> Option<TreePath> {
        let below = self.below.parent()?.to_owned();
        Some(TreePath { root: Arc::clone(&self.root), below })
    }

    /// Its last part.
    pub fn name(&self) -> Option<&OsStr> {
        self.below.file_name()
    }

    /// As people and errors name it: absolute. For messages and for command lines, never for `std::fs`.
    pub fn shown(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() {
            self.root.path.clone()
        } else {
            self.root.path.join(&self.below)
        }
    }

    /// For messages.
    pub fn display(&self) -> impl fmt::Display {
        self.shown().display().to_string()
    }

    /// What is there, links not followed; `None` where nothing is.
    pub fn look(&self) -> io::Result<Option<Attributes>> {
        absent_is_none(self.attributes())
    }

    fn attributes(&self) -> Result<Attributes, Errno> {
        let Some((folder, name)) = self.place_to_look_at()? else {
            return Ok(fstat(self.folder()?)?.into());
        };
        Ok(statat(&*folder, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// What is there at the end of links that stay in the tree; `None` where nothing is.
    pub fn look_through(&self) -> io::Result<Option<Attributes>> {
        match self.open_as(OFlags::PATH) {
            Ok(found) => Ok(Some(fstat(found)?.into())),
            Err(Errno::XDEV) => match self.followed() {
                Some(file) => Ok(Some(fstat(file)?.into())),
                None => Err(as_error(Errno::XDEV)),
            },
            Err(errno) => absent_is_none(Err(errno)),
        }
    }

    /// Is a regular file there, be it at the end of a link?
    pub fn holds_file(&self) -> bool {
        self.look_through().is_ok_and(|found| found.is_some_and(|found| found.is_regular()))
    }

    /// Is a folder there, be it at the end of a link?
    pub fn holds_folder(&self) -> bool {
        self.look_through().is_ok_and(|found| found.is_some_and(|found| found.is_folder()))
    }

    /// Is a folder there, and no link to one?
    pub fn is_real_folder(&self) -> bool {
        self.look().is_ok_and(|found| found.is_some_and(|found| found.is_folder()))
    }

    /// Is anything there, be it a link to nothing?
    pub fn is_taken(&self) -> bool {
        !matches!(self.look(), Ok(None))
    }

    /// Is it a link?
    pub fn is_link(&self) -> bool {
        self.look().is_ok_and(|found| found.is_some_and(|found| found.is_link()))
    }

    /// What a link says.
    pub fn link_target(&self) -> io::Result<PathBuf> {
        let (folder, name) = self.place_to_look_at().map_err(as_error)?.ok_or(Errno::INVAL)?;
        let target = readlinkat(&*folder, name, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Opens a regular file for reading.
    pub fn open(&self) -> io::Result<File> {
        let file = match self.open_as(OFlags::RDONLY) {
            Err(Errno::XDEV) => return self.followed().ok_or_else(|| as_error(Errno::XDEV)),
            opened => File::from(opened.map_err(as_error)?),
        };
        plain(file)
    }

    /// Opens a regular file that is not a link.
    pub fn open_itself(&self) -> io::Result<File> {
        plain(File::from(self.open_as(OFlags::RDONLY | OFlags::NOFOLLOW).map_err(as_error)?))
    }

    /// Opens a folder, through links that stay in the tree.
    pub fn open_folder(&self) -> io::Result<Folder> {
        let folder = self.open_as(OFlags::RDONLY | OFlags::DIRECTORY).map_err(as_error)?;
        Ok(Folder::new(folder))
    }

    /// Opens a folder that no link leads to on the way from the root, but for one that a person had there.
    pub fn open_real_folder(&self) -> io::Result<Folder> {
        let resolve = self.root.resolve | ResolveFlags::NO_SYMLINKS;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let folder = open_at(self.folder().map_err(as_error)?, &self.below, flags, Mode::empty(), resolve);
        let folder = match folder {
            Err(errno @ (Errno::LOOP | Errno::XDEV)) => {
                links::open_below_followed(self, flags, ResolveFlags::NO_SYMLINKS).unwrap_or(Err(errno))
            }
            opened => opened,
        };
        Ok(Folder::new(folder.map_err(as_error)?))
    }

    /// May files be put into this folder, and be removed from it?
    ///
    /// # Errors
    /// They may not.
    pub fn may_be_written(&self) -> io::Result<()> {
        let folder = self.open_as(OFlags::PATH | OFlags::DIRECTORY).map_err(as_error)?;
        let wanted = Access::WRITE_OK | Access::EXEC_OK;
        accessat(&folder, ".", wanted, AtFlags::empty()).map_err(as_error)
    }

    /// What is in a folder, in no order.
    pub fn entries(&self) -> Result<Vec<TreeEntry>, FileError> {
        let read = || self.open_folder()?.entries();
        read().map_err(|source| self.failed("read", source))
    }

    /// The names in a folder, in no order; none where there is no folder.
    pub fn names(&self) -> Result<Vec<OsString>, FileError> {
        match self.entries() {
            Ok(entries) => Ok(entries.into_iter().map(|entry| entry.name).collect()),
            Err(error) if read::is_absent(&error.source) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The path at the end of links, where it stays in the tree.
    pub fn resolved(&self) -> io::Result<TreePath> {
        let found = self.open_as(OFlags::PATH).map_err(as_error)?;
        let real = path_of(&found)?;
        let below = real.strip_prefix(&self.root.path).map_err(|_| as_error(Errno::XDEV))?.to_owned();
        Ok(TreePath { root: Arc::clone(&self.root), below })
    }

    /// The error of something that was to be done here.
    pub fn failed(&self, action: &'static str, source: io::Error) -> FileError {
        FileError { action, path: self.shown(), source }
    }

    pub(super) fn folder(&self) -> Result<&OwnedFd, Errno> {
        self.root.folder.as_ref().map_err(|errno| *errno)
    }

    pub(super) fn root_path(&self) -> &Path {
        &self.root.path
    }

    pub(super) fn below(&self) -> &Path {
        &self.below
    }

    pub(super) fn open_as(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut below = self.below.clone();
        // An absolute link to a place in the tree is one that stays in it.
        for _ in 0..8 {
            match open_at(self.folder()?, &below, flags, Mode::empty(), self.root.resolve) {
                Err(Errno::XDEV) => match links::inner_target(self, &below) {
                    Some(target) if !flags.contains(OFlags::NOFOLLOW) => below = target,
                    _ => {
                        let followed = links::open_below_followed(self, flags, ResolveFlags::empty());
                        return followed.unwrap_or(Err(Errno::XDEV));
                    }
                },
                answer => return answer,
            }
        }
        Err(Errno::LOOP)
    }

    /// The folder of its name, and the name; `None` for the root itself.
    fn above_its_name(&self) -> Option<(TreePath, &OsStr)> {
        let name = self.below.file_name()?;
        Some((self.parent()?, name))
    }

    /// The open folder of its name, and the name: to look at what is there. `None` for the root itself.
    fn place_to_look_at(&self) -> Result<Option<(Arc<OwnedFd>, &OsStr)>, Errno> {
        let Some((above, name)) = self.above_its_name() else { return Ok(None) };
        let open = || above.open_as(OFlags::PATH | OFlags::DIRECTORY);
        Ok(Some((folder_for_look(&above.root, &above.below, open)?, name)))
    }

    /// The open folder of its name, and the name: to change what is there.
    pub(super) fn named_place(&self) -> Result<(OwnedFd, &OsStr), Errno> {
        forget_folders();
        let (above, name) = self.above_its_name().ok_or(Errno::BUSY)?;
        Ok((above.open_as(OFlags::PATH | OFlags::DIRECTORY)?, name))
    }

    fn followed(&self) -> Option<File> {
        plain(links::open_followed(self)?).ok()
    }
}

/// The path of what is open, as the system knows it.
fn path_of(open: &OwnedFd) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd()))
}

pub(super) fn plain(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

pub(super) fn absent_is_none<T>(found: Result<T, Errno>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(as_error(errno)),
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TreePath({:?})", self.shown())
    }
}

impl PartialEq for TreePath {
    fn eq(&self, other: &TreePath) -> bool {
        self.root.path == other.root.path && self.below == other.below
    }
}

impl Eq for TreePath {}
