//! The report as Markdown. What others wrote stands in code spans: nothing in it is a link, a mention, an image or HTML.

use std::fmt::Write as _;

use jiff::tz::TimeZone;

use super::sheet::{Part, ReportAnswer, Row, Sheet, foreign, look, name};
use super::tables::{Column, Table, tables};
use crate::line::{Mark, Tone};
use crate::model::{Night, RunSeen};

/// The report as Markdown, for a file, a chat or a pull request.
pub fn report_markdown(night: &Night, zone: &TimeZone) -> String {
    let sheet = Sheet::of(night, zone);
    let mut text = format!("# {}\n", parts(&sheet.headline));
    for answer in &sheet.answers {
        // Writing into a string does not fail.
        let _ = write!(text, "\n## {}\n\n", answer.question);
        for row in &answer.rows {
            text += &answered(row);
        }
    }
    for (run, whole) in night.runs.iter().zip(&sheet.whole) {
        text += &details(run, whole, zone);
    }
    for lost in &night.unreadable {
        let (what, name) = lost.named();
        let (name, why) = (foreign(name), foreign(&lost.why));
        let _ = write!(text, "\nThe {what} {} is left out: {}\n", part(&name), part(&why));
    }
    text
}

fn answered(row: &Row) -> String {
    match row {
        Row::Says { look, run, parts: said } => {
            let run = run.as_ref().map(|run| format!("**{}** ", code(run))).unwrap_or_default();
            format!("- {} {run}{}\n", sign(*look), parts(said))
        }
        // Its item goes on.
        Row::Types { command, purpose } => {
            let purpose = if purpose.is_empty() { String::new() } else { format!("{}:", code(purpose)) };
            format!("\n  {purpose}\n\n  ~~~sh\n  {command}\n  ~~~\n\n")
        }
    }
}

/// A mark that says the same without a colour.
const fn sign((tone, mark): (Tone, Mark)) -> &'static str {
    match (tone, mark) {
        (Tone::Good, _) => "✅",
        (Tone::Bad, _) => "❌",
        (Tone::Warn, Mark::Doubtful) => "❓",
        (Tone::Warn, _) => "⚠️",
        _ => "▫️",
    }
}

fn details(run: &RunSeen, whole: &[ReportAnswer], zone: &TimeZone) -> String {
    let title = foreign(&run.status.title);
    let state = sign(look(run.status.state));
    let name = code(&name(run));
    let mut text = format!("\n## {state} {name} {} {}\n", run.status.state.name(), part(&title));
    for answer in whole {
        // Writing into a string does not fail.
        let _ = write!(text, "\n### {}\n\n", answer.question);
        text.extend(answer.rows.iter().map(answered));
    }
    for table in tables(run, zone) {
        text += &shown(&table);
    }
    text
}

fn shown(table: &Table) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let headings = table.columns.iter().map(|column| column.heading().to_owned()).collect();
    let rules = table.columns.iter().map(|column| match column {
        Column::Words(_) => "---".to_owned(),
        Column::Numbers(_) => "---:".to_owned(),
    });
    let mut text = format!("\n### {}\n\n{}{}", table.name, row(headings), row(rules.collect()));
    for cells in &table.rows {
        // A bar ends a cell, in a code span, too.
        text += &row(cells.iter().map(|cell| part(cell).replace('|', "\\|")).collect());
    }
    if table.more > 0 {
        let _ = write!(text, "\nand {} more: `--json` has all\n", table.more);
    }
    text
}

fn parts(parts: &[Part]) -> String {
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> String {
    match part {
        // Signs of money begin mathematics in some readers.
        Part::Own(text) => text.replace('$', "\\$").replace('<', "&lt;").replace('~', "\\~"),
        Part::Foreign(text) => code(text),
    }
}

/// A code span whose quotes are longer than any in it; nothing for nothing.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let quote = "`".repeat(longest + 1);
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{quote}{room}{text}{room}{quote}")
}
