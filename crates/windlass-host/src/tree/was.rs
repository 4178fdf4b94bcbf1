//! What was at a path of a tree that guests can write, kept so that it can be made again. No link is followed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Kind, TreePath};
use crate::file::FileError;
use crate::process::protocol::Text;

/// A longer file configures nothing: it is known again, and cannot be made again.
const LONGEST: u64 = 16 << 20;

/// Folders within each other that are looked into.
const DEEPEST: usize = 32;

/// What was at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Was {
    /// Nothing.
    #[serde(alias = "Nothing")]
    Absent,
    /// A file.
    #[serde(alias = "File")]
    File {
        /// Its permissions.
        mode: u32,
        /// What it says.
        #[serde(alias = "bytes")]
        content: Text,
    },
    /// A file that is too long to be kept.
    Long {
        /// Which it is.
        inode: u64,
        /// When anything of it changed: nobody can set that.
        changed: (i64, i64),
    },
    /// A link, and what it says.
    #[serde(alias = "Link")]
    Link(Text),
    /// A folder with what is in it and counts.
    Folder(Vec<(Text, Was)>),
    /// A folder, by what it is known again.
    #[serde(alias = "Folder")]
    Place {
        /// On which device.
        device: u64,
        /// Which it is there.
        #[serde(alias = "number")]
        inode: u64,
    },
    /// Something else: a pipe, a device, or what cannot be read.
    #[serde(alias = "Other")]
    Other,
}

/// Which of the entries of a folder count; its argument is their path below the one that is looked at.
pub(crate) type Counts<'a> = &'a dyn Fn(&Path) -> bool;

/// What of a folder is kept.
#[derive(Clone, Copy)]
pub enum Folders<'a> {
    /// Which one it is.
    ByIdentity,
    /// What is in it. One in which nothing counts is as good as none.
    ByContent(Counts<'a>),
}

impl Was {
    /// What is there now.
    pub fn look(path: &TreePath, folders: Folders<'_>) -> Was {
        Was::below(path, Path::new(""), folders, DEEPEST).unwrap_or(Was::Other)
    }

    fn below(top: &TreePath, inner: &Path, folders: Folders<'_>, depth: usize) -> io::Result<Was> {
        // A name that ends with a slash would be what a link leads to.
        let path = if inner.as_os_str().is_empty() { top.clone() } else { top.join(inner) };
        let Some(found) = path.look()? else { return Ok(Was::Absent) };
        match (found.kind, folders) {
            (Kind::Link, _) => Ok(Was::Link(Text::from(path.link_target()?.as_os_str()))),
            (Kind::File, _) if found.size > LONGEST => {
                Ok(Was::Long { inode: found.inode, changed: found.changed })
            }
            (Kind::File, _) => {
                let mut content = Vec::new();
                path.open_itself()?.take(LONGEST).read_to_end(&mut content)?;
                Ok(Was::File { mode: found.mode, content: Text::from(content) })
            }
            (Kind::Folder, Folders::ByIdentity) => {
                Ok(Was::Place { device: found.device, inode: found.inode })
            }
            (Kind::Folder, Folders::ByContent(counts)) => {
                let Some(depth) = depth.checked_sub(1) else { return Ok(Was::Other) };
                let mut children = BTreeMap::new();
                for entry in path.open_real_folder()?.entries()? {
                    let inner = inner.join(&entry.name);
                    if counts(&inner) {
                        let was = Was::below(top, &inner, folders, depth).unwrap_or(Was::Other);
                        children.extend((was != Was::Absent).then_some((entry.name, was)));
                    }
                }
                let children: Vec<_> =
                    children.into_iter().map(|(name, was)| (Text::from(name.as_os_str()), was)).collect();
                Ok(if children.is_empty() { Was::Absent } else { Was::Folder(children) })
            }
            (Kind::Other(_), _) => Ok(Was::Other),
        }
    }

    /// What is in it, where that was kept.
    pub fn children(&self) -> BTreeMap<OsString, &Was> {
        match self {
            Was::Folder(children) => {
                children.iter().map(|(name, was)| (OsString::from(name.clone()), was)).collect()
            }
            _ => BTreeMap::new(),
        }
    }

    /// Makes it what is at a path, in place of whatever is there.
    pub fn put(&self, path: &TreePath) -> Result<(), FileError> {
        match self {
            Was::Absent => path.remove_folder(),
            Was::File { mode, content } => {
                if path.is_real_folder() {
                    path.remove_folder()?;
                }
                path.replace(content.as_bytes(), *mode)
            }
            Was::Link(target) => {
                path.remove_folder()?;
                path.make_link(&PathBuf::from(OsString::from(target.clone())))
            }
            Was::Folder(_) | Was::Place { .. } => {
                if !path.is_real_folder() {
                    path.remove_folder()?;
                    path.make_folder()?;
                }
                let put = |(name, was): (OsString, &Was)| was.put(&path.join(name));
                self.children().into_iter().try_for_each(put)
            }
            Was::Long { .. } | Was::Other => {
                Err(path.failed("make", io::Error::other("what was there was not kept")))
            }
        }
    }
}
