//! The list of runs.

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use windlass_core::spec::Mode;
use windlass_core::values::{Cost, Grounds, Items, Named, RunId, Spent, StopReason};

use super::table::{Align, Column, Narrow, Row, nothing_yet, table};
use crate::document::listed;
use crate::format;
use crate::harmless::one_line;
use crate::line::Tone;
use crate::terminal::Terminal;
use crate::words;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// A process works on it.
    Running,
    /// It has not ended, and nobody works on it: `resume` continues it.
    Interrupted,
    /// It ended as complete, and nothing but the agents' claims says so.
    Claimed,
    /// It ended otherwise.
    Ended(StopReason),
}

impl RunState {
    /// How a run stands that has ended.
    pub fn ended(reason: StopReason, grounds: Grounds) -> RunState {
        match (reason, grounds) {
            (StopReason::Complete, Grounds::Claimed) => RunState::Claimed,
            _ => RunState::Ended(reason),
        }
    }

    /// `running`, `interrupted`, or the stop reason's name; with what it rests on where it is only claimed.
    pub const fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Interrupted => "interrupted",
            RunState::Claimed => StopReason::Complete.told(Grounds::Claimed),
            RunState::Ended(reason) => reason.name(),
        }
    }

    pub(super) const fn tone(self) -> Tone {
        match self {
            RunState::Running => Tone::Command,
            RunState::Interrupted => Tone::Warn,
            RunState::Claimed => words::ending(StopReason::Complete).0,
            RunState::Ended(reason) => words::ending(reason).0,
        }
    }
}

impl Serialize for RunState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What is only claimed is a field of its own there.
        serializer.serialize_str(if *self == RunState::Claimed {
            StopReason::Complete.name()
        } else {
            self.name()
        })
    }
}

/// `state`, and `claimed` where nothing but claims says that it is complete.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) fn stated<S: Serializer>(state: &RunState, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_map(None)?;
    fields.serialize_entry("state", state)?;
    if *state == RunState::Claimed {
        fields.serialize_entry("claimed", &true)?;
    }
    fields.end()
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRow {
    /// Its name.
    pub run: RunId,
    /// The job's first words.
    pub title: String,
    /// Where it works; shown when not all of a list work in the same place.
    pub directory: String,
    /// How it works.
    pub mode: Mode,
    /// The workspace that its job lives in.
    pub workspace: Option<String>,
    /// What the workspace's status file counted last.
    pub items: Option<Items>,
    /// When it began.
    #[serde(serialize_with = "windlass_core::values::wall_time::serialize")]
    pub started: Timestamp,
    /// Iterations that ended.
    pub iterations: u32,
    /// All calls.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// A part of the cost is an estimate.
    pub estimated: bool,
    /// That part.
    #[serde(rename = "estimated_usd")]
    pub estimated_cost: Cost,
    /// How it stands.
    #[serde(flatten, serialize_with = "stated")]
    pub state: RunState,
}

impl RunRow {
    /// What it cost, with the part that is an estimate.
    pub const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated_cost }
    }
}

/// The widest terminal on which how a run stands goes before when it began.
const NARROW: usize = 60;

/// The list as a table, oldest first, so that the newest run is next to the prompt; every line ends with a newline.
pub fn runs_table(rows: &[RunRow], now: Timestamp, terminal: &Terminal) -> String {
    if rows.is_empty() {
        return nothing_yet("no runs yet: `windlass run -p \"what is to be done\"` starts one", terminal);
    }
    let mut sorted: Vec<&RunRow> = rows.iter().collect();
    sorted.sort_by(|left, right| (left.started, &left.run).cmp(&(right.started, &right.run)));
    let same_place = rows.windows(2).all(|pair| match pair {
        [left, right] => left.directory == right.directory,
        _ => true,
    });
    let column = |heading, align, tone| Column { heading, align, tone };
    let run = column("run", Align::Left, Tone::Strong);
    let cost = column("cost", Align::Right, Tone::Plain);
    let state = column("state", Align::Left, Tone::Plain);
    let job = column("job", Align::Left, Tone::Plain);
    let named = |row: &RunRow| {
        let place = if same_place { String::new() } else { format!("  ({})", one_line(&row.directory)) };
        format!("{}{place}", title(row))
    };
    let spent = |row: &RunRow| format::charged(row.spent());
    let name = |row: &RunRow| one_line(&row.run.0);
    if terminal.width.is_some_and(|width| width < NARROW) {
        let rows = sorted.iter().map(|row| {
            let cells = [name(row), row.state.name().to_owned(), spent(row), named(row)];
            Row { cells, state: Some((1, row.state.tone())), problem: None }
        });
        return table([run, state, cost, job], Narrow::Ends, &rows.collect::<Vec<_>>(), terminal);
    }
    let started = column("started", Align::Left, Tone::Dim);
    let iterations = column("it.", Align::Right, Tone::Plain);
    let rows = sorted.iter().map(|row| {
        let cells = [
            name(row),
            format::relative(row.started, now, &terminal.zone),
            row.iterations.to_string(),
            spent(row),
            row.state.name().to_owned(),
            named(row),
        ];
        Row { cells, state: Some((4, row.state.tone())), problem: None }
    });
    let columns = [run, started, iterations, cost, state, job];
    table(columns, Narrow::Ends, &rows.collect::<Vec<_>>(), terminal)
}

/// The list as one line of JSON, in the order given.
pub fn runs_json(rows: &[RunRow]) -> Vec<u8> {
    listed("runs", rows)
}

/// `api (35/60): Move all endpoints`, `verify api: Move all endpoints`; without a workspace the job's first words alone.
fn title(row: &RunRow) -> String {
    let title = one_line(&row.title);
    let Some(name) = &row.workspace else { return title };
    let items = row.items.map(|Items { done, total }| format!(" ({done}/{total})")).unwrap_or_default();
    let verb = if row.mode.judges() { format!("{} ", row.mode.name()) } else { String::new() };
    format!("{verb}{}{items}: {title}", one_line(name))
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
