//! An interactive session's folder: what the agent was given, and where the session was, so that its files can be put
//! back.
//!
//! ```text
//! sessions/<session>/session.json  system.md  settings.json
//! ```

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::values::{RunId, path_text};

use super::StoreError;
use super::files::{create_folder, create_new_folder, read_if_present, write_atomically, write_private};
use super::paths::Project;
use super::run_folder::{all_below, is_id, random_id, the_one};

/// What every session's id begins with. A session has an id of the same kind as a run: locks, snapshots and the mark
/// of what it starts know no difference.
const PREFIX: &str = "s-";

/// An interactive session's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFolder {
    session: RunId,
    path: PathBuf,
}

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The verb: `setup`, `edit`.
    pub verb: String,
    /// What it was about: a workspace's name.
    pub about: String,
    /// The working directory.
    #[serde(with = "path_text")]
    pub directory: PathBuf,
    /// When it began.
    pub started: Timestamp,
}

impl SessionFolder {
    /// A new session: draws an id that no session of this project has, and creates its folder.
    pub fn create(project: &Project, record: &SessionRecord) -> Result<SessionFolder, StoreError> {
        project.create()?;
        create_folder(&project.sessions())?;
        let folder = loop {
            let session = random_id(PREFIX)?;
            let path = project.sessions().join(&session.0);
            match create_new_folder(&path) {
                Ok(()) => break SessionFolder { session, path },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::io("create", &path, error)),
            }
        };
        let path = folder.path.join("session.json");
        let json = serde_json::to_vec(record)
            .map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
        write_atomically(&path, &json)?;
        Ok(folder)
    }

    /// Its id.
    pub const fn session(&self) -> &RunId {
        &self.session
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is appended to the agent's system prompt.
    pub fn system(&self) -> PathBuf {
        self.path.join("system.md")
    }

    /// What the agent may do.
    pub fn settings(&self) -> PathBuf {
        self.path.join("settings.json")
    }

    /// Writes what the agent is given.
    pub fn write(&self, system: &str, settings: &str) -> Result<(), StoreError> {
        write_private(&self.system(), system.as_bytes())?;
        write_private(&self.settings(), settings.as_bytes())
    }
}

/// Is this the id of a session, or the beginning of one? A run's is never.
pub fn names_session(text: &str) -> bool {
    text.trim().to_ascii_lowercase().starts_with(PREFIX)
}

/// `run r-…` or `session s-…`.
pub fn holder_in_words(id: &RunId) -> String {
    if is_session(id) { format!("session {id}") } else { format!("run {id}") }
}

/// Is this a session and no run?
pub fn is_session(id: &RunId) -> bool {
    is_id(&id.0, PREFIX)
}

/// The session whose id begins with `text`, and what is known of it.
///
/// # Errors
/// There is none, or several; or what was written of it cannot be read.
pub fn find_session(project: &Project, text: &str) -> Result<(RunId, SessionRecord), StoreError> {
    let none = || StoreError::NoSuchSession { text: text.to_owned() };
    let session = match the_one(all_below(&project.sessions(), PREFIX)?, PREFIX, text) {
        Err(StoreError::NoSuchRun { .. }) => return Err(none()),
        found => found?,
    };
    let bytes = read_if_present(&project.sessions().join(&session.0).join("session.json"))?;
    let record = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok((session, record.ok_or_else(none)?))
}
