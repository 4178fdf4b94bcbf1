//! What git ignored when a snapshot was taken.
//!
//! An agent can take a line out of `.gitignore`; what that line had hidden was in no snapshot, and is not to be removed
//! just because it shows now.

use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use crate::inventory::{as_path, is_ignored, rules_of};
use crate::snapshot::{Snapshot, SnapshotError, Store};

/// The `.gitignore` files of a snapshot.
pub(super) struct SnapshotIgnores {
    /// With the folder each belongs to, deeper ones first.
    rules: Vec<(PathBuf, Gitignore)>,
}

impl SnapshotIgnores {
    pub fn read(store: &Store, snapshot: &Snapshot) -> Result<Self, SnapshotError> {
        let mut rules = Vec::new();
        for file in &snapshot.files {
            let path = as_path(&file.path);
            if path.file_name().is_some_and(|name| name == ".gitignore") {
                let folder = path.parent().unwrap_or(Path::new(""));
                let content = store.content(&file.content)?;
                rules.push((folder.to_path_buf(), rules_of(&String::from_utf8_lossy(&content))));
            }
        }
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
        Ok(Self { rules })
    }

    /// Was this path, or a folder above it, ignored?
    pub fn ignores(&self, path: &[u8]) -> bool {
        let path = as_path(path);
        let levels = path.ancestors().filter(|level| !level.as_os_str().is_empty());
        levels.into_iter().any(|level| {
            let rules = self.rules.iter().filter(|(folder, _)| level.starts_with(folder));
            is_ignored(rules, level, level != path)
        })
    }
}
