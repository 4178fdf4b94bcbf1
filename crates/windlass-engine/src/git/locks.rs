//! Lock files that git left behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Repository;
use crate::process::at_work;

/// A repository's lock files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Whoever made them is gone: nobody is at work in the repository.
    pub abandoned: Vec<PathBuf>,
    /// Somebody may be at work, or these are somebody else's.
    pub perhaps_held: Vec<PathBuf>,
}

impl Repository {
    /// Its lock files: beside HEAD, beside the shared files, and beside references.
    pub(crate) fn locks(&self) -> Locks {
        let mut found = BTreeSet::new();
        for folder in BTreeSet::from([&self.git_dir, &self.common_dir]) {
            found.extend(locks_in(folder));
            below(&folder.join("refs"), &mut found);
        }
        if found.is_empty() {
            return Locks::default();
        }
        let busy = at_work(&self.top, &[&self.git_dir, &self.common_dir]);
        if busy.is_none_or(|busy| !busy.is_empty()) {
            return Locks { abandoned: Vec::new(), perhaps_held: found.into_iter().collect() };
        }
        // Of another user's processes little is known.
        let (abandoned, perhaps_held) = found.into_iter().partition(|path| is_ours(path));
        Locks { abandoned, perhaps_held }
    }

    /// Removes locks that were made since then and whose makers are gone; a sentence for each. What cannot be removed stays.
    #[must_use]
    pub fn clear_locks(&self, since: SystemTime) -> Vec<String> {
        let is_new = |path: &PathBuf| {
            path.symlink_metadata().and_then(|metadata| metadata.modified()).is_ok_and(|made| made >= since)
        };
        let abandoned = self.locks().abandoned.into_iter().filter(is_new);
        let removed = abandoned.filter(|path| fs::remove_file(path).is_ok());
        let named = |path: PathBuf| path.strip_prefix(&self.top).map_or(path.clone(), Path::to_owned);
        removed
            .map(|path| format!("{} was left by a git that is gone, and is removed", named(path).display()))
            .collect()
    }
}

fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().is_ok_and(|metadata| metadata.uid() == rustix::process::getuid().as_raw())
}

fn locks_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "lock")).collect()
}

fn below(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    found.extend(locks_in(folder));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            below(&entry.path(), found);
        }
    }
}
