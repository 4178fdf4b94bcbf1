//! What stands below the answers: a run's iterations, tasks, checks, waits and tokens, number by number.

use std::time::Duration;

use jiff::tz::TimeZone;
use windlass_core::values::{Class, Cost, Named, Spent, Tokens};
use windlass_core::words::some_of;

use super::sheet::{LACKS, NAMED, Part, foreign, gate_words, own};
use crate::format;
use crate::model::{GateStanding, IterationSeen, LinesChanged, RunSeen};
use crate::words;

/// So many rows a table has at most; JSON has all.
const MOST: usize = 500;

/// Rows below headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it lists.
    pub name: &'static str,
    /// Its columns, from the left.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<Part>>,
    /// Rows that are left out.
    pub more: usize,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Of words, with this heading.
    Words(&'static str),
    /// Of numbers, with this heading.
    Numbers(&'static str),
}

impl Column {
    /// What stands above it.
    pub const fn heading(self) -> &'static str {
        match self {
            Words(heading) | Numbers(heading) => heading,
        }
    }
}

use Column::{Numbers, Words};

impl Table {
    /// The first rows of these.
    pub fn new(name: &'static str, columns: Vec<Column>, mut rows: Vec<Vec<Part>>) -> Table {
        let more = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        Table { name, columns, rows, more }
    }
}

/// Those of a run that have rows.
pub fn tables(run: &RunSeen, zone: &TimeZone) -> Vec<Table> {
    let all = [iterations(run), agents(run), tasks(run), checks(run), waits(run, zone), tokens(run)];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn iterations(run: &RunSeen) -> Table {
    let mut columns = vec![
        Numbers("it."),
        Words("task"),
        Words("verdict"),
        Numbers("took"),
        Numbers("cost"),
        Numbers("wasted"),
        Numbers("tokens"),
    ];
    let counted = run.rounds.iter().any(|round| round.lines.is_some());
    columns.extend(counted.then_some(Numbers("lines")));
    columns.push(Words("what"));
    let row = |round: &IterationSeen| {
        let mut cells = iteration(round);
        cells.extend(counted.then(|| own(lines(round.lines))));
        cells.push(foreign(&round.why));
        cells
    };
    Table::new("Iterations", columns, run.rounds.iter().map(row).collect())
}

/// `+12 -3`; empty where nobody has looked.
fn lines(changed: Option<LinesChanged>) -> String {
    changed.map_or_else(String::new, |lines| format!("+{} -{}", lines.added, lines.removed))
}

fn iteration(round: &IterationSeen) -> Vec<Part> {
    let took = Duration::from_millis(round.duration_ms);
    let took = if round.ended.is_some() || round.at_work { format::duration(took) } else { String::new() };
    vec![
        own(round.iteration.to_string()),
        round.task.as_ref().map_or_else(|| own(""), |task| foreign(&task.0)),
        own(round.word()),
        own(took),
        own(format::charged(round.spent())),
        own(amount(round.wasted.total())),
        own(format::amount(round.tokens.total())),
    ]
}

/// Nothing is not written as a number: the eye finds what is there.
fn amount(cost: Cost) -> String {
    if cost.is_zero() { String::new() } else { format::money(cost) }
}

/// Who did what, in a run with several agents.
fn agents(run: &RunSeen) -> Table {
    let mut names: Vec<&str> = Vec::new();
    let calls = || run.rounds.iter().flat_map(|round| &round.calls);
    for name in calls().map(|call| call.by.as_str()).filter(|name| !name.is_empty()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let columns =
        vec![Words("agent"), Numbers("calls"), Numbers("could not work"), Numbers("tokens"), Numbers("cost")];
    let rows = names.into_iter().map(|name| {
        let own_calls = || calls().filter(|call| call.by == name);
        let in_vain = own_calls().filter(|call| call.class.is_some_and(Class::is_of_api)).count();
        let (mut tokens, mut cost, mut estimated) = (Tokens::default(), Cost::ZERO, Cost::ZERO);
        for call in own_calls() {
            tokens += call.tokens;
            cost += call.cost;
            estimated += call.spent().estimated;
        }
        vec![
            foreign(name),
            own(own_calls().count().to_string()),
            own(if in_vain > 0 { in_vain.to_string() } else { String::new() }),
            own(format::amount(tokens.total())),
            own(format::charged(Spent { cost, estimated })),
        ]
    });
    Table::new("Agents", columns, rows.collect())
}

fn tasks(run: &RunSeen) -> Table {
    let columns = vec![
        Words("task"),
        Words("state"),
        Numbers("iterations"),
        Numbers("cost"),
        Words("commit"),
        Words("title"),
    ];
    let rows = run.begun.iter().map(|task| {
        let commit = task.commits.last().map(|commit| crate::narrate::short(commit));
        vec![
            foreign(&task.task.0),
            own(run.task_word(task)),
            own(task.iterations.len().to_string()),
            own(format::charged(task.spent())),
            own(commit.unwrap_or_default()),
            foreign(&task.title),
        ]
    });
    Table::new("Tasks", columns, rows.collect())
}

fn checks(run: &RunSeen) -> Table {
    let rows = run.gates.iter().map(|gate| vec![own(gate.kind.name()), foreign(&gate.command), judged(gate)]);
    Table::new("Checks", vec![Words("kind"), Words("check"), Words("how it went last")], rows.collect())
}

fn waits(run: &RunSeen, zone: &TimeZone) -> Table {
    let rows = run.waits.iter().map(|wait| {
        let until = wait.ended.map_or_else(String::new, |ended| format::date_time(ended, zone));
        vec![own(format::date_time(wait.since, zone)), own(until), own(words::class(wait.class))]
    });
    Table::new("Waits", vec![Words("from"), Words("until"), Words("why")], rows.collect())
}

fn tokens(run: &RunSeen) -> Table {
    let tokens = run.status.tokens;
    let classes = [
        ("input", tokens.input),
        ("output", tokens.output),
        ("written to the cache", tokens.cache_creation),
        ("read from the cache", tokens.cache_read),
    ];
    let counted = classes.into_iter().filter(|(_, number)| *number > 0);
    let rows = counted.map(|(class, number)| vec![own(class), own(number.to_string())]);
    Table::new("Tokens", vec![Words("class"), Numbers("tokens")], rows.collect())
}

/// On which tree it passed, and which commit that is.
fn judged(gate: &GateStanding) -> Part {
    if gate.lacks.is_empty() {
        return own(gate_words(gate));
    }
    foreign(&format!("{}{LACKS}{}", gate_words(gate), some_of(gate.lacks.iter(), NAMED)))
}
