//! What is in the working tree: every tracked file and every untracked file that is not ignored, and all of `.windlass/`.
//!
//! In a git repository the whole working tree is looked at, from its top, also when the run works in a folder below
//! it: an agent can change all of it. Without git it is the working directory, up to a bound that the result names.
//!
//! Empty folders, owners and permissions beyond “executable” are not part of it, as in git; but that a file is nobody's but its owner's.

mod content;
mod difference;
mod evidence;
mod hidden;
mod nested;
mod opening;
mod survey;
mod walk;

#[cfg(test)]
mod tests;

pub use difference::changes;
pub use evidence::{OWN_FOLDER, entries_within, evidence};
pub(crate) use hidden::HiddenFiles;
pub use nested::NestedFolder;
pub use survey::{SurveyError, Surveyor};
pub use walk::{Bound, WALK_BYTES, WALK_FILES};

pub use evidence::{is_half_written, is_own, is_within};
pub use survey::LARGEST_KEPT;
pub(crate) use survey::OF_OTHERS;
pub(crate) use walk::is_ignored;
pub use walk::rules_of;

pub use crate::git::{EntryKind, as_path};

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::git::{Head, ObjectFormat, ObjectId, ObjectKind, Repository};
use windlass_host::tree;
use windlass_host::tree::{Kind, at};

/// What is being looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Paths are relative to this: the repository's top, or the working directory without one.
    pub root: PathBuf,
    /// Where the run works: `root` or a folder below it.
    pub directory: PathBuf,
    /// The repository, where there is one.
    pub repository: Option<Repository>,
}

impl Place {
    /// A working directory (absolute, without symbolic links) and its repository.
    pub fn new(directory: &Path, repository: Option<Repository>) -> Self {
        let root =
            repository.as_ref().map_or_else(|| directory.to_path_buf(), |repository| repository.top.clone());
        tree::hold(&root);
        Self { root, directory: directory.to_path_buf(), repository }
    }

    /// A path below the working directory as entries name it; `None` when it is outside the root.
    pub fn relative(&self, path: &Path) -> Option<Vec<u8>> {
        let absolute = self.directory.join(path);
        absolute.strip_prefix(&self.root).ok().map(|inside| inside.as_os_str().as_bytes().to_vec())
    }

    /// What is at a path at this moment, as [`content_now`] says it.
    pub fn content_now(&self, path: &[u8]) -> Option<(EntryKind, ObjectId)> {
        content_now(&self.root, self.object_format(), path)
    }

    /// How contents are named here.
    pub fn object_format(&self) -> ObjectFormat {
        self.repository.as_ref().map(|repository| repository.object_format).unwrap_or_default()
    }
}

/// What was there, and when HEAD was where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// HEAD; `None` without a repository, or when the repository could not be read.
    pub head: Option<Head>,
    /// Everything that could be read, sorted by path, each path once.
    pub entries: Vec<Entry>,
    /// What is there and could not be read, sorted by path.
    pub unread: Vec<Unread>,
    /// Those of the files that nobody but their owner may read or write, and of their folders that nobody else may enter.
    pub private: BTreeSet<Vec<u8>>,
    /// The walk stopped here: there is more that was not looked at. Only without git.
    pub bound: Option<Bound>,
    /// The repository could not be read (what git said); the files were found by a walk instead.
    pub trouble: Option<String>,
}

impl Inventory {
    /// The entry with this path.
    pub fn entry(&self, path: &[u8]) -> Option<&Entry> {
        let found = self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)).ok()?;
        self.entries.get(found)
    }

    /// Is something at this path, or in a folder above it, that could not be read?
    pub fn is_unread(&self, path: &[u8]) -> bool {
        self.unread.iter().any(|unread| as_path(path).starts_with(as_path(&unread.path)))
    }
}

/// A file, a symbolic link, or a repository inside the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the root, parts separated by `/`.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes of the file; of its target's name for a symbolic link; 0 for a submodule.
    pub size: u64,
    /// The name that git would give to the bytes as they are (no filters); of a submodule its commit, all zeros when it
    /// has none.
    pub content: ObjectId,
    /// git ignores it; it is here since it is below `.windlass/` or was asked for by name.
    pub ignored: bool,
}

/// Something that is there and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// Why not.
    pub why: UnreadReason,
}

/// Why something could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnreadReason {
    /// A socket, a pipe or a device.
    NotAFile,
    /// The system refused, most often for lack of permission.
    Refused,
    /// It changed each time it was read.
    Changing,
}

/// What is at a path at this moment: its kind and content; `None` when nothing is there or it cannot be read.
pub fn content_now(root: &Path, format: ObjectFormat, path: &[u8]) -> Option<(EntryKind, ObjectId)> {
    let full = at(root).join(as_path(path));
    let found = full.look().ok()??;
    match found.kind {
        Kind::Folder => survey::inner_repository(&full, format).map(|commit| (EntryKind::Submodule, commit)),
        Kind::Link => {
            let target = full.link_target().ok()?;
            let content = format.identify(ObjectKind::Blob, target.as_os_str().as_bytes());
            Some((EntryKind::Symlink, content))
        }
        Kind::File | Kind::Other(_) => {
            let (content, _) = content::identify(|| full.open_itself(), format).ok()??;
            Some((EntryKind::of_file(&found), content))
        }
    }
}
