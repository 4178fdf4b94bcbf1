//! How lines of a narration begin.

use crate::board::Board;
use crate::line::Line;

/// Where the text of a labelled line begins.
pub(super) const COLUMN: usize = 14;

/// `  label    text`.
pub(crate) fn labelled(label: &str) -> Line {
    Line::hanging(COLUMN).dim(format!("  {label:<width$}", width = COLUMN - 2))
}

/// Lines of which the first has the label.
pub(crate) fn labelled_once(label: &str) -> impl Iterator<Item = Line> {
    std::iter::once(labelled(label)).chain(std::iter::repeat_with(|| labelled("")))
}

/// The columns before the marks: those that iteration numbers take, and two blanks on each side.
pub(super) fn gutter(board: &Board) -> usize {
    let most = board.plan.as_ref().and_then(|plan| plan.limits.iterations);
    most.map_or(3, |most| most.to_string().len()).max(2) + 4
}

/// A line below an iteration's; it begins where the verdict does.
pub(super) fn below(board: &Board) -> Line {
    let column = gutter(board) + 2;
    Line::hanging(column + 2).plain(" ".repeat(column))
}
