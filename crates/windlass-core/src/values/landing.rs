//! What became of a task, and of a lane's work on its way to the branch.

use serde::{Deserialize, Serialize};

use super::TaskState;

/// How an iteration left its task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEnd {
    /// Claimed, its gates green, and kept.
    Done,
    /// Not done: the next iteration goes on with it.
    Again {
        /// What counted against it, in a few words; empty where it made progress.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// Put aside: it failed too often, or only a person can decide. What depends on it waits.
    Parked {
        /// Why: one sentence.
        reason: String,
    },
}

impl TaskEnd {
    /// How the task stands in its file then.
    pub const fn state(&self) -> TaskState {
        match self {
            TaskEnd::Done => TaskState::Done,
            TaskEnd::Again { .. } => TaskState::InProgress,
            TaskEnd::Parked { .. } => TaskState::Open,
        }
    }
}

/// What came of merging a lane's work with the tip of the branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeOutcome {
    /// The lane holds the merged tree.
    Clean {
        /// The work on top of the tip; `None` where the task changed nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// What would land is another tree than the one that the gates judged.
        retest: bool,
    },
    /// Both sides changed the same: the lane holds the tip's tree with the marks of the conflicts.
    Conflict {
        /// Paths, relative to the top of the repository: at most 20.
        paths: Vec<String>,
    },
}

/// What came of bringing a lane's work to the branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandOutcome {
    /// The branch has it.
    Landed {
        /// Its new tip.
        commit: String,
    },
    /// Somebody else moved the branch meanwhile: it has to be merged again.
    Moved,
    /// Another git keeps a checkout of the branch locked: it is tried again, for as long as the run has nothing to end for.
    Held,
    /// It cannot be: one sentence says why. Nothing was changed.
    Refused {
        /// Why.
        why: String,
    },
}
