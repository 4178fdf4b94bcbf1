//! Reports of looks at a tree, and of what was done to it.

use serde::{Deserialize, Serialize};

use crate::damage::{Damage, DamageCourse};
use crate::principles::Principles;
use crate::values::{CommitNotes, Evidence, JobStatus, LaneId, SnapshotId, Suspicion, TaskRow};

/// The world was looked at, and the tasks of the job were read, where it has any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surveyed {
    /// What was seen.
    pub baseline: BaselineCaptured,
    /// The job's tasks; `None` where they were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<TaskRow>>,
}

/// The world before the first iteration was looked at and kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineCaptured {
    /// What was seen.
    pub evidence: Evidence,
    /// Where it is kept; `None` without a git repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotId>,
    /// Files that the snapshot left out.
    #[serde(default)]
    pub left_out: u32,
    /// What the job's own file says; `None` where the mode reads none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<JobStatus>,
}

/// The job's own file says something else than before; seen while an agent worked, or after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusChanged {
    /// Where.
    pub lane: LaneId,
    /// What it says now.
    pub standing: JobStatus,
}

/// The tree that a call left is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotTaken {
    /// Where.
    pub lane: LaneId,
    /// What was seen.
    pub evidence: Evidence,
    /// Where it is kept; `None` without a git repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotId>,
    /// Files that differ from the iteration's beginning.
    #[serde(default)]
    pub changed: u32,
    /// Those that the agent may not change: they are protected, or its mode does not let it.
    #[serde(rename = "strayed", default, skip_serializing_if = "is_none")]
    pub forbidden_changes: u32,
    /// What the job's own file says; `None` where the mode reads none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<JobStatus>,
}

/// What speaks against the checks of a lane's tree is something else than before. The tree is being kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspected {
    /// Where.
    pub lane: LaneId,
    /// All that is suspicious now, with what was so before; empty = nothing is any more.
    pub suspicions: Vec<Suspicion>,
}

/// What an agent proposes as principles was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrinciplesProposed {
    /// Where.
    pub lane: LaneId,
    /// What was taken, and is in the project's file now; `None` = nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principles: Option<Principles>,
    /// Why nothing was: a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

/// What the agent may not change, since it is protected or by its mode, was undone; the kept tree still has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForbiddenChangesReverted {
    /// Where.
    pub lane: LaneId,
    /// How many files.
    pub count: u32,
    /// The first of them, relative to the working directory: at most 5.
    pub files: Vec<String>,
    /// They are as before; `false` where there is no snapshot to take them from.
    pub undone: bool,
    /// What is there now.
    pub evidence: Evidence,
}

/// The agent did something to the repository beyond its work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Damaged {
    /// Where.
    pub lane: LaneId,
    /// The iteration.
    pub iteration: u32,
    /// The attempt.
    pub attempt: u32,
    /// What, the worst first.
    pub found: Vec<Damage>,
    /// What follows.
    pub course: DamageCourse,
}

/// That was undone, as far as it could be; the kept tree still has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undone {
    /// Where.
    pub lane: LaneId,
    /// What is there now.
    pub evidence: Evidence,
    /// What the job's own file says now; `None` where the mode reads none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<JobStatus>,
}

/// A commit was made of what the iteration changed, or there was nothing to commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Committed {
    /// Where.
    pub lane: LaneId,
    /// The commit; `None` when nothing was left to commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What is there now, seen after the commit's own hooks.
    pub evidence: Evidence,
    /// The commit's hooks changed the tree that the gates had judged, whether there is a commit or not; or a gate wrote over
    /// the work after others had judged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub altered: bool,
    /// Why there is no commit although there were changes: what git or its hook said, at most 10 lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What else there is to say.
    #[serde(flatten)]
    pub notes: CommitNotes,
}

/// What the checks wrote was looked at, so that it is not taken for the agent's progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeRechecked {
    /// Where.
    pub lane: LaneId,
    /// What was seen.
    pub evidence: Evidence,
}

/// For counts that are left out where there is nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}
