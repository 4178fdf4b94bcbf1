//! What an agent said and did, as rows.

use std::path::Path;

use windlass_app::transcript::{self, Content, Observation, Page, ToolInput};
use windlass_ui::{Tone, format, one_line};

use crate::state::{Meaning, Part, ResultMark, Row};
use crate::text::{clean, fit};

/// Lines of a tool's answer that are shown; of a failed one all that came.
const ANSWER: usize = 8;

/// Columns of a tool's name.
const LABEL: usize = 14;

/// The rows of a page; paths below this directory are shown from there.
pub fn part(page: &Page, directory: &str) -> Part {
    let rows = page.rows.iter().flat_map(|row| rows(row, directory));
    Part {
        rows: rows.collect(),
        from: page.start,
        to: page.end,
        total: page.size.saturating_sub(page.unfinished),
    }
}

fn rows(row: &transcript::Row, directory: &str) -> Vec<Row> {
    let mut rows = match &row.content {
        Content::Observation(observation) => observed(observation, directory),
        Content::Long(beginning) => {
            vec![Row::labelled("long", Tone::Warn, one_line(beginning))]
        }
    };
    if let (Some(whole), Some(last)) = (row.whole, rows.last_mut()) {
        let more = format!("~ {} in all: e writes it to a file", format::bytes(whole.bytes));
        last.text = format!("{}\n{more}", last.text.trim_end_matches('\n'));
    }
    for shown in &mut rows {
        shown.offset = row.offset;
        shown.at = Some(row.at);
    }
    rows
}

fn observed(observation: &Observation, directory: &str) -> Vec<Row> {
    // What a sub-agent says and does is marked.
    let own = |nested: bool, label: &str| {
        let label = fit(label, LABEL);
        if nested { format!("{label}<") } else { label }
    };
    let row = match observation {
        Observation::AgentText { text, nested } => {
            let said = clean(text);
            let said = said.trim_matches('\n');
            if said.trim().is_empty() {
                return Vec::new();
            }
            Row::labelled(&own(*nested, "text"), Tone::Plain, said)
        }
        Observation::ToolUse { id, name, input, nested } => {
            let subject = subject(input, directory);
            let row = Row::labelled(&own(*nested, &one_line(name)), Tone::Command, subject);
            Row { name: id.clone(), ..row }
        }
        Observation::ToolResult { id, is_error, output, .. } => {
            let (tone, word) = if *is_error { (Tone::Bad, "failed") } else { (Tone::Dim, "ok") };
            let text = clean(&output.text);
            let text =
                if *is_error { text.trim_end().to_owned() } else { beginning(text.trim_end(), output.lines) };
            let row = Row::labelled(" ", tone, text);
            Row { answers: Some(ResultMark { to: id.clone(), word }), ..row }
        }
        Observation::Denied { name, id } => {
            let row = Row::labelled("denied", Tone::Warn, one_line(name));
            Row { answers: Some(ResultMark { to: id.clone(), word: "denied" }), ..row }
        }
        Observation::Started { model, version } => {
            Row::labelled("agent", Tone::Dim, format!("{} {}", one_line(model), one_line(version)))
        }
        Observation::Retrying { attempt, max_attempts, error, .. } => {
            Row::labelled("retry", Tone::Warn, format!("{attempt} of {max_attempts}: {}", one_line(error)))
        }
        Observation::LimitNotice { status, window, utilization, .. } => {
            let used = utilization.map(|used| format!(", {:.0} % used", used * 100.0)).unwrap_or_default();
            Row::labelled("limit", Tone::Dim, format!("{} {}{used}", one_line(window), one_line(status)))
        }
        Observation::Compacted => Row::labelled("agent", Tone::Dim, "compacts its context"),
        Observation::Background { running } => {
            Row::labelled("agent", Tone::Dim, format::count(u64::from(*running), "background task"))
        }
        Observation::Result { is_error, text, .. } => {
            let (label, tone) = if *is_error { ("error", Tone::Bad) } else { ("result", Tone::Strong) };
            Row::labelled(label, tone, clean(text).trim_end())
        }
        Observation::Garbage { bytes, start } => {
            Row::labelled("noise", Tone::Dim, format!("{} ({})", one_line(start), format::bytes(*bytes)))
        }
    };
    vec![row]
}

/// The first lines of an answer, and how many there are.
fn beginning(text: &str, lines: u64) -> String {
    let shown: Vec<&str> = text.lines().take(ANSWER).collect();
    let more = lines.saturating_sub(shown.len() as u64);
    let mut beginning = shown.join("\n");
    if more > 0 {
        beginning = format!("{beginning}\n~ {}", format::count(more, "further line"));
    }
    beginning
}

/// What a tool call is about, on one line.
pub fn subject(input: &ToolInput, directory: &str) -> String {
    let short = |path: &str| {
        let below =
            Path::new(path).strip_prefix(directory).ok().filter(|below| !below.as_os_str().is_empty());
        below.map_or_else(|| one_line(path), |below| one_line(&below.to_string_lossy()))
    };
    match input {
        ToolInput::Read { path, offset, .. } => {
            offset.map_or_else(|| short(path), |offset| format!("{}:{offset}", short(path)))
        }
        ToolInput::Edit { path, old, new, .. } => {
            let lines = |text: &str| text.lines().count();
            format!("{} +{} -{}", short(path), lines(new), lines(old))
        }
        ToolInput::Write { path, bytes, .. } => format!("{} ({})", short(path), format::bytes(*bytes)),
        ToolInput::Bash { command, .. } => one_line(command),
        ToolInput::Grep { pattern, path } | ToolInput::Glob { pattern, path } => {
            let place = if path.is_empty() { String::new() } else { format!(" in {}", short(path)) };
            format!("{}{place}", one_line(pattern))
        }
        ToolInput::Agent { description } => one_line(description),
        ToolInput::Other { json } => one_line(json),
    }
}

/// A patch, a row for each of its lines; at most so many.
pub fn patch(patch: &[u8], most: usize) -> Vec<Row> {
    let text = String::from_utf8_lossy(patch);
    let mut in_header = true;
    let mut rows = Vec::new();
    for line in text.lines() {
        if rows.len() == most {
            rows.push(Row::of(Tone::Warn, "~ more: e writes all of it to a file"));
            break;
        }
        if line.starts_with("diff --git ") {
            in_header = true;
        } else if line.starts_with("@@ ") {
            in_header = false;
        }
        let tone = match line.bytes().next() {
            _ if in_header => Tone::Strong,
            Some(b'@') => Tone::Command,
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            _ => Tone::Plain,
        };
        // A carriage return within a line is a line of its own, and would lose its sign.
        rows.push(Row { tone: Meaning(tone), text: clean(&line.replace('\r', "")), ..Row::default() });
    }
    rows
}

/// A text, a row for each of its lines.
pub fn lines(text: &str) -> Vec<Row> {
    clean(text).lines().map(|line| Row::of(Tone::Plain, line)).collect()
}

#[cfg(test)]
mod tests {
    use windlass_app::transcript::Excerpt;

    use super::*;

    fn texts(observation: &Observation) -> Vec<String> {
        let rows = observed(observation, "/home/ada/api");
        rows.into_iter().map(|row| format!("{}|{}", row.label, row.text)).collect()
    }

    fn uses(input: ToolInput) -> Observation {
        Observation::ToolUse { id: "1".to_owned(), name: "Tool".to_owned(), input, nested: false }
    }

    #[test]
    fn what_agents_do_is_said_in_a_row_each() {
        let text = |text: &str, nested| Observation::AgentText { text: text.to_owned(), nested };
        let bash =
            |command: &str| uses(ToolInput::Bash { command: command.to_owned(), description: String::new() });
        let edit = ToolInput::Edit {
            path: "/home/ada/api/src/a.rs".to_owned(),
            old: "one\ntwo".to_owned(),
            new: "three".to_owned(),
            all: false,
        };
        for (observation, expected) in [
            (text("I look.\n\nThen I mend.\n", false), vec!["text|I look.\n\nThen I mend."]),
            (text("  \n", false), vec![]),
            (text("deeper", true), vec!["text<|deeper"]),
            (bash("cargo test \\\n  -q"), vec!["Tool|cargo test \\ -q"]),
            (uses(edit), vec!["Tool|src/a.rs +1 -2"]),
        ] {
            assert_eq!(texts(&observation), expected);
        }
    }

    #[test]
    fn nothing_an_agent_prints_reaches_the_terminal_raw() {
        let hostile = "\x1b]0;owned\x07\x1b[2J\u{202e}evil\r\x08\u{9b}31m";
        let excerpt = Excerpt { text: hostile.to_owned(), bytes: 9, lines: 1, cut: false };
        let texts = [
            Observation::AgentText { text: hostile.to_owned(), nested: false },
            uses(ToolInput::Bash { command: hostile.to_owned(), description: hostile.to_owned() }),
            uses(ToolInput::Other { json: hostile.to_owned() }),
            Observation::ToolUse {
                id: hostile.to_owned(),
                name: hostile.to_owned(),
                input: ToolInput::Agent { description: hostile.to_owned() },
                nested: true,
            },
            Observation::ToolResult {
                id: String::new(),
                name: hostile.to_owned(),
                is_error: true,
                output: excerpt,
                nested: false,
            },
            Observation::Denied { name: hostile.to_owned(), id: String::new() },
            Observation::Result { is_error: true, text: hostile.to_owned(), cost_usd: None, turns: None },
            Observation::Garbage { bytes: 9, start: hostile.to_owned() },
        ];
        for observation in texts {
            for row in observed(&observation, "/") {
                let shown = format!("{}{}{}", row.label, row.text, row.tail);
                let wrong = shown.chars().find(|character| {
                    (character.is_control() && *character != '\n')
                        || ('\u{202a}'..='\u{202e}').contains(character)
                });
                assert_eq!(wrong, None, "{observation:?}");
            }
        }
    }

    #[test]
    fn a_patch_keeps_its_signs_and_its_bound() {
        let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\x1b[2J\n+new\rover\n";
        let rows = patch(text, 6);
        let tones: Vec<Tone> = rows.iter().map(|row| row.tone.0).collect();
        assert_eq!(tones[3..], [Tone::Command, Tone::Bad, Tone::Good]);
        assert_eq!(rows[5].text, "+newover");
        assert!(patch(text, 5)[5].text.starts_with("~ more"));
    }
}
