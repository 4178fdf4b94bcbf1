//! What facts are called.

use super::Fact;

impl Fact {
    /// Its kind, as the journal names it.
    pub const fn name(&self) -> &'static str {
        match self {
            Fact::RunStarted { .. } => "run_started",
            Fact::BaselineCaptured { .. } => "surveyed",
            Fact::CheckFinished { .. } => "check_finished",
            Fact::IterationStarted { .. } => "iteration_started",
            Fact::TasksRead { .. } => "tasks_read",
            Fact::LaneOpened { .. } => "lane_opened",
            Fact::Merged { .. } => "merged",
            Fact::Landed { .. } => "landed",
            Fact::TaskClosed { .. } => "task_closed",
            Fact::CallReserved { .. } => "call_reserved",
            Fact::CallSpawned { .. } => "call_spawned",
            Fact::CallCut { .. } => "call_cut",
            Fact::CallFinished { .. } => "call_finished",
            Fact::StatusChanged { .. } => "status_changed",
            Fact::SnapshotTaken { .. } => "kept",
            Fact::Suspected { .. } => "suspected",
            Fact::ForbiddenChangesReverted { .. } => "refused",
            Fact::Damaged { .. } => "damaged",
            Fact::Undone { .. } => "undone",
            Fact::HookDue { .. } => "hook_due",
            Fact::HookFinished { .. } => "hook_finished",
            Fact::Committed { .. } => "committed",
            Fact::TreeRechecked { .. } => "settled",
            Fact::VerificationDue { .. } => "verification_due",
            Fact::AttemptRepeats { .. } => "attempt_repeats",
            Fact::IterationFinished { .. } => "iteration_finished",
            Fact::BackoffStarted { .. } => "held",
            Fact::BackoffEnded => "released",
            Fact::StopRequested { .. } => "stop_requested",
            Fact::Failing { .. } => "failing",
            Fact::RunResumed { .. } => "run_resumed",
            Fact::Noticed { .. } => "noticed",
            Fact::NotificationSettled { .. } => "notification_settled",
            Fact::RunEnding { .. } => "run_ending",
            Fact::RunFinished { .. } => "run_finished",
        }
    }
}
