//! Archives of workspaces: the list, and what is in one.

use jiff::Timestamp;
use serde::Serialize;

use super::table::{Align, Column, Narrow, Row, nothing_yet, table};
use crate::document::{document, listed};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::narrate::labelled;
use crate::terminal::Terminal;

/// An archive in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArchiveRow {
    /// Its name, as `archive restore` takes it.
    pub name: String,
    /// The workspace's name.
    pub workspace: String,
    /// When it was made.
    #[serde(serialize_with = "windlass_core::values::some_wall_time::serialize")]
    pub archived: Option<Timestamp>,
    /// Its size on disk.
    pub bytes: u64,
    /// Iterations that the workspace had behind it.
    pub iterations: Option<u64>,
    /// Where it is.
    pub path: String,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// What is in an archive.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArchiveShown {
    /// As in the list.
    #[serde(flatten)]
    pub row: ArchiveRow,
    /// The folder it was made of.
    pub from: String,
    /// How the workspace is worked on.
    pub mode: Option<String>,
    /// How it stood by its history.
    pub status: Option<String>,
    /// What its status file said.
    pub said: Option<String>,
    /// Files in it.
    pub files: u64,
    /// Their size together.
    pub unpacked_bytes: u64,
    /// The first lines of its instructions.
    pub instructions: Vec<String>,
    /// Lines of the instructions that are not among them.
    pub more_lines: u64,
    /// Links that lead out of the workspace, as `link -> target`.
    pub outside: Vec<String>,
}

/// The list, in the order given; every line ends with a newline.
pub fn archives_table(rows: &[ArchiveRow], now: Timestamp, terminal: &Terminal) -> String {
    if rows.is_empty() {
        return nothing_yet("no archives yet: `windlass archive save WORKSPACE` makes one", terminal);
    }
    let columns = [
        Column { heading: "workspace", align: Align::Left, tone: Tone::Strong },
        Column { heading: "archived", align: Align::Left, tone: Tone::Dim },
        Column { heading: "size", align: Align::Right, tone: Tone::Plain },
        Column { heading: "it.", align: Align::Right, tone: Tone::Plain },
        Column { heading: "archive", align: Align::Left, tone: Tone::Plain },
    ];
    let rows = rows.iter().map(|row| {
        let dash = || "-".to_owned();
        let cells = [
            one_line(&row.workspace),
            row.archived.map_or_else(dash, |at| format::relative(at, now, &terminal.zone)),
            format::bytes(row.bytes),
            row.iterations.map_or_else(dash, |count| count.to_string()),
            one_line(&row.name),
        ];
        Row { cells, state: None, problem: row.problem.as_deref() }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

/// The list as one line of JSON, in the order given.
pub fn archives_json(rows: &[ArchiveRow]) -> Vec<u8> {
    listed("archives", rows)
}

/// What is in an archive, for people; every line ends with a newline.
pub fn archive_text(shown: &ArchiveShown, now: Timestamp, terminal: &Terminal) -> String {
    let row = &shown.row;
    let mut lines =
        vec![Line::hanging(2).strong(one_line(&row.workspace)).dim(format!("  {}", one_line(&row.name)))];
    lines.extend(row.archived.map(|at| {
        let ago = format!(" ({})", format::relative(at, now, &terminal.zone));
        labelled("archived").plain(format::date_time(at, &terminal.zone)).dim(ago)
    }));
    let mut add = |label: &str, text: &str| {
        if !text.is_empty() {
            lines.push(labelled(label).plain(one_line(text)));
        }
    };
    add("from", &shown.from);
    add("mode", shown.mode.as_deref().unwrap_or_default());
    add("state", &shown.status.as_deref().unwrap_or_default().replace('_', " "));
    add("iteration", &row.iterations.map(|count| count.to_string()).unwrap_or_default());
    add("status", shown.said.as_deref().unwrap_or_default());
    let (files, unpacked) = (format::count(shown.files, "file"), format::bytes(shown.unpacked_bytes));
    let kept = format!(" (here {})", format::bytes(row.bytes));
    lines.push(labelled("holds").plain(format!("{files}, {unpacked}")).dim(kept));
    lines.extend(
        shown
            .outside
            .iter()
            .map(|link| labelled("link").tone(Tone::Warn, "leads outside: ").plain(one_line(link))),
    );
    lines.push(labelled("whole").mark(Tone::Good, Mark::Passed).plain(" all of it was read"));
    lines.extend(beginning(&shown.instructions, shown.more_lines));
    lines.push(Line::new());
    let flag = if shown.outside.is_empty() { "" } else { " --outside-links" };
    let command = format!("windlass archive restore {}{flag}", one_line(&row.name));
    lines.push(Line::new().dim("  restore  ").command(command));
    rendered(&lines, terminal)
}

/// What is in an archive as one line of JSON.
pub fn archive_json(shown: &ArchiveShown) -> Vec<u8> {
    document("archive", shown)
}

/// The first lines of instructions below a heading of their own.
pub(super) fn beginning(lines: &[String], more: u64) -> Vec<Line> {
    if lines.is_empty() {
        return Vec::new();
    }
    let mut shown = vec![Line::new(), Line::new().dim("  INSTRUCTIONS.md")];
    shown.extend(
        lines.iter().map(|line| Line::hanging(4).plain(format!("    {}", one_line(line)).trim_end())),
    );
    if more > 0 {
        shown.push(Line::new().dim(format!("    … {}", format::count(more, "more line"))));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn now() -> Timestamp {
        "2026-03-01T21:00:00Z".parse().unwrap()
    }

    fn row(workspace: &str, at: &str) -> ArchiveRow {
        ArchiveRow {
            name: format!("{workspace}-{}", at.replace(':', "-").trim_end_matches('Z')),
            workspace: workspace.to_owned(),
            archived: at.parse().ok(),
            bytes: 12_345,
            iterations: Some(7),
            path: "/p/.windlass/archive/x.tar.gz".to_owned(),
            problem: None,
        }
    }

    #[test]
    fn a_list_stands_in_columns_and_names_what_is_broken() {
        let mut broken = row("port", "2026-02-27T09:00:00Z");
        broken.iterations = None;
        broken.problem = Some("it is damaged: its end is missing".to_owned());
        assert_eq!(
            archives_table(&[row("api-docs", "2026-03-01T20:00:00Z"), broken], now(), &columns(80)),
            "\
workspace  archived     size  it.  archive
api-docs   1h ago    12.3 kB    7  api-docs-2026-03-01T20-00-00
port       2d ago    12.3 kB    -  port-2026-02-27T09-00-00
  ! it is damaged: its end is missing
"
        );
        assert!(archives_table(&[], now(), &columns(80)).contains("windlass archive save"));
    }

    #[test]
    fn an_archive_is_shown_with_the_command_that_brings_it_back() {
        let shown = ArchiveShown {
            row: row("port", "2026-03-01T20:00:00Z"),
            from: "/home/ada/\x1b[31mledger".to_owned(),
            mode: Some("loop".to_owned()),
            status: Some("in_progress".to_owned()),
            said: Some("3/9 items".to_owned()),
            files: 6,
            unpacked_bytes: 40_000,
            instructions: vec!["# Port".to_owned(), String::new(), "All of it.".to_owned()],
            more_lines: 2,
            outside: vec!["data -> /srv/data".to_owned()],
        };
        assert_eq!(
            archive_text(&shown, now(), &columns(80)),
            "\
port  port-2026-03-01T20-00-00
  archived    2026-03-01 20:00:00 (1h ago)
  from        /home/ada/ledger
  mode        loop
  state       in progress
  iteration   7
  status      3/9 items
  holds       6 files, 40.0 kB (here 12.3 kB)
  link        leads outside: data -> /srv/data
  whole       ✓ all of it was read

  INSTRUCTIONS.md
    # Port

    All of it.
    … 2 more lines

  restore  windlass archive restore port-2026-03-01T20-00-00 --outside-links
"
        );
        crate::view::check_document("archive", &archive_json(&shown));
        crate::view::check_document("archives", &archives_json(&[shown.row.clone(), ArchiveRow::default()]));
        let document: serde_json::Value = serde_json::from_slice(&archive_json(&shown)).unwrap();
        assert_eq!((&document["v"], &document["type"]), (&1.into(), &"archive".into()));
        assert_eq!((&document["workspace"], &document["files"]), (&"port".into(), &6.into()));
        let list: serde_json::Value = serde_json::from_slice(&archives_json(&[shown.row])).unwrap();
        assert_eq!(list["archives"][0]["iterations"], 7);
    }
}
