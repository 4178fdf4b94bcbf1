//! Where guests find what they are lent.

use std::path::{Path, PathBuf};

use super::Loan;
use crate::lane::object_folders;

/// What is mounted where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Folders that can be written: the place, and what is there.
    pub writable: Vec<(PathBuf, PathBuf)>,
    /// Files and folders that can be read: the place, and what is there.
    pub shown: Vec<(PathBuf, PathBuf)>,
    /// What is to be seen under its own name.
    pub seen: Vec<PathBuf>,
}

impl Loan {
    /// Where the working tree names its git directory.
    fn entrance(&self) -> PathBuf {
        self.main.top.join(".git")
    }

    /// The person's git directories, which no guest may write.
    pub fn closed(&self) -> [&Path; 2] {
        [&self.main.common_dir, &self.main.git_dir]
    }

    /// Is the entrance a link? Nothing can be mounted over one that a guest could not take away.
    pub fn is_behind_a_link(&self) -> bool {
        self.entrance().is_symlink()
    }

    /// Where guests find what.
    pub fn places(&self) -> Places {
        let entrance = self.entrance();
        let (common, folder) = (&self.main.common_dir, self.repository());
        let mut places = Places::default();
        let inside = if entrance.is_dir() {
            places.writable.push((entrance.clone(), folder));
            entrance
        } else {
            // A file must be mounted over a file, which names the folder.
            places.shown.push((entrance, self.pointer()));
            places.writable.push((folder.clone(), folder.clone()));
            folder
        };
        places.shown.push((self.borrowed().join("objects"), common.join("objects")));
        let further = object_folders(&common.join("objects")).unwrap_or_default().into_iter().skip(1);
        places.seen.extend(further);
        // Git LFS looks for what it does not have beside the objects that are borrowed.
        if common.join("lfs").is_dir() {
            places.shown.push((self.borrowed().join("lfs"), common.join("lfs")));
        }
        if self.hooks == common.join("hooks") {
            places.shown.extend(self.hooks.is_dir().then(|| (inside.join("hooks"), self.hooks.clone())));
        } else if !self.hooks.starts_with(&self.main.top) && self.hooks.is_dir() {
            places.seen.push(self.hooks.clone());
        }
        let modules = self.main.git_dir.join("modules");
        if modules.is_dir() {
            let place =
                if self.main.git_dir == self.entrance() { inside.join("modules") } else { modules.clone() };
            places.shown.push((place, modules));
        }
        places
    }
}
