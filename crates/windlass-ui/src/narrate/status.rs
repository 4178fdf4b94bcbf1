//! What the job's own file says, and what a fresh agent makes of the work.

use windlass_core::values::{Assessed, Assessment, Finding, JobStatus, Purpose, StatusSource};
use windlass_jobs::doc::report::{Judged, confidence_in_words, verdict_in_words};
use windlass_jobs::{follow_up, job};

use super::lines::below;
use super::{indented, notice};
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// What was there before the first iteration.
pub(super) fn found(board: &Board) -> Vec<Line> {
    let news = board.status.latest.as_ref().filter(|_| !board.status.as_before);
    let said = news.map(|latest| one_line(&latest.line(None)));
    let said = said.filter(|said| !said.is_empty());
    let when = if board.has_begun() { "so far" } else { "before this run" };
    said.map(|said| memo(board).dim(format!(" {when}: {said}"))).into_iter().collect()
}

/// It says something else than before.
pub(super) fn changed(board: &Board) -> Vec<Line> {
    let Some(now) = &board.status.latest else { return Vec::new() };
    let mut lines = Vec::new();
    let said = one_line(&now.line(board.status.more()));
    if !said.is_empty() || now.complete {
        let gap = if said.is_empty() { "" } else { " " };
        let line = memo(board).plain(format!("{gap}{said}"));
        lines.push(if now.complete {
            let words = board.plan.as_ref().map_or("Complete!", |plan| job::of(plan.job.mode).claimed);
            line.plain(" ").mark(Tone::Good, Mark::Complete).tone(Tone::Good, format!(" {words}"))
        } else {
            line
        });
    }
    let before = board.status.before.as_ref();
    lines.extend(blockers(board, now, before));
    let problem = now.problem.as_ref().filter(|_| before.is_none_or(|before| before.problem != now.problem));
    let file = match now.source {
        StatusSource::PlanFile => "plan",
        StatusSource::Document => "document",
        _ => "status file",
    };
    lines.extend(problem.map(|problem| notice(board, Mark::Notice, &format!("in the {file}: {problem}"))));
    lines
}

fn memo(board: &Board) -> Line {
    indented(board).mark(Tone::Dim, Mark::Memo)
}

fn blockers<'a>(
    board: &'a Board,
    now: &'a JobStatus,
    before: Option<&'a JobStatus>,
) -> impl Iterator<Item = Line> + 'a {
    let known = move |blocker: &&String| before.is_some_and(|before| before.blockers.contains(blocker));
    let new = now.blockers.iter().filter(move |blocker| !known(blocker));
    new.map(move |blocker| below(board).tone(Tone::Warn, "blocked: ").plain(one_line(blocker)))
}

/// What is asked before the iteration ends.
pub(super) fn follow_up_due(board: &Board, purpose: Purpose) -> Option<Line> {
    let due = follow_up::of(purpose)?.due;
    let said = due(&board.plan.as_ref()?.job)?;
    Some(indented(board).mark(Tone::Warn, Mark::Doubtful).plain(format!(" {said}")))
}

/// What it said, below the line of its iteration.
pub(super) fn assessment(board: &Board, assessment: &Assessment) -> Vec<Line> {
    let (tone, ..) = assessed(assessment.verdict);
    let judged = board.plan.as_ref().map_or(Judged::Work, |plan| job::of(plan.job.mode).judged);
    let what = match judged {
        Judged::Instructions => "validation",
        Judged::Work => "verification",
    };
    let word = verdict_in_words(judged, Some(assessment.verdict));
    let head = below(board)
        .tone(tone, format!("{what}: {word}"))
        .dim(format!(" ({} confidence)", confidence_in_words(assessment.confidence)))
        .plain(after_colon(&assessment.summary));
    let mut lines = vec![head];
    lines.extend(assessment.findings.iter().map(|finding| found_wrong(board, finding)));
    let met = assessment.met.len() as u64;
    if met > 0 {
        lines.push(below(board).dim(format!("  {} seen to be met", format::count(met, "requirement"))));
    }
    let next = one_line(&assessment.recommendation);
    if !next.is_empty() {
        lines.push(below(board).dim("  recommended: ").plain(next));
    }
    lines
}

fn found_wrong(board: &Board, finding: &Finding) -> Line {
    let (tone, mark) = if finding.required { (Tone::Bad, Mark::Failed) } else { (Tone::Dim, Mark::Nothing) };
    below(board)
        .plain("  ")
        .mark(tone, mark)
        .plain(format!(" {}", one_line(&finding.title)))
        .dim(after_colon(&finding.detail))
}

fn after_colon(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() { text } else { format!(": {text}") }
}

/// A judgement: its colour, its mark, its word.
pub(super) const fn assessed(verdict: Assessed) -> (Tone, Mark, &'static str) {
    match verdict {
        Assessed::Pass => (Tone::Good, Mark::Passed, "passed"),
        Assessed::NeedsReview => (Tone::Warn, Mark::Doubtful, "review"),
        Assessed::Fail => (Tone::Bad, Mark::Failed, "failed"),
    }
}

/// `(4 items remaining)`; empty where nothing is counted or nothing is left.
pub(super) fn remaining(board: &Board) -> String {
    if board.tasks.counts().total > 0 {
        // Each task's own line says how many are done.
        return String::new();
    }
    match board.status.remaining() {
        None | Some(0) => String::new(),
        Some(left) => {
            let plan = board.status.latest.as_ref().is_some_and(|now| now.source == StatusSource::PlanFile);
            format!(" ({} remaining)", format::count(left, if plan { "task" } else { "item" }))
        }
    }
}
