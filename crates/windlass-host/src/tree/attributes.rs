//! What the file system says of something in a tree.

use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{FileType, Stat};

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Nothing that is opened.
    Other(Special),
}

/// What is neither a file nor a folder nor a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

impl Special {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Special::Pipe => "a pipe",
            Special::Socket => "a socket",
            Special::Device => "a device",
        }
    }
}

impl Kind {
    pub(super) fn of(kind: FileType) -> Kind {
        match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Other(Special::Pipe),
            FileType::Socket => Kind::Other(Special::Socket),
            _ => Kind::Other(Special::Device),
        }
    }
}

/// What the file system says of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// What it is.
    pub kind: Kind,
    /// Bytes of a file; of a link its target's name.
    pub size: u64,
    /// Permissions, with the three bits above them.
    pub mode: u32,
    /// When its content changed: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// When anything of it changed.
    pub changed: (i64, i64),
    /// Which it is on its device.
    pub inode: u64,
    /// On which device.
    pub device: u64,
    /// Whose it is.
    pub owner: u32,
    /// Of which group.
    pub group: u32,
    /// How many names it has.
    pub names: u64,
}

impl Attributes {
    /// Of what is open.
    pub fn of(open: impl AsFd) -> io::Result<Attributes> {
        Ok(rustix::fs::fstat(open)?.into())
    }

    /// When anything of it changed.
    pub fn changed_at(&self) -> SystemTime {
        moment(self.changed)
    }

    /// When its content changed.
    pub fn modified_at(&self) -> SystemTime {
        moment(self.modified)
    }

    /// When its content was written, as far as both say: a change of its rights makes it no younger, nor does a date that was set.
    pub fn written_at(&self) -> SystemTime {
        self.changed_at().min(self.modified_at())
    }

    /// A regular file? (A method of its own name: what `std` says of files is not asked here.)
    pub fn is_regular(&self) -> bool {
        self.kind == Kind::File
    }

    /// A folder?
    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    /// A symbolic link?
    pub fn is_link(&self) -> bool {
        self.kind == Kind::Link
    }
}

fn moment((seconds, nanoseconds): (i64, i64)) -> SystemTime {
    let nanoseconds = u32::try_from(nanoseconds).unwrap_or(0);
    UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds)
}

impl From<&Metadata> for Attributes {
    fn from(found: &Metadata) -> Attributes {
        let kind = found.file_type();
        Attributes {
            kind: match () {
                () if kind.is_file() => Kind::File,
                () if kind.is_dir() => Kind::Folder,
                () if kind.is_symlink() => Kind::Link,
                () if kind.is_fifo() => Kind::Other(Special::Pipe),
                () if kind.is_socket() => Kind::Other(Special::Socket),
                () => Kind::Other(Special::Device),
            },
            size: found.size(),
            mode: found.mode() & 0o7777,
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            inode: found.ino(),
            device: found.dev(),
            owner: found.uid(),
            group: found.gid(),
            names: found.nlink(),
        }
    }
}

impl From<Stat> for Attributes {
    #[expect(clippy::allow_attributes, reason = "the types of these fields differ between machines")]
    #[allow(clippy::useless_conversion, clippy::cast_lossless, clippy::unnecessary_cast)]
    fn from(stat: Stat) -> Attributes {
        Attributes {
            kind: Kind::of(FileType::from_raw_mode(stat.st_mode)),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: (stat.st_mode as u32) & 0o7777,
            modified: (stat.st_mtime as i64, i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            changed: (stat.st_ctime as i64, i64::try_from(stat.st_ctime_nsec).unwrap_or(0)),
            inode: stat.st_ino as u64,
            device: stat.st_dev as u64,
            owner: stat.st_uid,
            group: stat.st_gid,
            names: stat.st_nlink as u64,
        }
    }
}
