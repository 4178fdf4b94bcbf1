//! What a folder or an archive holds, to the byte: two of these are compared before anything is removed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::ArchiveError;
use super::limits::{Limits, Tally};
use windlass_host::file::{FileError, size_and_digest};
use windlass_host::tree::{Attributes, Kind, TreePath};

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
    pub fn of_folder(folder: &TreePath, without: &[&str], limits: Limits) -> Result<Contents, ArchiveError> {
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

/// Something that was found in a folder or an archive; the empty path is that itself.
#[derive(Debug)]
pub(super) struct FoundEntry {
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
pub(super) fn walk(
    folder: &TreePath,
    without: &[&str],
    limits: Limits,
) -> Result<Vec<FoundEntry>, ArchiveError> {
    let mut tally = Tally::new(&folder.shown(), limits);
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(path) = waiting.pop() {
        let whole = below(folder, &path);
        let attributes = attributes_of(&whole)?;
        tally.entry()?;
        let kind = kind_of(&whole, &attributes)?;
        if let FoundKind::File(size) = kind {
            tally.bytes(size)?;
        }
        if matches!(kind, FoundKind::Folder) {
            waiting.extend(names_in(&whole, &path, without)?);
        }
        let modified = u64::try_from(attributes.modified.0).unwrap_or(0);
        found.push(FoundEntry { path, mode: attributes.mode & PERMISSIONS, modified, kind });
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

/// A path below a folder; the empty one is the folder itself, without the slash that joining would add.
pub(super) fn below(folder: &TreePath, path: &Path) -> TreePath {
    if path.as_os_str().is_empty() { folder.clone() } else { folder.join(path) }
}

/// Of something that is there, links not followed.
pub(super) fn attributes_of(path: &TreePath) -> Result<Attributes, FileError> {
    let found = path.look().map_err(|error| path.failed("read", error))?;
    found.ok_or_else(|| path.failed("read", std::io::ErrorKind::NotFound.into()))
}

fn names_in(folder: &TreePath, below: &Path, without: &[&str]) -> Result<Vec<PathBuf>, FileError> {
    let names = folder.entries()?.into_iter().map(|entry| entry.name);
    let left_out =
        |name: &OsString| below.as_os_str().is_empty() && without.iter().any(|left_out| *name == **left_out);
    Ok(names.filter(|name| !left_out(name)).map(|name| below.join(name)).collect())
}

fn kind_of(path: &TreePath, attributes: &Attributes) -> Result<FoundKind, ArchiveError> {
    match attributes.kind {
        Kind::Folder => Ok(FoundKind::Folder),
        Kind::File => Ok(FoundKind::File(attributes.size)),
        Kind::Link => {
            let target = path.link_target().map_err(|error| path.failed("read", error))?;
            Ok(FoundKind::Link(target.into_os_string()))
        }
        Kind::Other(special) => Err(ArchiveError::Unarchivable { path: path.shown(), what: special.name() }),
    }
}

fn digest_of(path: &TreePath) -> Result<(u64, [u8; 32]), FileError> {
    path.open_itself().and_then(size_and_digest).map_err(|error| path.failed("read", error))
}
