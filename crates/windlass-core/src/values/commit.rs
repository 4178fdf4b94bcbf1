//! What there is to say about a commit of the runner beyond that it was made, or was not.

use serde::{Deserialize, Serialize};

use super::SnapshotId;

/// What the next agent and a person should know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNotes {
    /// A hook of the repository refused: the end of what it printed, at most 2 kB, for the next agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_output: Option<String>,
    /// Marks of a conflict were left in files: it is for the agent to take them out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_conflict_marks: bool,
    /// No agent and no other try changes why there is no commit: a person has to do something first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_person: bool,
    /// What is left out of commits until a person says otherwise, each with its reason; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_back: Vec<String>,
    /// Files that the gates judged the work with and that are in no commit, where the commit is to be pushed: neither ignored
    /// by git, nor written by a check, nor there when the run began; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Files that were there when the work was judged, and that the commit does not hold: those of a person that were uncommitted,
    /// and those that are held back; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// The tree that was committed, with what the runner itself wrote, in a job of tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotId>,
}
