//! The sandbox's own files.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::view::Sight;
use super::{SandboxAgent, SandboxError};
use windlass_host::file::AtPath;
use windlass_host::tree::{at, without_links};

/// The sandbox's own files; gone when this is dropped.
#[derive(Debug)]
pub(super) struct Folders {
    root: PathBuf,
    lasting: Lasting,
}

/// How long they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasting {
    UntilDropped,
    /// They never are.
    None,
}

impl Folders {
    /// Makes them anew; what a killed run left of them is removed.
    pub fn make<'a>(
        root: &Path,
        agents: impl Iterator<Item = &'a SandboxAgent>,
    ) -> Result<Folders, SandboxError> {
        remove(root);
        let mut folders = Folders { root: root.to_owned(), lasting: Lasting::UntilDropped };
        let home = folders.home();
        let of_agents = agents.map(|agent| home.join(agent.about().files.folder));
        for folder in [home.clone(), folders.temporary()].into_iter().chain(of_agents) {
            // outside: the run's folder.
            DirBuilder::new().recursive(true).mode(0o700).create(&folder).at("create", &folder)?;
        }
        // outside: the same.
        folders.root = root.canonicalize().at("find", root)?;
        Ok(folders)
    }

    /// The same, without making anything.
    pub fn rehearsed(root: &Path) -> Folders {
        Folders { root: root.to_owned(), lasting: Lasting::None }
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// The proxy's socket.
    pub fn socket(&self) -> PathBuf {
        self.root.join("proxy.sock")
    }

    /// What the process inside is to do for one guest.
    pub fn orders(&self, id: u64) -> PathBuf {
        self.root.join(format!("orders-{id}.json"))
    }

    /// What guests see of them.
    pub fn places(&self) -> Vec<(PathBuf, Sight)> {
        vec![(self.home(), Sight::Writable), (self.temporary(), Sight::Writable)]
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        if self.lasting == Lasting::UntilDropped {
            remove(&self.root);
        }
    }
}

/// Removes a folder, whatever guests did to it. What cannot be removed stays in the run's folder.
fn remove(root: &Path) {
    // outside: it lies in the run's folder, and follows no link of a guest's.
    match fs::remove_dir_all(root) {
        // Modules of Go, for one, are kept in folders that nobody may change.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let _ = at(&without_links(root)).remove_folder();
        }
        _ => {}
    }
}
