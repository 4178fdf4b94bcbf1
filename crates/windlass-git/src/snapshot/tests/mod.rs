//! Snapshots and restores, with the real git and real files.

mod differing;
mod hostile;
mod keeping;
mod property;
mod repairing;
mod restoring;
mod showing;
mod timing;
mod travelling;

use super::*;
use crate::testing::{Scratch, after, run, say};

impl Scratch {
    /// Keeps the tree as it is, under the name of an iteration's end.
    fn keep(&self, iteration: u32) -> Snapshot {
        let mut surveyor = self.surveyor();
        let inventory = surveyor.survey(&[]).unwrap();
        self.store().keep(surveyor.place(), &inventory, &after(iteration)).unwrap()
    }

    /// Brings a snapshot back.
    fn restore(&self, target: &Snapshot) -> Restored {
        let mut store = self.store();
        let mut surveyor = crate::inventory::Surveyor::new(target.place());
        let plan = plan_restore(&mut surveyor, &store, target).unwrap();
        restore(&mut store, &plan, &run()).unwrap()
    }
}

/// Everything below a folder but `.git`: path, mode, and content or target. Empty folders are not in it.
fn listing(folder: &std::path::Path) -> std::collections::BTreeMap<Vec<u8>, (u32, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let (path, metadata) = (entry.path(), entry.metadata().unwrap());
            let name = path.strip_prefix(folder).unwrap().as_os_str().as_bytes().to_vec();
            if metadata.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if metadata.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(name, (0, target.as_os_str().as_bytes().to_vec()));
            } else if metadata.is_file() {
                found.insert(name, (metadata.mode() & 0o111, std::fs::read(&path).unwrap()));
            }
        }
    }
    found
}
