//! Tasks: which is begun, what became of it.

use windlass_core::values::{LaneId, MergeOutcome, TaskEnd, TaskId};
use windlass_core::words::some_of;

use super::{indented, notice};
use crate::board::Board;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// So many paths are named.
const NAMED: usize = 3;

/// A lane takes up a task, or goes on with its own.
pub(super) fn begun(board: &Board, iteration: u32, task: &TaskId) -> Line {
    let title = board.title_of(task).map(|title| format!(" {}", one_line(title))).unwrap_or_default();
    indented(board).dim(format!("Running iteration {iteration}: {}{title}", one_line(&task.0)))
}

/// Both sides changed the same: the agent is asked to put it together.
pub(super) fn merged(board: &Board, lane: LaneId, outcome: &MergeOutcome) -> Option<Line> {
    let MergeOutcome::Conflict { paths } = outcome else { return None };
    let named = some_of(paths.iter().map(|path| one_line(path)), NAMED);
    let iteration = board.lanes.get(&lane).map_or(0, |lane| lane.iteration);
    let text = format!("iteration {iteration} conflicts with what has landed meanwhile: {named}");
    Some(notice(board, Mark::Doubtful, &text))
}

/// A task is done, or put aside.
pub(super) fn closed(board: &Board, task: &TaskId, end: &TaskEnd, branch: Option<&str>) -> Vec<Line> {
    let task = one_line(&task.0);
    match end {
        TaskEnd::Done => {
            let counts = board.tasks.counts();
            let said = format!(" {task} is done ({}/{})", counts.done, counts.total);
            vec![indented(board).mark(Tone::Good, Mark::Complete).plain(said)]
        }
        TaskEnd::Again { .. } => Vec::new(),
        TaskEnd::Parked { reason } => {
            let kept =
                branch.map(|branch| format!("; its work is on {}", one_line(branch))).unwrap_or_default();
            vec![notice(board, Mark::Doubtful, &format!("{task} is parked: {}{kept}", one_line(reason)))]
        }
    }
}
