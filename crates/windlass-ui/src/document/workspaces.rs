//! The list of workspaces.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use windlass_core::spec::Mode;
use windlass_core::values::{Named, RunId};
use windlass_core::workspace::WorkspaceStatus;

use crate::document::listed;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Tone};
use crate::terminal::Terminal;

/// Columns between two cells.
const GAP: usize = 2;
/// No name is cut to less.
const SHORTEST_NAME: usize = 8;

/// How a workspace stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceState {
    /// A run works on it.
    Running,
    /// Its newest run has not ended, and nobody works on it: `resume` continues it.
    Interrupted,
    /// By its history.
    At(WorkspaceStatus),
}

impl WorkspaceState {
    /// `running`, `interrupted`, or the status' name.
    pub fn name(self) -> &'static str {
        match self {
            WorkspaceState::Running => "running",
            WorkspaceState::Interrupted => "interrupted",
            WorkspaceState::At(status) => status.name(),
        }
    }

    /// The same for people.
    pub(super) fn words(self) -> &'static str {
        match self {
            WorkspaceState::At(WorkspaceStatus::InProgress) => "in progress",
            other => other.name(),
        }
    }

    pub(super) const fn tone(self) -> Tone {
        match self {
            WorkspaceState::Running => Tone::Command,
            WorkspaceState::Interrupted => Tone::Warn,
            WorkspaceState::At(WorkspaceStatus::InProgress) => Tone::Plain,
            WorkspaceState::At(WorkspaceStatus::Completed) => Tone::Good,
            WorkspaceState::At(WorkspaceStatus::Error) => Tone::Bad,
        }
    }
}

impl Serialize for WorkspaceState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A workspace in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkspaceRow {
    /// Its name.
    pub name: String,
    /// How it is worked on.
    pub mode: Mode,
    /// How it stands.
    pub state: WorkspaceState,
    /// What its history says, whether a run works on it or not.
    pub status: WorkspaceStatus,
    /// The run that works on it, or that could go on.
    pub run: Option<RunId>,
    /// Iterations of its ended runs, and sessions that set it up.
    pub total_iterations: u64,
    /// Iterations of its ended runs.
    pub execution_iterations: u64,
    /// Items that its status file says are left.
    pub remaining: Option<u64>,
    /// Items in all.
    pub total: Option<u64>,
    /// When its last run ended.
    pub last_run: Option<Timestamp>,
    /// What is wrong with its files.
    pub problem: Option<String>,
}

/// The list as a table, in the order given; every line ends with a newline.
pub fn workspaces_table(rows: &[WorkspaceRow], now: Timestamp, terminal: &Terminal) -> String {
    let cells: Vec<[String; 6]> = rows.iter().map(|row| cells(row, now, terminal)).collect();
    let headings = ["workspace", "mode", "state", "it.", "left", "last run"];
    let mut widths = headings.map(str::len);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let [name, others @ ..] = &mut widths;
    if let Some(room) = terminal.width {
        let others: usize = others.iter().map(|width| width + GAP).sum();
        *name = (*name).min(room.saturating_sub(others).max(SHORTEST_NAME));
    }
    let mut lines = vec![header(headings, widths)];
    lines.extend(rows.iter().zip(&cells).map(|(row, cells)| body(row, cells, widths, terminal)));
    let mut text = String::new();
    for line in lines {
        text.push_str(line.render(terminal).trim_end());
        text.push('\n');
    }
    text
}

fn cells(row: &WorkspaceRow, now: Timestamp, terminal: &Terminal) -> [String; 6] {
    let dash = || "-".to_owned();
    let left = match (row.remaining, row.total) {
        (Some(remaining), Some(total)) => format!("{remaining} of {total}"),
        _ => dash(),
    };
    [
        one_line(&row.name),
        row.mode.name().to_owned(),
        row.state.words().to_owned(),
        row.execution_iterations.to_string(),
        left,
        row.last_run.map_or_else(dash, |time| format::relative(time, now, &terminal.zone)),
    ]
}

fn header(headings: [&str; 6], widths: [usize; 6]) -> Line {
    let [name, mode, state, iterations, left, last] = headings;
    let [w0, w1, w2, w3, w4, w5] = widths;
    Line::new()
        .dim(format!("{name:<w0$}  {mode:<w1$}  {state:<w2$}  {iterations:>w3$}  {left:>w4$}  {last:<w5$}"))
}

fn body(row: &WorkspaceRow, cells: &[String; 6], widths: [usize; 6], terminal: &Terminal) -> Line {
    let [name, mode, state, iterations, left, last] = cells;
    let [w0, w1, w2, w3, w4, w5] = widths;
    // Cut as text, so that the columns behind it stand where they should.
    let name =
        Line::new().plain(name.clone()).render_cut(&Terminal { colour: false, ..terminal.clone() }, w0);
    Line::new()
        .strong(format!("{name:<w0$}"))
        .plain(format!("  {mode:<w1$}  "))
        .tone(row.state.tone(), format!("{state:<w2$}"))
        .plain(format!("  {iterations:>w3$}  {left:>w4$}"))
        .dim(format!("  {last:<w5$}"))
}

/// The list as one line of JSON, in the order given.
pub fn workspaces_json(rows: &[WorkspaceRow]) -> Vec<u8> {
    listed("workspaces", rows)
}

#[cfg(test)]
#[path = "workspaces_tests.rs"]
mod tests;
