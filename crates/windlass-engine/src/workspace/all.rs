//! All workspaces of a project.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::typed::nearest;
use windlass_core::workspace::WorkspaceName;

use super::{Workspace, WorkspaceError};
use windlass_host::tree;
use windlass_host::tree::{Kind, at};

/// Where a project keeps what it tells Windlass.
pub const PROJECT_FOLDER: &str = ".windlass";

/// The project that a directory (canonical) belongs to: the nearest one upwards that has a `.windlass` folder with something
/// in it or is the root of a repository, else the directory itself. (A sandbox that was killed leaves empty ones.)
///
/// Outside the directory a `.windlass` folder of another user is passed over: whoever can write to `/tmp` could otherwise
/// say what is executed in every scratch project below it.
pub fn project_folder(directory: &Path) -> PathBuf {
    let has_ours = |above: &Path| {
        let folder = above.join(PROJECT_FOLDER);
        // outside: whether there is something; nothing of it is opened.
        let holds_something = || folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
        // outside: the same.
        folder.metadata().is_ok_and(|found| {
            found.file_type().is_dir()
                && holds_something()
                && (above == directory || [0, rustix::process::geteuid().as_raw()].contains(&found.uid()))
        })
    };
    let project = directory.ancestors().find(|above| has_ours(above) || at(&above.join(".git")).is_taken());
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
    pub fn open(directory: &Path) -> Workspaces {
        let project = project_folder(directory);
        tree::hold(&project);
        Workspaces { project }
    }

    /// The project's folder: the one that holds `.windlass`.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The folder of all workspaces; perhaps not there.
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
    pub fn look(&self, name: &WorkspaceName) -> Result<Option<Workspace>, WorkspaceError> {
        let root = at(&self.root());
        let path = root.join(name.as_str());
        let found = path.look().map_err(|error| path.failed("look at", error))?;
        let Some(found) = found else { return Ok(None) };
        if !matches!(found.kind, Kind::Folder | Kind::Link) {
            return Err(WorkspaceError::NotAFolder { path: path.shown() });
        }
        let leads_outside = || {
            let target = path.link_target().unwrap_or_default();
            WorkspaceError::LeadsOutside { path: path.shown(), target }
        };
        let folder = match path.resolved() {
            Ok(folder) => folder,
            Err(error) if tree::leads_out(&error) => return Err(leads_outside()),
            Err(error) => return Err(path.failed("follow", error).into()),
        };
        let root = root.resolved().map_err(|error| root.failed("find", error))?;
        if found.is_link() && folder.parent() != Some(root) {
            return Err(leads_outside());
        }
        if !folder.is_real_folder() {
            return Err(WorkspaceError::NotAFolder { path: path.shown() });
        }
        Ok(Some(Workspace::new(name.clone(), folder.shown())))
    }

    /// All of them.
    pub fn list(&self) -> Result<Listing, WorkspaceError> {
        let root = at(&self.root());
        if !root.is_taken() {
            return Ok(Listing::default());
        }
        let mut listing = Listing::default();
        for entry in root.entries()? {
            let text = entry.name.to_string_lossy().into_owned();
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
