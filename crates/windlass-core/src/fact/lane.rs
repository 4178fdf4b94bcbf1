//! In which lane a fact happened.

use super::{Fact, LaneId};

impl Fact {
    /// Where it happened; `None` where that is the run as a whole.
    #[must_use]
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
            | Fact::Kept { lane, .. }
            | Fact::Suspected { lane, .. }
            | Fact::Refused { lane, .. }
            | Fact::Damaged { lane, .. }
            | Fact::Undone { lane, .. }
            | Fact::Committed { lane, .. }
            | Fact::Settled { lane, .. }
            | Fact::VerificationDue { lane, .. }
            | Fact::AttemptRepeats { lane, .. }
            | Fact::IterationFinished { lane, .. } => Some(*lane),
            _ => None,
        }
    }
}
