//! Tasks of a task file, as a run knows them.

use std::fmt;
use strum::{IntoStaticStr, VariantNames};

use serde::{Deserialize, Serialize};

/// A task's name in its file, as it is written there: `TASK-001`, `T1`, `US-007b`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub String);

/// How far a task is, as its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum TaskState {
    /// `[~]` in a plan, `in-progress` in a task file.
    InProgress,
    /// `[ ]` in a plan, or a heading without a mark; `pending` in a task file.
    #[default]
    Open,
    /// `[x]`, `[X]`, or a heading with `✅` or `✓` in a plan; `done` in a task file.
    Done,
}

/// A task as it was when a session of a run began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its name.
    pub id: TaskId,
    /// What it is called, in one line.
    pub title: String,
    /// How far it was.
    pub state: TaskState,
    /// 1 comes first; 2 where its file says nothing.
    pub priority: u8,
    /// The tasks that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<TaskId>,
    /// What kind of change it is (`feat`, `fix`), for the commit's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it breaks, for the commit's footer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking: Option<String>,
    /// Who is asked first to work on it, as its file says: an agent's name, or `name:model`. Where nobody of the run is called
    /// so, it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What a worker of a fleet has to have for it: labels (`gpu`, `os=linux`). On one machine it says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Patterns of files that may not be changed while it is worked on; with `!` before it, one that may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// Why nobody can work on it before a person has mended its file, as the end of a sentence: its status is none, or
    /// several tasks have its id and not all are done. It is open, whatever else is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unclear: Option<String>,
    /// A person has said that it is as far as that while no runner was there: that counts, whatever an agent may have written then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vouched: bool,
}

impl TaskRow {
    /// The priority of a task whose file says nothing of it.
    pub const USUAL_PRIORITY: u8 = 2;
}

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for TaskId {
    fn from(id: &str) -> TaskId {
        TaskId(id.to_owned())
    }
}
