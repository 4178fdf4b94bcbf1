//! The workspace of a job, and what is read and written there.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::values::path_text;

/// The workspace that a job lives in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWorkspace {
    /// Its name.
    pub name: String,
    /// Its folder: canonical.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// A status file from before this run counts as well (`--trust-existing-status`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust_existing_status: bool,
    /// The boxes of `TODO.md` count where there is no readable status file (`--todo-fallback`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub todo_fallback: bool,
    /// How these files are watched while an agent works; `None` = they are read after each call, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<StatusWatch>,
    /// The log that each session of the run writes into the folder; `None` = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<JobLog>,
}

/// The log of a run in its workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLog {
    /// So many logs are kept in the folder, this one among them; `None` = all.
    pub keep: Option<u32>,
    /// They take so many bytes at most, this one aside; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_bytes: Option<u64>,
    /// This session's file in the folder; `None` before it is made, and where it could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl JobWorkspace {
    /// This session's log.
    pub fn log_file(&self) -> Option<PathBuf> {
        Some(self.folder.join(self.log.as_ref()?.file.as_ref()?))
    }
}

/// How a workspace's status file is watched while an agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusWatch {
    /// So long after a change it is told, together with the changes that came meanwhile.
    pub debounce: Duration,
    /// Which changes are told.
    pub news: StatusNews,
}

/// Which changes of a status file are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusNews {
    /// Those that say something else than before, whenever that was written.
    #[default]
    Meaningful,
    /// Every one, even if nothing but a time differs.
    EveryWrite,
}
