//! What the job's own file says of how the job stands.

use serde::{Deserialize, Serialize};

/// What a mode reads of its job: the status file of a workspace (`.status.json`), or what stands in for it. A claim of
/// the agent's, nothing more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Where it was read.
    pub source: StandingSource,
    /// A digest of the file's bytes: tells whether it was written since, even with the same content but for a time.
    /// Empty when there is no file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mark: String,
    /// The agent says that the job is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// The agent says whether it found work to do (iterative mode).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked: Option<bool>,
    /// Items done and items in all, where the agent counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// One line of the agent's, at most 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The phase that the agent says it is in, at most 80 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// What the agent says stands in its way: at most 5, at most 200 characters each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// What is wrong with the file, in one sentence; what could be read of it is here all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Where a [`Standing`] was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandingSource {
    /// There is no such file.
    #[default]
    Nowhere,
    /// The status file.
    StatusFile,
    /// The boxes of `TODO.md`, since there is no readable status file (`--todo-fallback`).
    TodoFile,
}

/// Items counted by the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    /// Done.
    pub done: u64,
    /// In all.
    pub total: u64,
}

impl Items {
    /// What is left; nothing when more is done than there was.
    #[must_use]
    pub const fn remaining(self) -> u64 {
        self.total.saturating_sub(self.done)
    }
}

impl Standing {
    /// Do they say the same, whenever they were written?
    #[must_use]
    pub fn says_the_same(&self, other: &Standing) -> bool {
        let Standing { source, mark: _, complete, worked, items, summary, phase, blockers, problem } = self;
        (source, complete, worked, items, summary, phase, blockers, problem)
            == (
                &other.source,
                &other.complete,
                &other.worked,
                &other.items,
                &other.summary,
                &other.phase,
                &other.blockers,
                &other.problem,
            )
    }
}
