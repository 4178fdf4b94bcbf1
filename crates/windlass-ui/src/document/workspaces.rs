//! The list of workspaces.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use windlass_core::spec::Mode;
use windlass_core::values::{Named, RunId};
use windlass_core::workspace::WorkspaceStatus;

use super::table::{Align, Column, Narrow, Row, table};
use crate::document::listed;
use crate::format;
use crate::harmless::one_line;
use crate::line::Tone;
use crate::terminal::Terminal;

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
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub last_run: Option<Timestamp>,
    /// What is wrong with its files.
    pub problem: Option<String>,
}

/// The list as a table, in the order given; every line ends with a newline.
pub fn workspaces_table(rows: &[WorkspaceRow], now: Timestamp, terminal: &Terminal) -> String {
    let columns = [
        Column { heading: "workspace", align: Align::Left, tone: Tone::Strong },
        Column { heading: "mode", align: Align::Left, tone: Tone::Plain },
        Column { heading: "state", align: Align::Left, tone: Tone::Plain },
        Column { heading: "it.", align: Align::Right, tone: Tone::Plain },
        Column { heading: "left", align: Align::Right, tone: Tone::Plain },
        Column { heading: "last run", align: Align::Left, tone: Tone::Dim },
    ];
    let rows = rows.iter().map(|row| Row {
        cells: cells(row, now, terminal),
        state: Some((2, row.state.tone())),
        problem: None,
    });
    table(columns, Narrow::First(SHORTEST_NAME), &rows.collect::<Vec<_>>(), terminal)
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

/// The list as one line of JSON, in the order given.
pub fn workspaces_json(rows: &[WorkspaceRow]) -> Vec<u8> {
    listed("workspaces", rows)
}

#[cfg(test)]
#[path = "workspaces_tests.rs"]
mod tests;
