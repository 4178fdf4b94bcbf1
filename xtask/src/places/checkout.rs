//! A checkout of the last commit at another place, with the agent that tests need.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, run, succeeds};
use crate::workspace::Workspace;

/// How the files get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A clone.
    Clone,
    /// A clone that is reached through a symbolic link.
    Linked,
    /// A linked checkout of this repository.
    Worktree,
}

/// It is gone when this is dropped: what is built there is large.
pub struct Checkout {
    /// The folder that is the place's alone.
    root: PathBuf,
    kind: Kind,
    repository: PathBuf,
}

impl Checkout {
    /// In this folder, which is new and empty.
    pub fn make(workspace: &Workspace, kind: Kind, folder: &Path) -> Result<Checkout, Failure> {
        let checkout = Checkout { root: folder.to_owned(), kind, repository: workspace.root.clone() };
        let everybody = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder, everybody).map_err(|error| Failure::at(folder, error))?;
        let files = checkout.files();
        let mut git = Command::new("git");
        match kind {
            Kind::Clone | Kind::Linked => git.args(["clone", "--quiet"]).arg(&workspace.root).arg(&files),
            Kind::Worktree => git
                .arg("-C")
                .arg(&workspace.root)
                .args(["worktree", "add", "--quiet", "--detach"])
                .arg(&files),
        };
        run(&mut git)?;
        if kind == Kind::Linked {
            let link = checkout.directory();
            symlink(&files, &link).map_err(|error| Failure::at(&link, error))?;
        }
        let target = files.join("target");
        fs::create_dir(&target).map_err(|error| Failure::at(&target, error))?;
        run(Command::new("cp").arg("-a").arg(workspace.target.join("agents")).arg(&target))?;
        Ok(checkout)
    }

    fn files(&self) -> PathBuf {
        self.root.join("windlass")
    }

    /// The folder that holds all of it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the checkout, as somebody gets there.
    pub fn directory(&self) -> PathBuf {
        if self.kind == Kind::Linked { self.root.join("link") } else { self.files() }
    }

    /// Its `Cargo.toml`, by the same way.
    pub fn manifest(&self) -> PathBuf {
        self.directory().join("Cargo.toml")
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            eprintln!("{}: {error}", self.root.display());
        }
        if self.kind == Kind::Worktree {
            succeeds(Command::new("git").arg("-C").arg(&self.repository).args(["worktree", "prune"]));
        }
    }
}
