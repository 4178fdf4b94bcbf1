//! One workspace: what lies where, and what its files say.

use std::path::{Path, PathBuf};

use windlass_core::values::{JobStatus, StatusSource};
use windlass_core::workspace::WorkspaceName;
use windlass_jobs::doc::status;
use windlass_jobs::doc::status::{LONGEST_STATUS, StatusFile};

use crate::sandbox::OF_WORKSPACES;

use windlass_host::file::FileError;
use windlass_host::file::digest;
use windlass_host::tree::at;

/// What is to be done, in the person's words.
pub const INSTRUCTIONS_FILE: &str = "INSTRUCTIONS.md";
/// The list of items.
pub const TODO_FILE: &str = "TODO.md";
/// What the agent claims.
pub const STATUS_FILE: &str = ".status.json";
/// Identity and history.
pub const METADATA_FILE: &str = ".metadata.json";
/// The workspace's layer of the configuration.
pub const CONFIG_FILE: &str = "config.toml";
/// What an agent said of the instructions.
pub const VALIDATION_REPORT: &str = "validation-report.md";
/// Folders whose content is work, not bookkeeping.
pub const WORK_FOLDERS: &[&str] = &["working", "reports"];

/// A workspace that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    name: WorkspaceName,
    folder: PathBuf,
}

impl Workspace {
    /// `folder` is canonical.
    pub(super) const fn new(name: WorkspaceName, folder: PathBuf) -> Workspace {
        Workspace { name, folder }
    }

    /// Its name.
    pub const fn name(&self) -> &WorkspaceName {
        &self.name
    }

    /// Its folder: canonical.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What of it is a person's alone, and steers its runs; perhaps not there.
    pub fn steering(&self) -> impl Iterator<Item = PathBuf> + '_ {
        OF_WORKSPACES.iter().map(|name| self.folder.join(name))
    }

    /// What is to be done, in the person's words; perhaps not there.
    pub fn instructions(&self) -> PathBuf {
        self.folder.join(INSTRUCTIONS_FILE)
    }

    /// The list of items.
    pub fn todo(&self) -> PathBuf {
        self.folder.join(TODO_FILE)
    }

    /// What the agent claims; perhaps not there.
    pub fn status(&self) -> PathBuf {
        self.folder.join(STATUS_FILE)
    }

    /// Identity and history.
    pub fn metadata_file(&self) -> PathBuf {
        self.folder.join(METADATA_FILE)
    }

    /// The workspace's layer of the configuration.
    pub fn config(&self) -> PathBuf {
        self.folder.join(CONFIG_FILE)
    }

    /// What an agent said of the instructions; perhaps not there.
    pub fn validation_report(&self) -> PathBuf {
        self.folder.join(VALIDATION_REPORT)
    }

    /// Are there instructions, and is something in them?
    pub fn has_instructions(&self) -> bool {
        let found = at(&self.instructions()).look_through();
        found.is_ok_and(|found| found.is_some_and(|found| found.is_regular() && found.size > 0))
    }

    /// What the agent's status file says; where there is none, the boxes of the list. What cannot be read is named in it.
    pub fn standing(&self) -> JobStatus {
        let read = |path: &Path| at(path).read_beginning(LONGEST_STATUS);
        let (status, todo) = match read(&self.status()) {
            Ok(status) => (status, read(&self.todo()).unwrap_or_default()),
            Err(error) => return unreadable(&error),
        };
        let mark = |bytes: &[u8]| digest(bytes).chars().take(16).collect::<String>();
        let (status_mark, todo_mark) =
            (mark(status.as_deref().unwrap_or_default()), mark(todo.as_deref().unwrap_or_default()));
        let standing = status::standing(
            status.as_deref().map(|bytes| StatusFile { bytes, mark: &status_mark }),
            todo.as_deref().map(|bytes| StatusFile { bytes, mark: &todo_mark }),
        );
        // A list without boxes, as it is made, says nothing.
        let says_something = standing.source != StatusSource::TodoFile
            || standing.items.is_some()
            || standing.problem.is_some();
        if says_something { standing } else { JobStatus::default() }
    }
}

fn unreadable(error: &FileError) -> JobStatus {
    let source = StatusSource::StatusFile;
    JobStatus {
        source,
        problem: Some(format!("it cannot be read ({})", error.source)),
        ..JobStatus::default()
    }
}
