//! Repositories inside the repository: what is in them is in no commit of it, and in no snapshot.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::walk::{self, Bound};
use super::{EntryKind, Inventory, Place, as_path, is_own};
use crate::git::GitError;
use windlass_host::tree::at;

/// So many files of such a folder are looked at.
const LOOKED_AT: usize = 20_000;

/// A folder whose files belong to a repository of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NestedFolder {
    /// Relative to the repository's top.
    pub path: Vec<u8>,
    /// Is it registered as a submodule?
    pub is_submodule: bool,
}

impl Place {
    /// The folders inside this repository that hold something, and are of a repository of their own: those that have one, and
    /// those of submodules. What git ignores is none of them.
    pub fn nested_folders(&self, inventory: &Inventory) -> Result<Vec<NestedFolder>, GitError> {
        let Some(repository) = self.repository.as_ref().filter(|_| inventory.trouble.is_none()) else {
            return Ok(Vec::new());
        };
        let submodules = repository.submodules()?;
        let has_own =
            inventory.entries.iter().filter(|entry| entry.kind == EntryKind::Submodule && !entry.ignored);
        let has_own = has_own.map(|entry| &entry.path).filter(|path| !is_own(path));
        let found = has_own
            .chain(&submodules)
            .map(|path| NestedFolder { path: path.clone(), is_submodule: submodules.contains(path) });
        let holds_something = |folder: &NestedFolder| {
            let full = at(&self.root).join(as_path(&folder.path));
            full.is_real_folder() && full.names().is_ok_and(|names| !names.is_empty())
        };
        let mut found: Vec<NestedFolder> = found.filter(holds_something).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What shows that something in each of them has changed: the commit that it is at, and sizes and times of its files.
    pub fn nested_marks(&self, inventory: &Inventory) -> Result<BTreeMap<NestedFolder, String>, GitError> {
        let folders = self.nested_folders(inventory)?;
        let mark = |folder: &NestedFolder| {
            let commit = inventory.entry(&folder.path).map(|entry| entry.content.to_string());
            let mut mark = commit.unwrap_or_default();
            let root = self.root.join(as_path(&folder.path));
            for path in walk::unignored(&root, Bound { files: LOOKED_AT, bytes: u64::MAX }).paths {
                let found = at(&root).join(as_path(&path)).look().ok().flatten();
                let found = found.map(|found| (found.size, found.modified_at()));
                let _ = write!(mark, "{}{found:?}", String::from_utf8_lossy(&path));
            }
            windlass_host::file::digest(mark.as_bytes())
        };
        Ok(folders.into_iter().map(|folder| (folder.clone(), mark(&folder))).collect())
    }
}
