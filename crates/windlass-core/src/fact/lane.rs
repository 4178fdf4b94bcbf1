//! In which lane a fact happened.

use super::{Fact, LaneId};

impl Fact {
    /// Where it happened; `None` where that is the run as a whole.
    pub const fn lane(&self) -> Option<LaneId> {
        match self {
            Fact::CheckFinished { lane, .. }
            | Fact::IterationStarted { lane, .. }
            | Fact::LaneOpened { lane, .. }
            | Fact::Merged { lane, .. }
            | Fact::Landed { lane, .. }
            | Fact::TaskClosed { lane, .. }
            | Fact::CallReserved { lane, .. }
            | Fact::CallSpawned { lane, .. }
            | Fact::CallCut { lane, .. }
            | Fact::CallFinished { lane, .. }
            | Fact::StatusChanged { lane, .. }
            | Fact::SnapshotTaken { lane, .. }
            | Fact::Suspected { lane, .. }
            | Fact::ForbiddenChangesReverted { lane, .. }
            | Fact::Damaged { lane, .. }
            | Fact::Undone { lane, .. }
            | Fact::Committed { lane, .. }
            | Fact::TreeRechecked { lane, .. }
            | Fact::VerificationDue { lane, .. }
            | Fact::AttemptRepeats { lane, .. }
            | Fact::IterationFinished { lane, .. } => Some(*lane),
            _ => None,
        }
    }
}
