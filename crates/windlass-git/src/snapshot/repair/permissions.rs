//! Permissions without which neither git nor a repair gets at a repository.

use std::path::{Path, PathBuf};

use crate::git::Repository;
use windlass_host::tree::{Attributes, Kind, TreePath, at};

/// To list a folder, change it, and get at what is in it.
const OF_A_FOLDER: u32 = 0o700;

/// To read a file; it is changed by replacing it.
const OF_A_FILE: u32 = 0o400;

/// Folders within each other that are looked through.
const DEEPEST: usize = 64;

/// Gives the owner back what a repository's files and folders need, from the outermost on; a sentence for each that stays shut.
pub(super) fn give_back(repository: &Repository) -> Given {
    let mut given = Given::default();
    let beside = repository.is_linked().then(|| repository.git_dir.clone());
    for folder in [repository.common_dir.clone()].into_iter().chain(beside) {
        given.walk(&folder, DEEPEST);
    }
    given
}

/// What was given back.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub done: usize,
    pub failed: Vec<String>,
}

impl Given {
    fn walk(&mut self, folder: &Path, deeper: usize) {
        let place = at(folder);
        let Ok(Some(found)) = place.look() else { return };
        // A link's permissions are nobody's.
        if !found.is_folder() {
            return;
        }
        self.give(&place, &found, OF_A_FOLDER);
        for entry in place.entries().unwrap_or_default() {
            let path: PathBuf = folder.join(&entry.name);
            match entry.kind {
                Kind::Folder if deeper > 0 => self.walk(&path, deeper - 1),
                Kind::File => {
                    let file = at(&path);
                    if let Ok(Some(found)) = file.look() {
                        self.give(&file, &found, OF_A_FILE);
                    }
                }
                _ => {}
            }
        }
    }

    fn give(&mut self, place: &TreePath, found: &Attributes, wanted: u32) {
        let is_own = found.owner == rustix::process::geteuid().as_raw();
        if !is_own || found.mode & wanted == wanted {
            return;
        }
        match place.set_permissions(found.mode | wanted) {
            Ok(()) => self.done += 1,
            Err(error) => self.failed.push(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_are_looked_through_so_deep_and_no_deeper() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let at_depth = |depth: usize| top.join(vec!["x"; depth].join("/"));
        let [last, beyond] = [DEEPEST, DEEPEST + 1].map(at_depth);
        fs::create_dir_all(&beyond).unwrap();
        for folder in [&beyond, &last] {
            fs::set_permissions(folder, Permissions::from_mode(0o000)).unwrap();
        }
        let mut given = Given::default();
        given.walk(&top, DEEPEST);
        let mode = |folder: &Path| fs::metadata(folder).unwrap().permissions().mode() & 0o777;
        assert_eq!((given.done, mode(&last), mode(&beyond)), (1, OF_A_FOLDER, 0));
        fs::set_permissions(&beyond, Permissions::from_mode(OF_A_FOLDER)).unwrap();
    }
}
