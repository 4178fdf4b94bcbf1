//! What an import took over, and what it left.

use std::ffi::OsStr;

use serde::Serialize;
use windlass_core::values::Extent;
use windlass_core::words::quoted;

use crate::document::document;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::terminal::Terminal;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportRow {
    /// `workspace`, `template`, `archive`, `configuration`, `prompt`, `agents file`, `hook`, `plan`, `task file`, `principles`, `notes`, `history`, `file`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub from: String,
    /// Where it went or would go; `None` when it is left.
    pub to: Option<String>,
    /// What a person should know about it, one sentence each.
    pub notes: Vec<String>,
}

/// All rows as one line of JSON.
pub fn import_json(rows: &[ImportRow], extent: Extent) -> Vec<u8> {
    #[derive(Serialize)]
    struct Fields<'a> {
        dry_run: bool,
        items: &'a [ImportRow],
    }
    let dry_run = extent == Extent::Look;
    document("import", &Fields { dry_run, items: rows })
}

/// The rows for people: what was taken, then what was left, each with what there is to say about it.
pub fn import_text(rows: &[ImportRow], extent: Extent, terminal: &Terminal) -> String {
    let width = rows.iter().map(|row| row.kind.len()).max().unwrap_or(0);
    let (taken, left): (Vec<&ImportRow>, Vec<&ImportRow>) = rows.iter().partition(|row| row.to.is_some());
    let mut lines: Vec<Line> = Vec::new();
    for row in taken.iter().chain(&left) {
        let (tone, mark) =
            if row.to.is_some() { (Tone::Good, Mark::Done) } else { (Tone::Warn, Mark::Notice) };
        let mut line = Line::hanging(4).mark(tone, mark).plain(" ");
        line = line.dim(format!("{:<width$}  ", row.kind)).strong(one_line(&row.name));
        if let Some(to) = &row.to {
            line = line.dim(" → ").plain(one_line(to));
        }
        lines.push(line);
        lines.extend(row.notes.iter().map(|note| {
            let line = Line::hanging(4).plain("    ");
            // What would steer agents wrongly from now on has to be seen.
            if note.starts_with("beware: ") {
                line.tone(Tone::Warn, one_line(note))
            } else {
                line.dim(one_line(note))
            }
        }));
    }
    let verb = match extent {
        Extent::Act => "imported",
        Extent::Look => "would be imported",
    };
    let counted = format::count(taken.len() as u64, "item");
    lines.push(Line::new());
    lines.push(
        Line::hanging(2).plain(format!("{counted} {verb}, {} left; the source is as it was.", left.len())),
    );
    if extent == Extent::Act {
        lines.extend(next(&taken).map(|command| Line::new().dim("  next  ").command(command)));
    }
    rendered(&lines, terminal)
}

/// What could be done with it.
fn next(taken: &[&ImportRow]) -> Option<String> {
    let first = |kind: &str| taken.iter().find(|row| row.kind == kind).and_then(|row| row.to.as_deref());
    if first("workspace").is_some() {
        return Some("windlass list".to_owned());
    }
    if let Some(file) = first("task file") {
        return Some(format!("windlass continue -f {}", quoted(OsStr::new(file))));
    }
    let planned = first("plan").map(|_| "windlass build --dry-run");
    planned.or_else(|| first("prompt").map(|_| "windlass plan --dry-run")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<ImportRow> {
        let row = |kind: &str, name: &str, to: Option<&str>, notes: &[&str]| ImportRow {
            kind: kind.to_owned(),
            name: name.to_owned(),
            from: format!("/p/claude-iterate/{name}"),
            to: to.map(str::to_owned),
            notes: notes.iter().map(|note| (*note).to_owned()).collect(),
        };
        vec![
            row("workspace", "old\u{1b}[2J", None, &["a workspace of this name is here already"]),
            row("configuration", ".claude-iterate.json", Some(".windlass/config.toml"), &[]),
            row("workspace", "api", Some(".windlass/workspaces/api"), &["`x` is left out"]),
        ]
    }

    // rows: 129
    #[test]
    fn what_was_taken_comes_before_what_was_left() {
        let text = import_text(&rows(), Extent::Act, &Terminal::plain());
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
        assert!(at(".claude-iterate.json") < at("api") && at("api") < at("already"));
        assert!(
            text.ends_with("2 items imported, 1 left; the source is as it was.\n  next  windlass list\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
        let looked = import_text(&rows(), Extent::Look, &Terminal::plain());
        assert!(looked.contains("2 items would be imported"));
    }

    #[test]
    fn the_next_command_names_the_task_file_that_was_found() {
        let mut row = rows().remove(1);
        (row.kind, row.to) = ("task file".to_owned(), Some("requirements/pay me.md".to_owned()));
        let text = import_text(&[row], Extent::Act, &Terminal::plain());
        assert!(text.ends_with("next  windlass continue -f 'requirements/pay me.md'\n"), "{text}");
    }

    #[test]
    fn the_document_is_one_line() {
        let json = import_json(&rows(), Extent::Look);
        crate::view::check_document("import", &json);
        let read: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!((&read["type"], &read["dry_run"]), (&"import".into(), &true.into()));
        assert_eq!(read["items"][0]["to"], serde_json::Value::Null);
        assert_eq!(String::from_utf8(json).unwrap().lines().count(), 1);
    }
}
