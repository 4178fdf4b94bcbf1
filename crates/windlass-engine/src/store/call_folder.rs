//! The folder of one call, within that of its run.

use std::path::{Path, PathBuf};

use super::StoreError;
use super::files::create_folder;

/// What one call was told and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFolder {
    path: PathBuf,
}

impl CallFolder {
    pub(super) const fn at(path: PathBuf) -> CallFolder {
        CallFolder { path }
    }

    /// Creates the folder; it may be there already.
    pub fn create(&self) -> Result<(), StoreError> {
        create_folder(&self.path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The prompt, as the agent got it.
    pub fn prompt(&self) -> PathBuf {
        self.path.join("prompt.md")
    }

    /// The system prompt, as the agent got it.
    pub fn system(&self) -> PathBuf {
        self.path.join("system.md")
    }

    /// The agent's output, byte for byte.
    pub fn stream(&self) -> PathBuf {
        self.path.join("stream.ndjson")
    }

    /// When the agent's output came.
    pub fn times(&self) -> PathBuf {
        self.path.join("times")
    }

    /// What was heard of the output while the call is made on another machine.
    pub fn live(&self) -> PathBuf {
        self.path.join("live.ndjson")
    }

    /// When that came.
    pub fn live_times(&self) -> PathBuf {
        self.path.join("live-times")
    }

    /// What there is to read of the output, and when it came: all of it, or what was heard where there is no more yet.
    pub fn recorded(&self) -> (PathBuf, PathBuf) {
        let (stream, live) = (self.stream(), self.live());
        // outside: the run's folder.
        if !stream.exists() && live.exists() { (live, self.live_times()) } else { (stream, self.times()) }
    }

    /// What the agent printed on its standard error; not there when it printed nothing.
    pub fn stderr(&self) -> PathBuf {
        self.path.join("stderr.log")
    }

    /// The output of the gates that judged what the call left; not there when none did.
    pub fn gates(&self) -> PathBuf {
        self.path.join("gates")
    }
}
