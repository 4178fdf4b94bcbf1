//! What a run changed in the files.

use serde::Serialize;
use windlass_core::values::RunId;

use crate::document::document;
use crate::format;
use crate::harmless::{harmless, one_line};
use crate::line::{self, Line, Tone, rendered};
use crate::terminal::Terminal;

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileShown {
    /// From the top of the repository; what is not UTF-8 is replaced.
    pub path: String,
    /// Lines that were added; `None` for what is not text.
    pub added: Option<u32>,
    /// Lines that were removed; `None` for what is not text.
    pub removed: Option<u32>,
}

/// What differs between two snapshots of a run.
#[derive(Clone, Debug, Serialize)]
pub struct DiffShown<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The snapshot that is compared with, as `windlass restore` takes it.
    pub from: String,
    /// The later one.
    pub to: String,
    /// Which files.
    pub files: Vec<FileShown>,
}

/// Each file with its lines, and their sum.
pub fn diff_stat_text(shown: &DiffShown<'_>, terminal: &Terminal) -> String {
    let count = |lines: Option<u32>| lines.map_or_else(|| "-".to_owned(), |lines| lines.to_string());
    let rows: Vec<(String, String, String)> = shown
        .files
        .iter()
        .map(|file| {
            (format!("+{}", count(file.added)), format!("-{}", count(file.removed)), one_line(&file.path))
        })
        .collect();
    let widest = |of: fn(&(String, String, String)) -> &String| {
        rows.iter().map(|row| line::width(of(row))).max().unwrap_or_default()
    };
    let (added, removed) = (widest(|row| &row.0), widest(|row| &row.1));
    let mut lines: Vec<Line> = rows
        .iter()
        .map(|(plus, minus, path)| {
            Line::new()
                .tone(Tone::Good, format!("{plus:>added$}"))
                .plain(" ")
                .tone(Tone::Bad, format!("{minus:>removed$}"))
                .plain(format!("  {path}"))
        })
        .collect();
    let files = format::count(shown.files.len() as u64, "file");
    lines.push(Line::new().dim(format!("{files} changed from {} to {}", shown.from, shown.to)));
    rendered(&lines, terminal)
}

/// A patch for people: what is added and removed in colours, and nothing in it that drives a terminal.
pub fn patch_text(patch: &[u8], terminal: &Terminal) -> String {
    let text = String::from_utf8_lossy(patch);
    let mut lines = Vec::new();
    let mut in_header = true;
    for text in text.lines() {
        if text.starts_with("diff --git ") {
            in_header = true;
        } else if text.starts_with("@@ ") {
            in_header = false;
        }
        let tone = match text.bytes().next() {
            _ if in_header => Tone::Strong,
            Some(b'@') => Tone::Command,
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            _ => Tone::Plain,
        };
        // A carriage return within a line is a line of its own, and would lose its sign.
        lines.push(Line::new().tone(tone, harmless(&text.replace('\r', "")).into_owned()));
    }
    rendered(&lines, terminal)
}

/// Which files differ, as one line of JSON.
pub fn diff_json(shown: &DiffShown<'_>) -> Vec<u8> {
    document("diff", shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn shown(run: &RunId) -> DiffShown<'_> {
        let file = |path: &str, added, removed| FileShown { path: path.to_owned(), added, removed };
        let files = vec![file("a\u{1b}[1m.rs", Some(12), Some(3)), file("logo.png", None, None)];
        DiffShown { run, from: "1-1-before".to_owned(), to: "3-1-after".to_owned(), files }
    }

    #[test]
    fn each_file_has_its_lines_in_columns() {
        let run = RunId("r-1".to_owned());
        let expected = "+12 -3  a.rs\n +- --  logo.png\n2 files changed from 1-1-before to 3-1-after\n";
        assert_eq!(diff_stat_text(&shown(&run), &columns(80)), expected);
        crate::view::check_document("diff", &diff_json(&shown(&run)));
    }

    #[test]
    fn a_patch_drives_no_terminal_and_keeps_its_signs() {
        let patch =
            b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\x1b[2J\n+new\rover\n\tsame\r\n\xff\n";
        let expected =
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+newover\n\tsame\n\u{fffd}\n";
        assert_eq!(patch_text(patch, &columns(20)), expected);
    }
}
