//! Issues that a run works off: leased, taken by others, told.

use jiff::tz::TimeZone;
use windlass_core::report::{IssueMove, IssueStep, IssueTask};

use super::{indented, notice};
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// The line of a step; `None` where it says nothing new.
pub(super) fn line(board: &Board, step: &IssueStep, zone: &TimeZone) -> Option<Line> {
    let clock = |moment| format::clock(moment, board.now, zone);
    match step {
        // Leases come and go with their tasks, which are told.
        IssueStep::Wanted { .. } | IssueStep::Leased { .. } | IssueStep::Ending | IssueStep::Due => None,
        IssueStep::Taken { task, by, until } => {
            let until = clock(*until);
            Some(said(board, &format!("{task} is worked on by another run, {by}, at least until {until}")))
        }
        IssueStep::Closed { task } => Some(said(board, &format!("{task} is closed, or done, on its forge"))),
        IssueStep::Told { task, what } => {
            let what = match what {
                IssueTask::TellDone => "the result is told there",
                IssueTask::TellParked => "it is told there that it is parked",
                IssueTask::Lease | IssueTask::GiveBack => return None,
            };
            Some(said(board, &format!("{task}: {what}")))
        }
        IssueStep::Stalled { task, why, next, .. } => {
            let next = match next {
                IssueMove::Again(again) => format!("; again at {}", clock(*again)),
                IssueMove::LeftOut => "; it is left out".to_owned(),
                IssueMove::GivenUp => "; the forge is not asked any more".to_owned(),
            };
            Some(notice(board, Mark::Notice, &format!("{task}: {why}{next}")))
        }
    }
}

fn said(board: &Board, text: &str) -> Line {
    indented(board).mark(Tone::Plain, Mark::Memo).plain(format!(" {}", one_line(text)))
}
