//! In which lane a fact happened.

use super::{Fact, LaneId};
use crate::report;

impl Fact {
    /// Where it happened; `None` where that is the run as a whole.
    pub const fn lane(&self) -> Option<LaneId> {
        match self {
            Fact::CheckFinished(report::CheckFinished { lane, .. })
            | Fact::IterationStarted { lane, .. }
            | Fact::LaneOpened(report::LaneOpened { lane, .. })
            | Fact::Merged(report::Merged { lane, .. })
            | Fact::Landed(report::Landed { lane, .. })
            | Fact::TaskClosed(report::TaskClosed { lane, .. })
            | Fact::CallReserved { lane, .. }
            | Fact::CallSpawned(report::CallSpawned { lane, .. })
            | Fact::CallCut { lane, .. }
            | Fact::CallFinished { lane, .. }
            | Fact::CallRecharged { lane, .. }
            | Fact::StatusChanged(report::StatusChanged { lane, .. })
            | Fact::SnapshotTaken(report::SnapshotTaken { lane, .. })
            | Fact::Suspected(report::Suspected { lane, .. })
            | Fact::PrinciplesCollected { lane, .. }
            | Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { lane, .. })
            | Fact::Damaged(report::Damaged { lane, .. })
            | Fact::Undone(report::Undone { lane, .. })
            | Fact::Committed(report::Committed { lane, .. })
            | Fact::TreeRechecked(report::TreeRechecked { lane, .. })
            | Fact::FollowUpDue { lane, .. }
            | Fact::DecisionLogged(report::DecisionLogged { lane, .. })
            | Fact::ReviewSkipped(report::ReviewSkipped { lane, .. })
            | Fact::AttemptRepeats { lane, .. }
            | Fact::IterationFinished { lane, .. } => Some(*lane),
            // Hooks and what follows from them are the run's, whichever lane's keeper they run below.
            Fact::HookDue { .. }
            | Fact::HookFinished(_)
            | Fact::RunStarted { .. }
            | Fact::RunResumed { .. }
            | Fact::BaselineCaptured(_)
            | Fact::TasksRead { .. }
            | Fact::Delivery(_)
            | Fact::Issue(_)
            | Fact::BackoffStarted { .. }
            | Fact::BackoffEnded
            | Fact::AgentAway { .. }
            | Fact::AgentBack { .. }
            | Fact::StopRequested { .. }
            | Fact::ParkRequested { .. }
            | Fact::Failing { .. }
            | Fact::ActionAsked(_)
            | Fact::Noticed(_)
            | Fact::NotificationSettled(_)
            | Fact::RunEnding { .. }
            | Fact::RunFinished { .. } => None,
        }
    }
}
