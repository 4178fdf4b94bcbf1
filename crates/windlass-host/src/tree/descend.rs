//! All that is below a folder.

use std::path::{Path, PathBuf};

use super::{Folder, Kind, TreeEntry, TreePath};

/// Is a folder looked into?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enter {
    /// It is looked into.
    Yes,
    /// It is passed over.
    No,
}

impl TreePath {
    /// Shows all that is below a folder, through no link, in no order: the path from here, the folder that it is in, and what it
    /// is. Names the folders that cannot be read.
    pub fn descend(&self, each: &mut dyn FnMut(&Path, &Folder, &TreeEntry) -> Enter) -> Vec<PathBuf> {
        let (mut waiting, mut unread) = (vec![PathBuf::new()], Vec::new());
        while let Some(path) = waiting.pop() {
            // From the root each time: who makes folders within each other without an end takes no open files.
            let here = if path.as_os_str().is_empty() { self.clone() } else { self.join(&path) };
            let Ok((folder, entries)) =
                here.open_real_folder().and_then(|folder| folder.entries().map(|entries| (folder, entries)))
            else {
                unread.push(path);
                continue;
            };
            for entry in entries {
                let inner = path.join(&entry.name);
                if each(&inner, &folder, &entry) == Enter::Yes && entry.kind == Kind::Folder {
                    waiting.push(inner);
                }
            }
        }
        unread
    }
}
