//! Reports of lanes with checkouts of their own, and of tasks.

use serde::{Deserialize, Serialize};

use crate::values::{Evidence, LandOutcome, LaneId, MergeOutcome, SnapshotId, TaskEnd, TaskId};

/// A lane's own checkout is at the tip of the branch, or where the lane's task was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneOpened {
    /// Where.
    pub lane: LaneId,
    /// The commit that it is counted from.
    pub base: String,
    /// What was seen there.
    pub evidence: Evidence,
    /// Where it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotId>,
}

/// A lane's own checkout is gone, or is another one: somebody removed it. Or it could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneLost {
    /// Which.
    pub lane: LaneId,
    /// The worker of a fleet that had it and is gone, or has given it up; `None` where the checkout was on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Why git could not fill it, in its own words; `None` where it had been there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfilled: Option<String>,
}

impl LaneLost {
    /// Somebody removed it.
    pub const fn removed(lane: LaneId) -> LaneLost {
        LaneLost { lane, worker: None, unfilled: None }
    }

    /// The worker that had it is gone, or has given it up.
    pub const fn with_worker(lane: LaneId, worker: String) -> LaneLost {
        LaneLost { lane, worker: Some(worker), unfilled: None }
    }

    /// It never was there: git could not fill it.
    pub const fn unfilled(lane: LaneId, why: String) -> LaneLost {
        LaneLost { lane, worker: None, unfilled: Some(why) }
    }
}

/// A lane's work was merged with the tip of the branch, in the lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// Where.
    pub lane: LaneId,
    /// The tip.
    pub tip: String,
    /// What came of it.
    pub outcome: MergeOutcome,
    /// What is in the lane now.
    pub evidence: Evidence,
}

/// A lane's work was to reach the branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landed {
    /// Where.
    pub lane: LaneId,
    /// What came of it.
    pub outcome: LandOutcome,
}

/// What an iteration means for its task is written down where people look for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskClosed {
    /// Where.
    pub lane: LaneId,
    /// The iteration that ended.
    pub iteration: u32,
    /// The task.
    pub task: TaskId,
    /// How it stands.
    pub end: TaskEnd,
    /// The branch that holds the work of a parked task; `None` where there was none to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What is in the lane now.
    pub evidence: Evidence,
    /// Where it is kept, where the lane was put back to what was last committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotId>,
}
