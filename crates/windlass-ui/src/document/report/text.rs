//! The report for a terminal.

use super::sheet::{Part, ReportAnswer, Row, Sheet, look, name};
use super::tables::{Column, Table, tables};
use crate::line::{self, Line, Tone};
use crate::model::{Night, RunSeen};
use crate::narrate::labelled_once;
use crate::terminal::Terminal;

/// Between two cells.
const GAP: &str = "  ";

/// The report for people: 24 rows that answer, then tables. Every line ends with a newline. At a terminal what is too long for a row is
/// cut, but for commands.
pub fn report_text(night: &Night, terminal: &Terminal) -> String {
    let sheet = Sheet::of(night, &terminal.zone);
    let mut rows = vec![row(&line_of(Line::new(), Tone::Strong, &sheet.headline), terminal)];
    rows.extend(sheet.answers.iter().flat_map(|answer| told(answer, terminal)));
    for (run, whole) in night.runs.iter().zip(&sheet.whole) {
        rows.push(String::new());
        rows.extend(details(run, whole, terminal));
    }
    for lost in &night.unreadable {
        let (what, name) = lost.named();
        let line = Line::problem(&format!("{what} {name} is left out: {}", lost.why));
        rows.push(line.render(terminal));
    }
    let ended: Vec<&str> = rows.iter().flat_map(|row| [row.trim_end(), "\n"]).collect();
    ended.concat()
}

/// An answer, with its word before its first row.
fn told(answer: &ReportAnswer, terminal: &Terminal) -> Vec<String> {
    let labels = labelled_once(answer.label);
    labels.zip(&answer.rows).map(|(line, said)| answered(line.unbroken(), said, terminal)).collect()
}

fn answered(line: Line, said: &Row, terminal: &Terminal) -> String {
    match said {
        Row::Says { look: (tone, mark), run, parts } => {
            let line = line.mark(*tone, *mark).plain(" ");
            let line = run.iter().fold(line, |line, run| line.strong(run.as_str()).plain(" "));
            row(&line_of(line, Tone::Plain, parts), terminal)
        }
        Row::Types { command, purpose } => {
            let whole = line.plain("  ").command(command.as_str());
            let explained = whole.clone().dim(format!("{GAP}{purpose}"));
            // A command is there to be copied, and is never cut.
            let shown = whole.render(&Terminal { colour: false, ..terminal.clone() });
            let fits = terminal.width.is_none_or(|width| line::width(&shown) + GAP.len() < width);
            if fits && !purpose.is_empty() { row(&explained, terminal) } else { whole.render(terminal) }
        }
    }
}

fn line_of(line: Line, tone: Tone, parts: &[Part]) -> Line {
    parts.iter().fold(line, |line, part| line.tone(tone, part.text()))
}

fn row(line: &Line, terminal: &Terminal) -> String {
    terminal.width.map_or_else(|| line.render(terminal), |width| line.render_cut(terminal, width))
}

fn details(run: &RunSeen, whole: &[ReportAnswer], terminal: &Terminal) -> Vec<String> {
    let (tone, mark) = look(run.status.state);
    let title = super::sheet::foreign(&run.status.title);
    let head = Line::new()
        .mark(tone, mark)
        .plain(" ")
        .strong(name(run))
        .plain(" ")
        .tone(tone, run.status.state.name())
        .plain(GAP)
        .plain(title.text());
    let mut rows = vec![row(&head, terminal)];
    for answer in whole {
        rows.push(String::new());
        rows.extend(told(answer, terminal));
    }
    for table in tables(run, &terminal.zone) {
        rows.push(String::new());
        rows.extend(shown(&table, terminal));
    }
    rows
}

fn shown(table: &Table, terminal: &Terminal) -> Vec<String> {
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = table.rows.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| line::width(cell.text())).max().unwrap_or(0);
            widest.max(line::width(column.heading()))
        })
        .collect();
    let aligned = |cells: Vec<&str>| {
        let mut text = String::new();
        for ((column, width), cell) in table.columns.iter().zip(&widths).zip(cells) {
            let room = " ".repeat(width.saturating_sub(line::width(cell)));
            text += GAP;
            let (first, second) = match column {
                Column::Words(_) => (cell, room.as_str()),
                Column::Numbers(_) => (room.as_str(), cell),
            };
            text += first;
            text += second;
        }
        text.trim_end().to_owned()
    };
    let headings = table.columns.iter().map(|column| column.heading()).collect();
    let mut rows = vec![
        row(&Line::new().strong(format!("{GAP}{}", table.name)), terminal),
        row(&Line::new().dim(aligned(headings)), terminal),
    ];
    let cells = table.rows.iter().map(|cells| aligned(cells.iter().map(Part::text).collect()));
    rows.extend(cells.map(|text| row(&Line::new().plain(text), terminal)));
    if table.more > 0 {
        rows.push(row(&Line::new().dim(format!("{GAP}and {} more: --json has all", table.more)), terminal));
    }
    rows
}
