//! What a folder or an archive holds, to the byte: two of these are compared before anything is removed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::ArchiveError;
use super::limits::{Limits, Tally};
use crate::file::{AtPath, FileError};

/// The permissions that are kept: read, write and execute, for all three.
pub(super) const PERMISSIONS: u32 = 0o777;

/// Bytes that are read at once.
pub(super) const CHUNK: usize = 64 * 1024;

/// One thing that a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Folder {
        mode: u32,
    },
    File {
        mode: u32,
        size: u64,
        digest: [u8; 32],
    },
    /// Never followed. The target as it is written, which a path's equality would not tell apart.
    Link {
        target: OsString,
    },
}

/// Everything in a folder by its path below it; the folder itself is the empty path. Parents come before what is in
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub items: BTreeMap<PathBuf, Item>,
}

impl Contents {
    /// Reads a folder, but for these names in it.
    pub fn of_folder(folder: &Path, without: &[&str], limits: Limits) -> Result<Contents, ArchiveError> {
        let mut items = BTreeMap::new();
        for found in walk(folder, without, limits)? {
            let item = match found.kind {
                FoundKind::Folder => Item::Folder { mode: found.mode },
                FoundKind::Link(target) => Item::Link { target },
                FoundKind::File(_) => {
                    let (size, digest) = digest_of(&folder.join(&found.path))?;
                    Item::File { mode: found.mode, size, digest }
                }
            };
            items.insert(found.path, item);
        }
        Ok(Contents { items })
    }

    /// The first path at which two of them differ.
    pub fn first_difference(&self, other: &Contents) -> Option<PathBuf> {
        let mut paths: Vec<&PathBuf> = self.items.keys().chain(other.items.keys()).collect();
        paths.sort();
        paths.into_iter().find(|path| self.items.get(*path) != other.items.get(*path)).cloned()
    }

    /// What is below a folder of it, as seen from there.
    pub fn below(&self, root: &Path) -> Contents {
        let below = self.items.iter().filter_map(|(path, item)| {
            path.strip_prefix(root).ok().map(|path| (path.to_owned(), item.clone()))
        });
        Contents { items: below.collect() }
    }

    /// Files in it.
    pub fn files(&self) -> u64 {
        self.items.values().filter(|item| matches!(item, Item::File { .. })).count() as u64
    }

    /// Bytes of all files in it.
    pub fn bytes(&self) -> u64 {
        let sizes =
            self.items.values().map(|item| if let Item::File { size, .. } = item { *size } else { 0 });
        sizes.fold(0, u64::saturating_add)
    }
}

/// Something that was found in a folder.
#[derive(Debug)]
pub(super) struct Found {
    pub path: PathBuf,
    pub mode: u32,
    /// Seconds since 1970; nothing is older.
    pub modified: u64,
    pub kind: FoundKind,
}

#[derive(Debug)]
pub(super) enum FoundKind {
    Folder,
    /// Its size in bytes.
    File(u64),
    Link(OsString),
}

/// Everything in a folder, in the order of paths, the folder itself first; links are not followed.
pub(super) fn walk(folder: &Path, without: &[&str], limits: Limits) -> Result<Vec<Found>, ArchiveError> {
    let mut tally = Tally::new(folder, limits);
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(path) = waiting.pop() {
        let whole = below(folder, &path);
        let metadata = fs::symlink_metadata(&whole).at("read", &whole)?;
        tally.entry()?;
        let kind = kind_of(&whole, &metadata)?;
        if let FoundKind::File(size) = kind {
            tally.bytes(size)?;
        }
        if matches!(kind, FoundKind::Folder) {
            waiting.extend(names_in(&whole, &path, without)?);
        }
        let modified = u64::try_from(metadata.mtime()).unwrap_or(0);
        found.push(Found { path, mode: metadata.permissions().mode() & PERMISSIONS, modified, kind });
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

/// A path below a folder; the empty one is the folder itself, without the slash that joining would add.
pub(super) fn below(folder: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { folder.to_owned() } else { folder.join(path) }
}

fn names_in(folder: &Path, below: &Path, without: &[&str]) -> Result<Vec<PathBuf>, FileError> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).at("read", folder)? {
        let name = entry.at("read", folder)?.file_name();
        let left_out = below.as_os_str().is_empty() && without.iter().any(|left_out| name == **left_out);
        if !left_out {
            paths.push(below.join(name));
        }
    }
    Ok(paths)
}

fn kind_of(path: &Path, metadata: &Metadata) -> Result<FoundKind, ArchiveError> {
    let kind = metadata.file_type();
    let what = if kind.is_dir() {
        return Ok(FoundKind::Folder);
    } else if kind.is_file() {
        return Ok(FoundKind::File(metadata.len()));
    } else if kind.is_symlink() {
        return Ok(FoundKind::Link(fs::read_link(path).at("read", path)?.into_os_string()));
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_fifo() {
        "a pipe"
    } else {
        "a device"
    };
    Err(ArchiveError::Unarchivable { path: path.to_owned(), what })
}

/// Opens a file, not what a link points to, and without waiting for the other end of a pipe.
pub(super) fn open_plain(path: &Path) -> Result<File, FileError> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path).at("read", path)
}

fn digest_of(path: &Path) -> Result<(u64, [u8; 32]), FileError> {
    let mut file = open_plain(path)?;
    let (mut digest, mut size, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok((size, digest.finalize().into())),
            Ok(count) => {
                digest.update(chunk.get(..count).unwrap_or_default());
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).at("read", path),
        }
    }
}
