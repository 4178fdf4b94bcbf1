//! An open folder: many files of it are looked at without a way from the root for each.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, fstat, readlinkat, statat,
};

use super::open::{as_error, open_at};
use super::path::{absent_is_none, plain};
use super::{Attributes, Kind};

/// A folder of a tree that guests can write, open. Names are single ones; links are not followed.
#[derive(Debug)]
pub struct Folder(OwnedFd);

/// Bytes of names that are read at once.
const READ_AT_ONCE: usize = 32 << 10;

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its name.
    pub name: OsString,
    /// What it is.
    pub kind: Kind,
}

impl Folder {
    pub(super) fn new(folder: OwnedFd) -> Folder {
        Folder(folder)
    }

    /// What it is itself.
    pub fn attributes(&self) -> io::Result<Attributes> {
        Ok(Attributes::from(fstat(&self.0)?))
    }

    /// What is there under a name; `None` where nothing is.
    pub fn look(&self, name: &OsStr) -> io::Result<Option<Attributes>> {
        let found = statat(&self.0, Path::new(name), AtFlags::SYMLINK_NOFOLLOW);
        absent_is_none(found.map(Attributes::from))
    }

    /// Opens a regular file.
    pub fn open(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let opened = open_at(&self.0, Path::new(name), flags, Mode::empty(), resolve);
        plain(File::from(opened.map_err(as_error)?))
    }

    /// The bytes of a regular file; `None` where it is longer than `longest` bytes.
    pub fn read(&self, name: &OsStr, longest: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
        self.open(name)?.take(most).read_to_end(&mut bytes)?;
        Ok((bytes.len() <= longest).then_some(bytes))
    }

    /// Opens a folder in it.
    pub fn enter(&self, name: &OsStr) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let opened = open_at(&self.0, Path::new(name), flags, Mode::empty(), resolve);
        Ok(Folder(opened.map_err(as_error)?))
    }

    /// What a link says.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = readlinkat(&self.0, Path::new(name), Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Makes its names survive a power failure.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// What is in it, in no order.
    pub fn entries(&self) -> io::Result<Vec<TreeEntry>> {
        let mut entries = Vec::new();
        rustix::fs::seek(&self.0, SeekFrom::Start(0))?;
        let mut room = Vec::with_capacity(READ_AT_ONCE);
        let mut found = RawDir::new(&self.0, room.spare_capacity_mut());
        while let Some(entry) = found.next() {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match self.look(name)? {
                    Some(found) => found.kind,
                    None => continue,
                },
                kind => Kind::of(kind),
            };
            entries.push(TreeEntry { name: name.to_owned(), kind });
        }
        Ok(entries)
    }
}
