//! What facts are called.

use super::Fact;

impl Fact {
    /// Its kind, as the journal names it.
    pub const fn name(&self) -> &'static str {
        match self {
            Fact::RunStarted { .. } => "run_started",
            Fact::BaselineCaptured(_) => "surveyed",
            Fact::CheckFinished(_) => "check_finished",
            Fact::IterationStarted { .. } => "iteration_started",
            Fact::TasksRead { .. } => "tasks_read",
            Fact::LaneOpened(_) => "lane_opened",
            Fact::Merged(_) => "merged",
            Fact::Landed(_) => "landed",
            Fact::TaskClosed(_) => "task_closed",
            Fact::CallReserved { .. } => "call_reserved",
            Fact::CallSpawned(_) => "call_spawned",
            Fact::CallCut { .. } => "call_cut",
            Fact::CallFinished { .. } => "call_finished",
            Fact::StatusChanged(_) => "status_changed",
            Fact::SnapshotTaken(_) => "kept",
            Fact::Suspected(_) => "suspected",
            Fact::ForbiddenChangesReverted(_) => "refused",
            Fact::Damaged(_) => "damaged",
            Fact::Undone(_) => "undone",
            Fact::HookDue { .. } => "hook_due",
            Fact::HookFinished(_) => "hook_finished",
            Fact::Committed(_) => "committed",
            Fact::TreeRechecked(_) => "settled",
            Fact::VerificationDue { .. } => "verification_due",
            Fact::AttemptRepeats { .. } => "attempt_repeats",
            Fact::IterationFinished { .. } => "iteration_finished",
            Fact::BackoffStarted { .. } => "held",
            Fact::BackoffEnded => "released",
            Fact::StopRequested { .. } => "stop_requested",
            Fact::Failing { .. } => "failing",
            Fact::RunResumed { .. } => "run_resumed",
            Fact::Noticed(_) => "noticed",
            Fact::NotificationSettled(_) => "notification_settled",
            Fact::RunEnding { .. } => "run_ending",
            Fact::RunFinished { .. } => "run_finished",
        }
    }
}
