//! Where things are kept: the two roots, and a folder for each project.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use windlass_core::hexadecimal;

use super::error::Attempted as _;
use super::files::{create_folder, entries, sync_folder};
use super::gone;
use super::{RunFolder, StoreError};

/// The longest part of a project's folder that is taken from its name, in characters.
const SLUG_LENGTH: usize = 32;

/// What the name of every working directory's lock file begins with.
pub(super) const LOCK_PREFIX: &str = "lock-";

/// Where state is kept: `WINDLASS_STATE_DIR`, else `$XDG_STATE_HOME/windlass`, else `~/.local/state/windlass`.
///
/// `environment` answers for a variable's name. Empty values count as unset; a relative `XDG_STATE_HOME` is ignored,
/// as the XDG base directory rules say.
///
/// # Errors
/// A relative `WINDLASS_STATE_DIR`, or nothing that says where home is.
pub fn state_root(environment: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    root(&environment, "WINDLASS_STATE_DIR", "XDG_STATE_HOME", ".local/state")
}

/// Where the user's configuration is: `WINDLASS_CONFIG_DIR`, else `$XDG_CONFIG_HOME/windlass`, else
/// `~/.config/windlass`; the rest as for [`state_root`].
///
/// # Errors
/// A relative `WINDLASS_CONFIG_DIR`, or nothing that says where home is.
pub fn config_root(environment: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    root(&environment, "WINDLASS_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")
}

fn root(
    environment: &impl Fn(&str) -> Option<OsString>,
    own: &'static str,
    xdg: &str,
    below_home: &str,
) -> Result<PathBuf, StoreError> {
    let value = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(value) = value(own) {
        let path = PathBuf::from(&value);
        return if path.is_absolute() {
            Ok(path)
        } else {
            Err(StoreError::RelativeRoot { variable: own, value })
        };
    }
    let absolute = |name: &str| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(xdg)
        .or_else(|| absolute("HOME").map(|home| home.join(below_home)))
        .map(|base| base.join("windlass"))
        .ok_or(StoreError::NoHome { variable: own })
}

/// A project's folder in the state root. All working directories of one git repository share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Shared: a list of thousands of runs says of each whose it is.
    path: Arc<Path>,
}

impl Project {
    /// The project of a working directory. `git_common_directory` is what git says (`--git-common-dir`), where there
    /// is a repository. Both must exist; nothing is created. Where there is none, it is the project of whatever was there.
    pub fn locate(
        state_root: &Path,
        directory: &Path,
        git_common_directory: Option<&Path>,
    ) -> Result<Project, StoreError> {
        let path = git_common_directory.unwrap_or(directory);
        let identity = fs::canonicalize(path).attempted("find", path)?;
        let project = Project::known_as(state_root, &identity);
        if git_common_directory.is_none() {
            return Ok(gone::project_of(state_root, &identity).unwrap_or(project));
        }
        Ok(project)
    }

    pub(super) fn known_as(state_root: &Path, identity: &Path) -> Project {
        let name = format!("{}-{}", slug(named_after(identity)), short_digest(identity));
        Project { path: state_root.join("projects").join(name).into() }
    }

    /// Every project that has a folder below a state root, in no order: for runs whose repository is gone.
    pub fn all(state_root: &Path) -> Result<Vec<Project>, StoreError> {
        let folders = entries(&state_root.join("projects"))?.into_iter().map(|entry| entry.path());
        Ok(folders.filter(|path| path.is_dir()).map(|path| Project { path: path.into() }).collect())
    }

    /// The project that a run belongs to.
    pub(crate) fn of_run(folder: &RunFolder) -> Project {
        Project::around(folder.path())
    }

    /// The same of a run's folder.
    pub(super) fn around(folder: &Path) -> Project {
        // …/PROJECT/runs/RUN
        Project { path: folder.ancestors().nth(2).unwrap_or(folder).into() }
    }

    /// Creates the folder, for its owner only, so that it survives a power failure.
    pub fn create(&self) -> Result<(), StoreError> {
        let runs = self.runs();
        let missing: Vec<&Path> = runs.ancestors().take_while(|path| !path.is_dir()).collect();
        if !missing.is_empty() {
            // Where there is no run yet none has a note.
            create_folder(&self.noted())?;
        }
        create_folder(&runs)?;
        for parent in missing.into_iter().filter_map(Path::parent) {
            // One above ours may be writable and not readable; then the file system's own pace must do.
            let _ = sync_folder(parent);
        }
        Ok(())
    }

    /// What filters of the person's made inside sandboxes, by what they were given.
    pub fn filtered(&self) -> PathBuf {
        self.path.join("filtered")
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of all runs.
    pub fn runs(&self) -> PathBuf {
        self.path.join("runs")
    }

    /// The folder that names the runs with a note of what steers.
    pub(super) fn noted(&self) -> PathBuf {
        self.path.join("noted")
    }

    /// The folder of all interactive sessions.
    pub fn sessions(&self) -> PathBuf {
        self.path.join("sessions")
    }

    /// One line per ending of a run.
    pub fn index(&self) -> PathBuf {
        self.runs().join("index.jsonl")
    }

    /// The folder that says which runs are copies of what a fleet has.
    pub fn copies(&self) -> PathBuf {
        self.path.join("copies")
    }

    /// The folder of what holds for all runs of a pipeline.
    pub(super) fn pipelines(&self) -> PathBuf {
        self.path.join("pipelines")
    }

    /// The repository of snapshots.
    pub fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots.git")
    }

    /// The lock file of a working directory, which must be canonical.
    pub fn lock(&self, directory: &Path) -> PathBuf {
        self.path.join(format!("{LOCK_PREFIX}{}", short_digest(directory)))
    }
}

/// What to call a project: the folder that holds `.git`, a bare repository without its `.git`, else the folder itself.
/// It depends on nothing but the identity, so that every worktree and subfolder finds the same project.
fn named_after(identity: &Path) -> &OsStr {
    let name = identity.file_name().unwrap_or_default();
    if name == ".git" {
        return identity.parent().and_then(Path::file_name).unwrap_or_default();
    }
    if identity.extension() == Some(OsStr::new("git")) {
        return identity.file_stem().unwrap_or_default();
    }
    name
}

/// A folder's name in ASCII: lower-case letters, digits and single `-`, 1 to 32 characters.
fn slug(name: &OsStr) -> String {
    let mut slug = String::new();
    for byte in name.as_bytes() {
        if slug.len() == SLUG_LENGTH {
            break;
        }
        if byte.is_ascii_alphanumeric() {
            slug.push(char::from(byte.to_ascii_lowercase()));
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "project".to_owned() } else { slug.to_owned() }
}

/// The first 12 hexadecimal digits of the SHA-256 of a path's bytes.
fn short_digest(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_bytes());
    hexadecimal::digits(digest.get(..6).unwrap_or(&digest))
}
