//! Which reports answer orders.

use crate::report::Report;

/// Does a report end what was ordered?
pub const fn is_answer(report: &Report) -> bool {
    matches!(
        report,
        Report::LaneOpened(_)
            | Report::LaneLost(_)
            | Report::Prepared(_)
            | Report::ReviewSkipped(_)
            | Report::CallEnded(_)
            | Report::SnapshotTaken(_)
            | Report::ForbiddenChangesReverted(_)
            | Report::Undone(_)
            | Report::CheckFinished(_)
            | Report::Committed(_)
            | Report::TreeRechecked(_)
            | Report::Merged(_)
            | Report::TaskClosed(_)
    )
}
