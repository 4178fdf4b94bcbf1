//! What a fresh agent makes of an iteration's work before it counts.

use windlass_core::spec::ReviewScope;
use windlass_core::values::{
    CallSummary, Class, CriterionJudged, LaneId, Purpose, Review, ReviewFinding, Reviewed, Severity,
};

use super::lines::below;
use super::{indented, notice};
use crate::board::{Board, LaneBoard};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// A reviewer is called; where its call is repeated, that has a line of its own.
pub(super) fn begun(board: &Board, lane: LaneId) -> Vec<Line> {
    let repeats = board.lanes.get(&lane).is_some_and(|lane| lane.reviewed.is_some());
    let review = board.plan.as_ref().and_then(|plan| plan.review.as_ref());
    let text = match review.map(|review| review.scope) {
        Some(ReviewScope::Criteria) => " a fresh agent judges the task's success criteria",
        _ => " a fresh agent looks over the work",
    };
    let begun = indented(board).mark(Tone::Warn, Mark::Doubtful).plain(text);
    if repeats { Vec::new() } else { vec![begun] }
}

/// What it said.
pub(super) fn finished(board: &Board, lane: LaneId, call: &CallSummary) -> Vec<Line> {
    let purpose = board.lanes.get(&lane).and_then(|lane| lane.purpose);
    if purpose != Some(Purpose::Review) || is_repeated(call.class) {
        return Vec::new();
    }
    if let Some(why) = Reviewed::unusable_because(call) {
        let text = format!("no usable review, so the work does not count yet: {why}");
        return vec![notice(board, Mark::Notice, &text)];
    }
    call.review.as_ref().map_or_else(Vec::new, |review| said(board, review))
}

/// A call that did not get through, or was cut off, is made again, and says nothing of the work.
pub(super) fn is_repeated(class: Class) -> bool {
    class.is_fatal() || matches!(class, Class::UsageLimit | Class::Outage | Class::Interrupted)
}

fn said(board: &Board, review: &Review) -> Vec<Line> {
    let (tone, mark, word) = match review.outcome() {
        Reviewed::Rejected => (Tone::Bad, Mark::Failed, "rejected"),
        _ => (Tone::Good, Mark::Passed, "passed"),
    };
    let summary = one_line(&review.summary);
    let colon = if summary.is_empty() { "" } else { ": " };
    let head = indented(board)
        .mark(tone, mark)
        .tone(tone, format!(" review: {word}"))
        .plain(format!("{colon}{summary}"));
    let mut lines = vec![head];
    lines.extend(review.criteria.iter().map(|one| judged(board, one)));
    lines.extend(review.findings.iter().map(|finding| found(board, finding)));
    lines
}

fn judged(board: &Board, said: &CriterionJudged) -> Line {
    let (tone, mark, words) = match said.met {
        Some(true) => (Tone::Good, Mark::Passed, "met"),
        _ => (Tone::Bad, Mark::Failed, "not met"),
    };
    let because = one_line(&said.because);
    let because = if because.is_empty() { because } else { format!(" ({because})") };
    below(board).mark(tone, mark).dim(format!(" {words}: ")).plain(one_line(&said.criterion)).dim(because)
}

fn found(board: &Board, finding: &ReviewFinding) -> Line {
    let (tone, mark) = match finding.severity {
        Severity::Blocking => (Tone::Bad, Mark::Failed),
        Severity::Minor => (Tone::Dim, Mark::Nothing),
    };
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let file = one_line(&finding.file);
    let place = if file.is_empty() { String::new() } else { format!("{file}{line}: ") };
    below(board).mark(tone, mark).dim(format!(" {place}")).plain(one_line(&finding.text))
}

pub(super) fn skipped(board: &Board, lines: u32) -> Line {
    let text = match lines {
        0 => " not reviewed: nothing has changed that a reviewer looks at".to_owned(),
        lines => format!(" not reviewed: {} changed", format::count(u64::from(lines), "line")),
    };
    indented(board).mark(Tone::Dim, Mark::Nothing).dim(text)
}

/// Why a claim was refused, where a reviewer did so.
pub(super) fn refused(board: &Board, seen: &LaneBoard) -> Option<&'static str> {
    let reviewed = board.plan.as_ref().is_some_and(|plan| plan.review.is_some());
    let by_checks = !seen.failed_checks.is_empty() || seen.commit_refused.is_some();
    match seen.reviewed {
        _ if !reviewed || by_checks => None,
        Some(Reviewed::Passed | Reviewed::Skipped) => None,
        Some(Reviewed::Rejected) => Some("a reviewer rejected it"),
        Some(Reviewed::Unusable) => Some("no reviewer let it stand"),
        None => Some("a reviewer rejected it before, and nothing has changed"),
    }
}
