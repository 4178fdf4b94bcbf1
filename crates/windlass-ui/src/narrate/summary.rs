//! What stays on the screen when a run has ended.

use windlass_core::spec::{JobWorkspace, RunSpec};
use windlass_core::values::{CheckKind, CheckOutcome, Named, StopReason, UnderWay};
use windlass_jobs::job;

use super::advice::Advice;
use super::lines::{self, labelled, labelled_once};
use super::{advice, allow_command, allowing, check_mark, iteration, refusals, took};
use crate::board::{Board, Ending, Kept};
use crate::document::{StatusCouncils, StatusJudged, StatusTasks, commit_range};
use crate::elsewhere;
use crate::format;
use crate::harmless::one_line;
use crate::line::{self, Line, Mark, Tone};
use crate::model::Verdicts;
use crate::words;

/// What most terminals have room for.
const USUAL_WIDTH: usize = 80;

pub(super) fn lines(board: &Board) -> Vec<Line> {
    let (Some(plan), Some(ending)) = (&board.plan, &board.ending) else { return Vec::new() };
    let mut lines = vec![Line::new()];
    lines.extend(headline(board, ending));
    lines.push(Line::new());
    lines.extend(figures(board, plan, ending));
    lines.extend(checks(board));
    lines.extend(StatusJudged::lines(&StatusJudged::all(board)));
    lines.extend(held_back(board));
    lines.extend(denied(board));
    lines.extend(committed(board));
    lines.extend(restore(board, plan, ending.reason));
    lines.extend(next(board, plan, ending.reason));
    lines.push(Line::new());
    lines.push(last_line(plan, ending.reason));
    lines
}

/// `stopped: max_iterations`: the same words as in `--json` and in the journal; and what it rests on, where that is nothing
/// but claims.
fn last_line(plan: &RunSpec, reason: StopReason) -> Line {
    Line::new().dim("stopped: ").strong(reason.told(plan.grounds()))
}

fn headline(board: &Board, ending: &Ending) -> Vec<Line> {
    let (tone, mut mark) = words::ending(ending.reason);
    let sentence = match board.plan.as_deref().and_then(|plan| in_workspace(plan, ending)) {
        Some((own, sentence)) => {
            mark = own;
            sentence
        }
        None => ending.reason.sentence().to_owned(),
    };
    let mut lines = vec![Line::hanging(4).plain("  ").mark(tone, mark).tone(tone, format!(" {sentence}"))];
    // The seed's words on stagnation say it all.
    let told = mark == Mark::Warning;
    let detail = if told { String::new() } else { one_line(&ending.detail) };
    let more = advice::proof(board, ending.reason).into_iter().chain([detail]);
    for text in more.filter(|text| !text.is_empty()) {
        lines.push(Line::hanging(4).plain("    ").plain(text));
    }
    lines
}

/// A workspace's endings in the words that the seed gave them; those of a judgement in words of their own.
fn in_workspace(plan: &RunSpec, ending: &Ending) -> Option<(Mark, String)> {
    plan.job.workspace.as_ref()?;
    let iterations = format::count(u64::from(ending.iterations), "iteration");
    if let Some(sentence) = job::of(plan.job.mode).ending(ending.reason) {
        let mark = if ending.reason == StopReason::Complete { Mark::Passed } else { Mark::Failed };
        return Some((mark, sentence.to_owned()));
    }
    Some(match ending.reason {
        StopReason::Complete => (Mark::Passed, format!("Task completed successfully after {iterations}")),
        StopReason::MaxIterations => {
            let most = plan.limits.iterations.unwrap_or(ending.iterations);
            (Mark::Warning, format!("Reached maximum iterations ({most})"))
        }
        StopReason::Stagnated => {
            let idle = plan.limits.stagnation.unwrap_or(ending.iterations);
            (Mark::Warning, format!("Stagnation detected: {idle} consecutive iterations with no work"))
        }
        StopReason::ConsecutiveFailures => (Mark::Failed, format!("Iteration {} failed", ending.iterations)),
        _ => return None,
    })
}

fn figures(board: &Board, plan: &RunSpec, ending: &Ending) -> Vec<Line> {
    let mut lines = standing(board, ending);
    lines.extend([
        labelled("iterations").plain(iterations(board.tally, ending.iterations)),
        labelled("cost").plain(format::of_limit(
            &format::charged(board.charged),
            plan.limits.cost,
            plan.limits.spent_before,
        )),
        labelled("tokens").plain(format::tokens(&board.tokens)),
        labelled("time").plain(time(board, ending)),
    ]);
    lines.extend(StatusCouncils::of(board).map(StatusCouncils::line));
    if board.commits.count > 0 {
        let commits = &board.commits;
        let range = if commits.count == 1 {
            iteration::short(&commits.last)
        } else {
            format!("{}…{}", iteration::short(&commits.first), iteration::short(&commits.last))
        };
        // Those of interrupted work, and a person's, are in no fact.
        let has_others = board.seen.moves > commits.count;
        let others = if has_others { " of iterations, and others beside them" } else { "" };
        lines.push(labelled("commits").plain(format!("{}{others} ({range})", commits.count)));
    }
    let log = plan.job.workspace.as_ref().and_then(JobWorkspace::log_file);
    let log = log.as_deref().map(|log| log.strip_prefix(&plan.directory).unwrap_or(log));
    lines.extend(log.map(|log| labelled("log").plain(one_line(&log.to_string_lossy()))));
    if board.undelivered.count > 0 {
        let text = format!("{} not delivered", board.undelivered.count);
        lines.push(labelled("notify").tone(Tone::Warn, text));
    }
    lines
}

/// How the job stands: its tasks, or what its status file says.
fn standing(board: &Board, ending: &Ending) -> Vec<Line> {
    let Some(tasks) = StatusTasks::of(board) else {
        let said = board.status.latest.as_ref().map(|latest| one_line(&latest.line(None)));
        return said
            .filter(|said| !said.is_empty())
            .map(|said| labelled("status").plain(said))
            .into_iter()
            .collect();
    };
    // Where nothing else is left, the reason names those that are parked.
    let named = if ending.reason == StopReason::Blocked { Vec::new() } else { tasks.named() };
    std::iter::once(tasks.counted()).chain(named).collect()
}

/// `5 (3 worked, 1 idle, 1 failed)`.
fn iterations(verdicts: Verdicts, total: u32) -> String {
    let words = verdicts.in_words();
    if words.is_empty() { total.to_string() } else { format!("{total} ({words})") }
}

fn time(board: &Board, ending: &Ending) -> String {
    let worked = format::duration(ending.duration);
    if board.waits == 0 {
        return worked;
    }
    let waits = format::count(u64::from(board.waits), "wait");
    format!("{worked}, and {waits} of {} in all", format::duration(board.waited))
}

fn checks(board: &Board) -> Vec<Line> {
    let mut lines = Vec::new();
    for kind in [CheckKind::Until, CheckKind::Gate] {
        for (command, outcome) in board.checks_of(kind) {
            lines.extend(check(kind.name(), command, outcome));
        }
    }
    // Of what holds of each task nobody needs to be told again.
    let failed = board.checks_of(CheckKind::Criterion).into_iter();
    let failed = failed.filter(|(_, outcome)| outcome.is_some_and(|outcome| !outcome.passed()));
    lines.extend(failed.flat_map(|(words, outcome)| check("criterion", words, outcome)));
    lines
}

fn check(label: &str, command: &str, outcome: Option<&CheckOutcome>) -> Vec<Line> {
    let line = labelled(label);
    let command = one_line(command);
    let Some(outcome) = outcome else {
        return vec![
            line.mark(Tone::Dim, Mark::Nothing).plain(format!(" {command}")).dim(" (not run on the work)"),
        ];
    };
    let (tone, mark) = check_mark(outcome);
    let line = line.mark(tone, mark).plain(format!(" {command}")).dim(format!(" ({})", took(outcome)));
    let last = one_line(outcome.told());
    if outcome.passed() || last.is_empty() {
        vec![line]
    } else {
        vec![line, labelled("").dim(format!("  {last}"))]
    }
}

/// What waits for a person: it is in no commit.
fn held_back(board: &Board) -> Vec<Line> {
    const NAMED: usize = 8;
    if board.held_back.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        labelled("held back").plain("not committed, since only a person can say whether it belongs there:"),
    ];
    lines.extend(board.held_back.iter().take(NAMED).map(|what| labelled("").plain(one_line(what))));
    let more = board.held_back.len().saturating_sub(NAMED);
    if more > 0 {
        lines.push(labelled("").dim(format!("and {more} more")));
    }
    lines.push(
        labelled("").dim("by hand: git add -f; for good: commit.allow in the configuration, or .gitignore"),
    );
    lines
}

fn denied(board: &Board) -> Vec<Line> {
    let rules: Vec<&str> = allowing(&board.denials).collect();
    let mut lines = Vec::new();
    if !rules.is_empty() {
        lines.push(labelled("denied").plain("what was refused is allowed from the next run on by"));
        lines.push(labelled("").unbroken().command(allow_command(rules)));
    }
    let refusals = refusals(&board.denials);
    let refused = labelled_once("refused").zip(&refusals);
    lines.extend(refused.map(|(line, said)| line.plain(one_line(said))));
    lines
}

fn restore(board: &Board, plan: &RunSpec, reason: StopReason) -> Vec<Line> {
    if board.failing == Some(UnderWay::Lost) {
        return Vec::new();
    }
    if let (Some((iteration, attempt)), StopReason::DestructiveChange) = (board.ruined, reason) {
        let moment = if attempt == 1 {
            format!("{iteration} --before")
        } else {
            format!("{iteration}-{attempt}-before")
        };
        let command = format!("windlass restore {} {moment} --repository", plan.run);
        let command = elsewhere::where_it_works(command, &plan.directory);
        let what = "files and repository as before that attempt";
        return explained(labelled("restore"), &command, what, 0);
    }
    if let Some(command) = advice::way_back(board, plan, reason) {
        return explained(labelled("restore"), &command, "files and repository, as they were kept last", 0);
    }
    let Some(Kept { iteration, .. }) = &board.kept else { return Vec::new() };
    // The files of one lane are without what others have landed meanwhile; all that holds is committed.
    if plan.lanes.is_some() {
        return Vec::new();
    }
    let command = format!("windlass restore {} {iteration}", plan.run);
    let command = elsewhere::where_it_works(command, &plan.directory);
    let what = "the files as after that iteration";
    let changes = format!("windlass diff {}", plan.run);
    let widest = command.len().max(changes.len());
    let lines = [("changes", changes, "what changed since the run began"), ("restore", command, what)];
    lines
        .into_iter()
        .flat_map(|(label, command, what)| explained(labelled(label), &command, what, widest))
        .collect()
}

/// What was committed, as git shows it.
fn committed(board: &Board) -> Vec<Line> {
    let Some((Some(first), last)) = commit_range(board) else { return Vec::new() };
    let command = format!("git diff {} {}", iteration::short(first), iteration::short(last));
    explained(labelled("look at"), &command, "what was committed", 0)
}

fn next(board: &Board, plan: &RunSpec, reason: StopReason) -> Vec<Line> {
    let all = advice::next(board, plan, reason);
    let widest = all.iter().map(|advice| line::width(&advice.command)).max().unwrap_or(0);
    let explain = |(line, advice): (Line, &Advice)| explained(line, &advice.command, advice.purpose, widest);
    labelled_once("next").zip(&all).flat_map(explain).collect()
}

/// A command and what it is for: beside it where both fit the usual width, else below it.
fn explained(line: Line, command: &str, purpose: &str, widest: usize) -> Vec<Line> {
    let widest = widest.max(line::width(command));
    let widest_typed = lines::COLUMN + elsewhere::added_width() + widest;
    if widest_typed + 2 + line::width(purpose) > USUAL_WIDTH {
        return vec![line.command(command), labelled("").dim(format!("  {purpose}"))];
    }
    let gap = " ".repeat(widest - line::width(command) + 2);
    vec![line.command(command).dim(format!("{gap}{purpose}"))]
}
