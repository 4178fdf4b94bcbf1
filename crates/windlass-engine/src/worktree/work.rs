//! What is in a worktree and in no commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::bootstrap::CopiedFile;
use super::{Worktree, WorktreeError, copied};
use crate::workspace::PROJECT_FOLDER;
use windlass_git::git::Uncommitted;
use windlass_git::inventory::as_path;

/// What would be lost with a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// What git shows as changed or untracked, except for what was copied into it, or written by windlass itself.
    pub uncommitted: Vec<PathBuf>,
    /// What lies in `.windlass`, is ignored, and is neither as it was copied nor written by windlass itself.
    pub ignored: Vec<PathBuf>,
    /// Untracked and nobody's work: git does not know that.
    pub(super) expendable: Vec<PathBuf>,
}

impl Worktree {
    /// Looks at what is in it.
    pub fn work(&self) -> Result<Work, WorktreeError> {
        let repository = self.repository()?;
        let files = copied::read(&self.tree.git_dir)?;
        let known: BTreeMap<&Path, &CopiedFile> =
            files.iter().map(|file| (file.path.as_path(), file)).collect();
        let is_copy = |path: &Path| {
            known.get(path).is_some_and(|file| file.is_unchanged(&self.tree.path)) || is_bookkeeping(path)
        };
        let mut work = Work::default();
        for Uncommitted { untracked, path, .. } in repository.uncommitted()? {
            if untracked && is_copy(&path) {
                work.expendable.push(path);
            } else {
                work.uncommitted.push(path);
            }
        }
        // What git was told not to look at, it would not refuse to delete either.
        let hidden = repository.hidden_changes()?.into_iter().map(|path| as_path(&path).to_owned());
        work.uncommitted.extend(hidden);
        let ignored = repository.ignored_below(&project_folders(&files))?;
        work.ignored = ignored.into_iter().filter(|path| !is_copy(path)).collect();
        Ok(work)
    }
}

/// Where windlass may keep workspaces in a worktree.
pub(super) fn project_folders(files: &[CopiedFile]) -> Vec<PathBuf> {
    let mut folders = BTreeSet::from([PathBuf::from(PROJECT_FOLDER)]);
    for file in files {
        let above = file.path.ancestors();
        folders.extend(above.filter(|path| path.ends_with(PROJECT_FOLDER)).map(Path::to_owned));
    }
    folders.into_iter().collect()
}

/// A workspace's history, its status and the logs of its runs: journals hold all of it, too.
fn is_bookkeeping(path: &Path) -> bool {
    let mut parts = path.iter().skip_while(|part| *part != PROJECT_FOLDER).skip(1);
    let (folder, _name, file) = (parts.next(), parts.next(), parts.next());
    if folder.is_none_or(|folder| folder != "workspaces") || parts.next().is_some() {
        return false;
    }
    let Some(file) = file.and_then(|file| file.to_str()) else { return false };
    let is_log = file
        .strip_prefix("iterate-")
        .is_some_and(|rest| Path::new(rest).extension().is_some_and(|end| end == "log"));
    is_log || [".status.json", ".metadata.json"].contains(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windlass_writes_into_workspaces_is_nobodys_work() {
        let is = |path: &str| is_bookkeeping(Path::new(path));
        assert!(is(".windlass/workspaces/api/.status.json"));
        assert!(is("pkg/.windlass/workspaces/api/iterate-20260101-000000.log"));
        assert!(!is(".windlass/workspaces/api/TODO.md"));
        assert!(!is(".windlass/workspaces/api/working/.status.json"));
        assert!(!is(".windlass/.status.json"));
        assert!(!is("workspaces/api/.status.json"));
    }
}
