//! The list of runs.

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use windlass_core::spec::Mode;
use windlass_core::values::{Cost, Grounds, Items, Named, RunId, Spent, StopReason};

use crate::document::listed;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Tone};
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

/// The list as a table, oldest first, so that the newest run is next to the prompt; every line ends with a newline.
pub fn runs_table(rows: &[RunRow], now: Timestamp, terminal: &Terminal) -> String {
    if rows.is_empty() {
        return "no runs yet: `windlass run -p \"what is to be done\"` starts one\n".to_owned();
    }
    let mut sorted: Vec<&RunRow> = rows.iter().collect();
    sorted.sort_by(|left, right| (left.started, &left.run).cmp(&(right.started, &right.run)));
    let same_place = rows.windows(2).all(|pair| match pair {
        [left, right] => left.directory == right.directory,
        _ => true,
    });
    let cells: Vec<Cells> = sorted.iter().map(|row| Cells::new(row, now, terminal, same_place)).collect();
    let widths = Widths::of(&cells);
    let mut text = String::new();
    let room = terminal.width.unwrap_or(usize::MAX);
    for line in std::iter::once(widths.header()).chain(cells.iter().map(|cells| widths.row(cells))) {
        text.push_str(line.render_cut(terminal, room).trim_end());
        text.push('\n');
    }
    text
}

/// The list as one line of JSON, in the order given.
pub fn runs_json(rows: &[RunRow]) -> Vec<u8> {
    listed("runs", rows)
}

struct Cells {
    run: String,
    started: String,
    iterations: String,
    cost: String,
    state: RunState,
    title: String,
}

impl Cells {
    fn new(row: &RunRow, now: Timestamp, terminal: &Terminal, same_place: bool) -> Cells {
        let title = title(row);
        Cells {
            run: one_line(&row.run.0),
            started: format::relative(row.started, now, &terminal.zone),
            iterations: row.iterations.to_string(),
            cost: format::charged(Spent { cost: row.cost, estimated: row.estimated_cost }),
            state: row.state,
            title: if same_place { title } else { format!("{title}  ({})", one_line(&row.directory)) },
        }
    }
}

/// `api (35/60): Move all endpoints`, `verify api: Move all endpoints`; without a workspace the job's first words alone.
fn title(row: &RunRow) -> String {
    let title = one_line(&row.title);
    let Some(name) = &row.workspace else {
        return title;
    };
    let items = row.items.map(|Items { done, total }| format!(" ({done}/{total})")).unwrap_or_default();
    let verb = if row.mode.judges() { format!("{} ", row.mode.name()) } else { String::new() };
    format!("{verb}{}{items}: {title}", one_line(name))
}

/// The widths of the columns; the title takes the rest.
struct Widths {
    run: usize,
    started: usize,
    iterations: usize,
    cost: usize,
    state: usize,
}

impl Widths {
    fn of(cells: &[Cells]) -> Widths {
        let widest = |heading: &str, cell: &dyn Fn(&Cells) -> usize| {
            cells.iter().map(cell).max().unwrap_or(0).max(heading.len())
        };
        Widths {
            run: widest("run", &|cells| cells.run.chars().count()),
            started: widest("started", &|cells| cells.started.chars().count()),
            iterations: widest("it.", &|cells| cells.iterations.chars().count()),
            cost: widest("cost", &|cells| cells.cost.chars().count()),
            state: widest("state", &|cells| cells.state.name().len()),
        }
    }

    fn header(&self) -> Line {
        let Widths { run, started, iterations, cost, state } = self;
        Line::new().dim(format!(
            "{:<run$}  {:<started$}  {:>iterations$}  {:>cost$}  {:<state$}  job",
            "run", "started", "it.", "cost", "state"
        ))
    }

    fn row(&self, cells: &Cells) -> Line {
        let Widths { run, started, iterations, cost, state } = self;
        Line::new()
            .strong(format!("{:<run$}", cells.run))
            .dim(format!("  {:<started$}", cells.started))
            .plain(format!("  {:>iterations$}  {:>cost$}  ", cells.iterations, cells.cost))
            .tone(cells.state.tone(), format!("{:<state$}", cells.state.name()))
            .plain(format!("  {}", cells.title))
    }
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
