//! The line of a finished iteration, and what is said below it.

use windlass_core::fact::Fact;
use windlass_core::values::{
    AgentIndex, Assessment, CheckKind, CheckOutcome, CheckStage, Class, Denial, Spent, Verdict,
};

use super::lines::{below, gutter};
use super::{allow_command, command, review, status, took};
use crate::board::{Board, LaneBoard};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::words;

/// A row of the table that the iterations make.
struct Row<'a> {
    number: String,
    look: (Tone, Mark, &'a str),
    duration: std::time::Duration,
    spent: Spent,
    explanation: String,
}

impl Row<'_> {
    fn line(&self, board: &Board) -> Line {
        let (tone, mark, word) = self.look;
        let gutter = gutter(board);
        let digits = gutter.saturating_sub(4);
        let cost = format::charged(self.spent);
        Line::hanging(gutter + 2)
            .dim(format!("  {:>digits$}  ", self.number))
            .mark(tone, mark)
            .tone(tone, format!(" {word:<8}"))
            .plain(format!(" {:>7} {cost:>8}  ", format::duration(self.duration)))
            .plain(&self.explanation)
    }
}

pub(super) fn finished(board: &Board, fact: &Fact) -> Vec<Line> {
    let Fact::IterationFinished {
        lane,
        iteration,
        verdict,
        class,
        progress,
        cost,
        estimated_cost,
        duration,
        ..
    } = fact
    else {
        return Vec::new();
    };
    let nothing = LaneBoard::default();
    let seen = board.lanes.get(lane).unwrap_or(&nothing);
    let row = Row {
        number: iteration.to_string(),
        look: look(board, seen, *verdict),
        duration: *duration,
        spent: Spent { cost: *cost, estimated: *estimated_cost },
        explanation: explanation(board, seen, (*verdict, *class), *progress) + &by(board, seen),
    };
    let mut lines = vec![row.line(board)];
    lines.extend(assessment(seen).into_iter().flat_map(|said| status::assessment(board, said)));
    lines.extend(seen.failed_checks.iter().flat_map(|(stage, outcome)| failed_check(board, *stage, outcome)));
    lines.extend(seen.commit_refused.as_deref().map(|why| commit_refused(board, why)));
    lines.extend(seen.denials.iter().flat_map(|denial| denied(board, denial)));
    lines
}

/// Who did it, where that is not who usually does.
fn by(board: &Board, seen: &LaneBoard) -> String {
    if seen.agent.is_first() { String::new() } else { format!(" (by {})", board.agent_name(seen.agent)) }
}

/// What a fresh agent said in the iteration's last call.
fn assessment(seen: &LaneBoard) -> Option<&Assessment> {
    seen.last_call.as_ref()?.assessment.as_ref()
}

fn is_judging(board: &Board) -> bool {
    board.plan.as_ref().is_some_and(|plan| plan.job.mode.judges())
}

/// An iteration that is there to judge has the words of its judgement.
fn look(board: &Board, seen: &LaneBoard, verdict: Verdict) -> (Tone, Mark, &'static str) {
    match assessment(seen) {
        Some(said) if is_judging(board) => status::assessed(said.verdict),
        _ => words::verdict(verdict),
    }
}

/// What is said of an iteration that ended just now, on one line.
pub(crate) fn told(board: &Board, fact: &Fact) -> String {
    let Fact::IterationFinished { lane, verdict, class, progress, .. } = fact else { return String::new() };
    let nothing = LaneBoard::default();
    let seen = board.lanes.get(lane).unwrap_or(&nothing);
    let explained = explanation(board, seen, (*verdict, *class), *progress);
    let failed = seen.failed_checks.iter().map(|(_, outcome)| {
        let last = one_line(outcome.told());
        let said = if last.is_empty() { took(outcome) } else { last };
        format!("; {}: {said}", command(board, outcome))
    });
    failed.fold(explained, |told, failed| told + &failed)
}

pub(super) fn repeats(board: &Board, fact: &Fact, class: Class, attempt: u32) -> Vec<Line> {
    let Fact::AttemptRepeats { lane, iteration, .. } = fact else { return Vec::new() };
    let call = board.lanes.get(lane).and_then(|lane| lane.last_call.as_ref());
    let why = call.map(|call| one_line(&call.detail)).filter(|detail| !detail.is_empty());
    let why = why.unwrap_or_else(|| words::class(class).to_owned());
    let again = if board.failing.is_some() || board.stop.is_some() {
        "a resume repeats it".to_owned()
    } else {
        let attempt = attempt.saturating_add(1);
        match board.who_works().filter(|agent| board.lanes.get(lane).is_some_and(|lane| lane.agent != *agent))
        {
            Some(other) => format!("attempt {attempt} by {}", board.agent_name(other)),
            None => format!("same iteration, attempt {attempt}"),
        }
    };
    let row = Row {
        number: iteration.to_string(),
        look: (Tone::Warn, Mark::Again, "retry"),
        duration: call.map(|call| call.duration).unwrap_or_default(),
        spent: call.map(|call| Spent::of(call.cost, call.estimated)).unwrap_or_default(),
        explanation: format!("{}; {again}", why.trim_end_matches('.')),
    };
    vec![row.line(board)]
}

fn explanation(
    board: &Board,
    seen: &LaneBoard,
    (verdict, class): (Verdict, Class),
    progress: bool,
) -> String {
    let said = assessment(seen);
    if let (true, Some(said)) = (is_judging(board), said) {
        return match said.findings.len() as u64 {
            0 => "no findings".to_owned(),
            findings => format::count(findings, "finding"),
        };
    }
    let found_nothing = board.status.latest.as_ref().is_some_and(|latest| latest.worked == Some(false));
    let detail = seen.last_call.as_ref().map(|call| one_line(&call.detail)).unwrap_or_default();
    let changed = if seen.changed == 0 {
        if progress { "progress" } else { "nothing new" }.to_owned()
    } else {
        format!("{} changed", format::count(u64::from(seen.changed), "file"))
    };
    let mut parts = match verdict {
        Verdict::Worked => vec![changed],
        Verdict::Idle if found_nothing => vec!["found nothing to do".to_owned()],
        Verdict::Idle if seen.changed > 0 => vec!["nothing that was not there before".to_owned()],
        Verdict::Idle => vec!["nothing new".to_owned()],
        Verdict::Failed if detail.is_empty() => vec![words::class(class).to_owned()],
        // More may follow, and a commit's name does: no full stop within a list.
        Verdict::Failed => vec![detail.trim_end_matches('.').to_owned()],
        Verdict::ClaimAccepted if said.is_some() => {
            vec!["claim accepted and verified".to_owned(), changed]
        }
        Verdict::ClaimAccepted => vec!["claim accepted".to_owned(), changed],
        Verdict::ClaimRefused if seen.failed_checks.is_empty() && is_held(board) => {
            vec!["claims to be done, held for review".to_owned(), changed]
        }
        Verdict::ClaimRefused => match review::refused(board, seen) {
            Some(why) => vec!["claims to be done".to_owned(), why.to_owned(), changed],
            None => vec!["claims to be done".to_owned(), changed],
        },
        Verdict::ClaimUnsupported => vec!["claims to be done, but nothing has changed".to_owned()],
    };
    if verdict != Verdict::Failed && class != Class::Success {
        parts.push(words::class(class).to_owned());
    }
    if verdict != Verdict::Failed && class == Class::Success && !detail.is_empty() {
        parts.push(detail);
    }
    // A call that never said what it used is charged what was set aside for it.
    if seen.last_call.as_ref().is_some_and(|call| call.estimated && call.tokens.total() == 0) {
        parts.push("cost reserved, real cost unknown".to_owned());
    }
    if let Some(commit) = &seen.commit {
        parts.push(format!("commit {}", short(commit)));
    }
    format!("{}{}", parts.join(", "), status::remaining(board))
}

fn is_held(board: &Board) -> bool {
    let Some(plan) = &board.plan else { return false };
    board.seen.suspicions().any(|found| plan.guard.holds(found))
}

/// The beginning of a commit's name.
pub(crate) fn short(commit: &str) -> String {
    one_line(commit).chars().take(8).collect()
}

fn failed_check(board: &Board, stage: CheckStage, outcome: &CheckOutcome) -> Vec<Line> {
    let plan = board.plan.as_ref();
    let check = plan.and_then(|plan| plan.checks.get(usize::from(outcome.check)));
    let (tone, label) = match check.map(|check| check.kind) {
        // An until command that does not pass yet is the normal state of things.
        Some(CheckKind::Until) => (Tone::Dim, "not yet: "),
        Some(CheckKind::Gate) | None => (Tone::Bad, "gate failed: "),
        Some(CheckKind::Criterion) => (Tone::Bad, "criterion does not hold: "),
    };
    let mut lines = vec![below(board).tone(tone, label).plain(command(board, outcome)).dim(format!(
        " ({}{})",
        took(outcome),
        words::judged_tree(stage)
    ))];
    let last = one_line(outcome.told());
    if !last.is_empty() {
        lines.push(below(board).dim(format!("  {last}")));
    }
    lines
}

fn commit_refused(board: &Board, why: &str) -> Line {
    below(board).tone(Tone::Bad, "not committed: ").plain(one_line(why))
}

fn denied(board: &Board, denial: &Denial) -> Vec<Line> {
    let tool = one_line(&denial.tool);
    let what = below(board).tone(Tone::Warn, "denied: ").plain(format!("{tool} {}", one_line(&denial.input)));
    if !denial.refused_by.is_empty() {
        return vec![what, below(board).dim(format!("  refused by {}", one_line(&denial.refused_by)))];
    }
    if denial.rule.is_empty() {
        let agents = board.speaker(AgentIndex::default()).about().files.folder;
        let whose = if format!("/{}", denial.input).contains(&format!("/{agents}/")) {
            "it steers agents"
        } else {
            "windlass's own file"
        };
        return vec![what.dim(format!(" ({whose}: closed to the agent)"))];
    }
    vec![what, below(board).dim("  allowed by: ").command(allow_command([denial.rule.as_str()])).unbroken()]
}
