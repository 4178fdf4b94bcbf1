//! What a fresh agent decides about a conflict of principles.

use windlass_core::council::DECISION_LOG;
use windlass_core::spec::RunSpec;
use windlass_core::values::{CallId, CallSummary, Conflict, Decision, LaneId};

use super::lines::{below, labelled};
use super::review::is_repeated;
use super::{indented, notice};
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// That conflicts are put before one.
pub(super) fn header(plan: &RunSpec) -> Option<Line> {
    let council = plan.council.as_ref().filter(|_| plan.principles.is_some())?;
    let model =
        council.model.as_ref().map(|model| format!(", model {}", one_line(model))).unwrap_or_default();
    let most = format::count(u64::from(council.per_run), "time");
    Some(
        labelled("council")
            .plain(format!("a fresh agent settles conflicts of principles, at most {most}{model}")),
    )
}

/// What it is asked.
pub(super) fn asked(board: &Board, lane: LaneId) -> Vec<Line> {
    let Some(conflict) = board.councils.conflict(lane) else { return Vec::new() };
    let between = conflict.principles.iter().map(|name| one_line(name)).collect::<Vec<_>>().join(", ");
    let between = if between.is_empty() { between } else { format!("{between}: ") };
    vec![below(board).dim(between).plain(one_line(&conflict.question))]
}

/// What it said.
pub(super) fn finished(board: &Board, lane: LaneId, call: CallId, summary: &CallSummary) -> Vec<Line> {
    let conflict = board.councils.conflict(lane).filter(|_| board.councils.is_council(call));
    let Some(conflict) = conflict.filter(|_| !is_repeated(summary.class)) else { return Vec::new() };
    if let Some(why) = Decision::unusable_because(summary, conflict) {
        let text = format!("nothing is decided, and the iteration ends without: {why}");
        return vec![notice(board, Mark::Notice, &text)];
    }
    Decision::of(summary, conflict).map_or_else(Vec::new, |decision| decided(board, conflict, decision))
}

fn decided(board: &Board, conflict: &Conflict, decision: &Decision) -> Vec<Line> {
    let head = indented(board)
        .mark(Tone::Good, Mark::Passed)
        .tone(Tone::Good, " decided")
        .plain(format!(": {}", one_line(&decision.decision)));
    let chosen = conflict.chosen(decision).map(|option| below(board).dim("chosen: ").plain(one_line(option)));
    let why = Some(&decision.rationale).filter(|why| !why.is_empty());
    let why = why.map(|why| below(board).dim("why: ").plain(one_line(why)));
    std::iter::once(head).chain(chosen).chain(why).collect()
}

/// Where it could not be logged.
pub(super) fn logged(board: &Board, refused: &str) -> Option<Line> {
    let text = format!("what was decided is not noted in {DECISION_LOG}: {refused}; it holds all the same");
    (!refused.is_empty()).then(|| notice(board, Mark::Notice, &text))
}
