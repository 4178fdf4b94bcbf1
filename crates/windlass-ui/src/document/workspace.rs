//! One workspace.

use jiff::Timestamp;
use serde::Serialize;
use windlass_core::values::{JobStatus, Named, StatusSource};

use super::runs::{RunRow, runs_table};
use super::workspaces::WorkspaceRow;
use crate::document::document;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::narrate::{labelled, labelled_once};
use crate::terminal::Terminal;

/// A workspace with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkspaceShown {
    /// What a list says of it.
    #[serde(flatten)]
    pub row: WorkspaceRow,
    /// Its folder.
    pub folder: String,
    /// When it was made.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub created: Option<Timestamp>,
    /// Sessions that set it up.
    pub setup_iterations: u64,
    /// Verifications of its work; `None` where there was none.
    pub verification: Option<VerificationShown>,
    /// Are there instructions that a run would take?
    pub has_instructions: bool,
    /// What the agent's status file says.
    pub standing: JobStatus,
    /// Options that its configuration file sets.
    pub options: Vec<OptionShown>,
    /// Why its configuration cannot be read.
    pub configuration_problem: Option<String>,
    /// Who is told what happens, redacted.
    pub notifications: Vec<OptionShown>,
    /// Its newest runs.
    pub runs: Vec<RunRow>,
    /// What to type next.
    pub next: Vec<String>,
}

/// An option and who set it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OptionShown {
    /// `table.key`.
    pub key: String,
    /// As it stands in a file; redacted where it may hold a secret.
    pub value: String,
    /// Who set it.
    pub origin: String,
}

/// What verifications came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerificationShown {
    /// How many there were.
    pub attempts: u64,
    /// What the last one came to: `pass`, `fail`, `needs_review`.
    pub last: String,
    /// When it ended.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub time: Option<Timestamp>,
}

/// The workspace as one line of JSON.
pub fn workspace_json(shown: &WorkspaceShown) -> Vec<u8> {
    document("workspace", shown)
}

/// The workspace for people; every line ends with a newline.
pub fn workspace_text(shown: &WorkspaceShown, now: Timestamp, terminal: &Terminal) -> String {
    let mut lines = vec![headline(&shown.row)];
    lines.push(labelled("folder").unbroken().plain(one_line(&shown.folder)));
    lines.push(labelled("iterations").plain(iterations(shown)));
    lines.extend(shown.row.last_run.map(|time| moment("last run", time, now, terminal)));
    lines.extend(shown.verification.iter().map(|verification| verified(verification, now, terminal)));
    lines.push(instructions(shown.has_instructions));
    lines.extend(standing(&shown.standing));
    lines.extend(options("options", &shown.options));
    lines.extend(options("notify", &shown.notifications));
    let problems = [&shown.row.problem, &shown.configuration_problem].into_iter().flatten();
    lines.extend(problems.map(|problem| Line::problem(problem)));
    let mut text = rendered(&lines, terminal);
    if !shown.runs.is_empty() {
        text.push('\n');
        text.push_str(&indented_runs(&shown.runs, now, terminal));
    }
    if !shown.next.is_empty() {
        text.push('\n');
    }
    let next = labelled_once("next").zip(&shown.next);
    let next: Vec<Line> = next.map(|(line, command)| line.unbroken().command(one_line(command))).collect();
    text.push_str(&rendered(&next, terminal));
    text
}

fn headline(row: &WorkspaceRow) -> Line {
    let line =
        Line::hanging(2).strong(one_line(&row.name)).plain(" ").tone(row.state.tone(), row.state.words());
    let line = line.dim(format!(" · {}", row.mode.name()));
    match &row.run {
        Some(run) => line.dim(format!(" · {}", one_line(&run.0))),
        None => line,
    }
}

fn iterations(shown: &WorkspaceShown) -> String {
    let runs = shown.row.execution_iterations;
    match shown.setup_iterations {
        0 => runs.to_string(),
        setup => format!("{runs}, after {}", format::count(setup, "session of setup")),
    }
}

fn moment(label: &str, time: Timestamp, now: Timestamp, terminal: &Terminal) -> Line {
    let clock = format::date_time(time, &terminal.zone);
    let line = labelled(label).plain(clock.clone());
    let ago = format::relative(time, now, &terminal.zone);
    // What is long ago is its date once more.
    if clock.starts_with(&ago) { line } else { line.dim(format!(" ({ago})")) }
}

fn verified(verification: &VerificationShown, now: Timestamp, terminal: &Terminal) -> Line {
    let (tone, mark) = match verification.last.as_str() {
        "pass" => (Tone::Good, Mark::Passed),
        "fail" => (Tone::Bad, Mark::Failed),
        _ => (Tone::Warn, Mark::Doubtful),
    };
    let words = verification.last.replace('_', " ");
    let line = labelled("verified").mark(tone, mark).plain(format!(" {words}"));
    let ago = verification.time.map(|time| format!("{}, ", format::relative(time, now, &terminal.zone)));
    let attempts = format::count(verification.attempts, "attempt");
    line.dim(format!(" ({}{attempts})", ago.unwrap_or_default()))
}

fn instructions(there: bool) -> Line {
    let line = labelled("job");
    if there {
        line.mark(Tone::Good, Mark::Passed).plain(" INSTRUCTIONS.md")
    } else {
        line.mark(Tone::Warn, Mark::Notice).plain(" INSTRUCTIONS.md is missing, empty or no text")
    }
}

/// What the agent claims, and what is wrong with the file it claims it in.
fn standing(standing: &JobStatus) -> Vec<Line> {
    let name = match standing.source {
        StatusSource::StatusFile => ".status.json",
        StatusSource::TodoFile => "boxes of TODO.md",
        StatusSource::PlanFile => "boxes of the plan",
        StatusSource::TaskFile => "tasks",
        StatusSource::Document => "document",
        StatusSource::Nowhere => return vec![labelled("claim").dim("none yet: there is no .status.json")],
    };
    let mut said = vec![if standing.complete { "complete".to_owned() } else { "not complete".to_owned() }];
    said.extend(standing.items.map(|items| format!("{} of {} items", items.done, items.total)));
    said.extend(
        standing.worked.map(|worked| if worked { "worked" } else { "found nothing to do" }.to_owned()),
    );
    said.extend((!standing.phase.is_empty()).then(|| one_line(&standing.phase)));
    let mut lines = vec![labelled("claim").plain(said.join(", ")).dim(format!(" ({name})"))];
    if !standing.summary.is_empty() {
        lines.push(labelled("").plain(one_line(&standing.summary)));
    }
    let blockers = standing.blockers.iter();
    lines.extend(blockers.map(|blocker| labelled("blocked by").tone(Tone::Warn, one_line(blocker))));
    lines.extend(standing.problem.iter().map(|problem| {
        labelled("").mark(Tone::Warn, Mark::Notice).plain(format!(" {name}: {}", one_line(problem)))
    }));
    lines
}

fn options(label: &str, options: &[OptionShown]) -> Vec<Line> {
    let line = |(line, option): (Line, &OptionShown)| {
        line.plain(format!("{} = {}", one_line(&option.key), one_line(&option.value)))
            .dim(format!(" ({})", one_line(&option.origin)))
    };
    labelled_once(label).zip(options).map(line).collect()
}

/// The runs' table, two columns to the right.
fn indented_runs(runs: &[RunRow], now: Timestamp, terminal: &Terminal) -> String {
    let narrower =
        Terminal { width: terminal.width.map(|width| width.saturating_sub(2)), ..terminal.clone() };
    let table = runs_table(runs, now, &narrower);
    let rows = table.lines().flat_map(|line| ["  ", line, "\n"]);
    rows.collect()
}

#[cfg(test)]
#[path = "workspace_tests.rs"]
mod tests;
