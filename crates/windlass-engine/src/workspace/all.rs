//! All workspaces of a project.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::config::nearest;
use windlass_core::workspace::WorkspaceName;

use super::{Workspace, WorkspaceError};
use crate::file::AtPath as _;

/// Where a project keeps what it tells Windlass.
pub const PROJECT_FOLDER: &str = ".windlass";

/// The project that a directory (canonical) belongs to: the nearest one upwards that has a `.windlass` folder with something
/// in it or is the root of a repository, else the directory itself. (A sandbox that was killed leaves empty ones.)
///
/// Outside the directory a `.windlass` folder of another user is passed over: whoever can write to `/tmp` could otherwise
/// say what is executed in every scratch project below it.
#[must_use]
pub fn project_folder(directory: &Path) -> PathBuf {
    let has_ours = |above: &Path| {
        let folder = above.join(PROJECT_FOLDER);
        let holds_something = || folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
        folder.metadata().is_ok_and(|found| {
            found.is_dir()
                && holds_something()
                && (above == directory || [0, rustix::process::geteuid().as_raw()].contains(&found.uid()))
        })
    };
    let project = directory.ancestors().find(|above| has_ours(above) || above.join(".git").exists());
    project.unwrap_or(directory).to_owned()
}

/// The workspaces of a project. Nothing needs to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspaces {
    project: PathBuf,
}

/// What there is.
#[derive(Debug, Default)]
pub struct Listing {
    /// By name.
    pub workspaces: Vec<Workspace>,
    /// What lies among them and is none, by name, and why.
    pub odd: Vec<(String, WorkspaceError)>,
}

impl Workspaces {
    /// Those of the project that a directory (canonical) belongs to.
    #[must_use]
    pub fn open(directory: &Path) -> Workspaces {
        Workspaces { project: project_folder(directory) }
    }

    /// The project's folder: the one that holds `.windlass`.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The folder of all workspaces; perhaps not there.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.project.join(PROJECT_FOLDER).join("workspaces")
    }

    /// The workspace of this name.
    ///
    /// # Errors
    /// The name is none, or there is no such workspace, or something that is none is in its place.
    pub fn find(&self, name: &str) -> Result<Workspace, WorkspaceError> {
        let name = WorkspaceName::parse(name)?;
        match self.look(&name)? {
            Some(workspace) => Ok(workspace),
            None => {
                Err(WorkspaceError::NotFound { nearest: self.nearest(name.as_str()), name: name.to_string() })
            }
        }
    }

    /// The workspace of this name, if it is there.
    ///
    /// # Errors
    /// Something that is none is in its place.
    pub fn look(&self, name: &WorkspaceName) -> Result<Option<Workspace>, WorkspaceError> {
        let root = self.root();
        let path = root.join(name.as_str());
        let kind = match path.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error).at("look at", &path)?,
        };
        if !kind.is_dir() && !kind.is_symlink() {
            return Err(WorkspaceError::NotAFolder { path });
        }
        let folder = fs::canonicalize(&path).at("follow", &path)?;
        let root = fs::canonicalize(&root).at("find", &root)?;
        if kind.is_symlink() && folder.parent() != Some(root.as_path()) {
            return Err(WorkspaceError::LeadsOutside { path, target: folder });
        }
        if !folder.is_dir() {
            return Err(WorkspaceError::NotAFolder { path });
        }
        Ok(Some(Workspace::new(name.clone(), folder)))
    }

    /// All of them.
    ///
    /// # Errors
    /// Their folder cannot be read.
    pub fn list(&self) -> Result<Listing, WorkspaceError> {
        let root = self.root();
        let entries = match fs::read_dir(&root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Listing::default()),
            entries => entries.at("read", &root)?,
        };
        let mut listing = Listing::default();
        for entry in entries {
            let entry = entry.at("read", &root)?;
            let file_name = entry.file_name();
            let text = file_name.to_string_lossy().into_owned();
            // `.gitignore`, `.DS_Store`, and what is being deleted.
            if text.starts_with('.') {
                continue;
            }
            let found =
                WorkspaceName::parse(&text).map_err(WorkspaceError::from).and_then(|name| self.look(&name));
            match found {
                Ok(found) => listing.workspaces.extend(found),
                Err(error) => listing.odd.push((text, error)),
            }
        }
        listing.workspaces.sort_by(|one, other| one.name().cmp(other.name()));
        listing.odd.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(listing)
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let listing = self.list().ok()?;
        nearest(name, listing.workspaces.iter().map(|workspace| workspace.name().as_str())).map(str::to_owned)
    }
}
