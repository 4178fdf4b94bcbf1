//! What an agent says and does, in lines: every word, every tool call, every result.
//!
//! What is shown of a tool's answer: 15 lines of a file that was read, 20 of any other; errors and edits whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::observation::{Excerpt, Observation, ToolInput};
use windlass_core::spec::RunSpec;

use crate::format;
use crate::harmless::{harmless, one_line};
use crate::line::{Line, Mark, Tone};

/// Lines of a file that was read.
const READ_LINES: usize = 15;

/// Lines of any other answer.
const OUTPUT_LINES: usize = 20;

/// Where agents work: in the run's directory, or in lanes' checkouts of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    directory: PathBuf,
    /// The folder of all lanes, and where in a checkout the run works.
    lanes: Option<(PathBuf, PathBuf)>,
}

/// The parts of a path between the folder of all lanes and what is checked out: the lane's number, its tree, the project's name.
const PARTS_OF_A_LANE: usize = 3;

impl Places {
    /// Those of a run.
    pub(crate) fn of(plan: &RunSpec) -> Places {
        let lanes = plan.lanes.as_ref().map(|lanes| (lanes.folder.clone(), lanes.below.clone()));
        Places { directory: plan.directory.clone(), lanes }
    }

    /// The path from where its agent works; `None` for one elsewhere.
    fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let here = path.strip_prefix(&self.directory).ok();
        here.or_else(|| {
            let (folder, below) = self.lanes.as_ref()?;
            let mut parts = path.strip_prefix(folder).ok()?.components();
            parts.by_ref().take(PARTS_OF_A_LANE).for_each(drop);
            parts.as_path().strip_prefix(below).ok()
        })
    }
}

/// Renders observations; remembers what the open tool calls were about, so that answers can be told apart.
#[derive(Debug, Default)]
pub(crate) struct Narrator {
    places: Places,
    open: BTreeMap<String, String>,
}

/// Open tool calls that are remembered; an agent that never answers them must not fill the memory.
const REMEMBERED_CALLS: usize = 1_000;

impl Narrator {
    /// Paths below these places are shown relative to them.
    pub(crate) fn set_places(&mut self, places: Places) {
        self.places = places;
    }

    /// Forgets the tool calls of a call that is over.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
    }

    /// The lines of one observation.
    pub(crate) fn lines(&mut self, observation: &Observation, at: Timestamp, zone: &TimeZone) -> Vec<Line> {
        match observation {
            Observation::Started { model, version } => {
                vec![aside(&format!("session: model {}, version {}", one_line(model), one_line(version)))]
            }
            Observation::AgentText { text, nested } => agent_text(text, Indent::of(*nested)),
            Observation::ToolUse { id, name, input, nested } => {
                self.tool_use(id, name, input, Indent::of(*nested))
            }
            Observation::ToolResult { id, name, is_error, output, nested } => {
                let subject = self.open.remove(id).unwrap_or_default();
                tool_result(&ToolResult { name, subject, output }, *is_error, Indent::of(*nested))
            }
            Observation::Denied { name, id } => {
                let subject = self.open.remove(id).unwrap_or_default();
                vec![
                    Indent::Agent
                        .line()
                        .mark(Tone::Warn, Mark::Failed)
                        .tone(Tone::Warn, format!(" {} refused by permissions", one_line(name)))
                        .dim(spaced(&subject)),
                ]
            }
            Observation::Garbage { bytes, start } => {
                let size = format::bytes(*bytes);
                vec![aside(&format!("{size} that are not JSON: {}", one_line(start)))]
            }
            other => about_the_call(other, at, zone),
        }
    }

    fn tool_use(&mut self, id: &str, name: &str, input: &ToolInput, indent: Indent) -> Vec<Line> {
        let subject = self.subject(input);
        let head = indent
            .line()
            .mark(Tone::Command, Mark::Tool)
            .plain(" ")
            .strong(one_line(name))
            .plain(spaced(&subject));
        if self.open.len() >= REMEMBERED_CALLS {
            self.open.clear();
        }
        let repeated = match input {
            ToolInput::Read { path, .. } | ToolInput::Edit { path, .. } | ToolInput::Write { path, .. } => {
                self.path(path)
            }
            _ => repeated(subject),
        };
        self.open.insert(id.to_owned(), repeated);
        let mut lines = vec![head];
        match input {
            ToolInput::Edit { old, new, .. } => {
                lines.extend(block(old, indent, Tone::Bad, "- "));
                lines.extend(block(new, indent, Tone::Good, "+ "));
            }
            ToolInput::Bash { command, description } => {
                // The first line of the command is in the head already.
                lines.extend(
                    rows(&harmless(command)).skip(1).map(|row| indent.below().plain(format!("  {row}"))),
                );
                if !description.trim().is_empty() {
                    lines.push(indent.below().dim(one_line(description)));
                }
            }
            _ => {}
        }
        lines
    }

    /// What a tool call is about, on one line.
    pub(crate) fn subject(&self, input: &ToolInput) -> String {
        match input {
            ToolInput::Read { path, offset, limit } => {
                format!("{}{}", self.path(path), range(*offset, *limit))
            }
            ToolInput::Edit { path, all, .. } => {
                let every = if *all { " (every occurrence)" } else { "" };
                format!("{}{every}", self.path(path))
            }
            ToolInput::Write { path, bytes, lines } => {
                let size = format::bytes(*bytes);
                format!("{} ({size}, {})", self.path(path), format::count(*lines, "line"))
            }
            ToolInput::Bash { command, .. } => {
                let command = harmless(command);
                command.lines().next().unwrap_or_default().replace('\t', " ")
            }
            ToolInput::Grep { pattern, path } | ToolInput::Glob { pattern, path } => {
                let place = if path.is_empty() { String::new() } else { format!(" in {}", self.path(path)) };
                format!("{}{place}", one_line(pattern))
            }
            ToolInput::Agent { description } => one_line(description),
            ToolInput::Other { json } => one_line(json),
        }
    }

    fn path(&self, path: &str) -> String {
        let below = self.places.below(Path::new(path)).filter(|below| !below.as_os_str().is_empty());
        below.map_or_else(|| one_line(path), |below| one_line(&below.to_string_lossy()))
    }
}

/// Whose words these are.
#[derive(Clone, Copy)]
enum Indent {
    Agent,
    SubAgent,
}

impl Indent {
    const fn of(nested: bool) -> Indent {
        if nested { Indent::SubAgent } else { Indent::Agent }
    }

    const fn columns(self) -> usize {
        match self {
            Indent::Agent => 4,
            Indent::SubAgent => 8,
        }
    }

    /// A line that begins with a mark.
    fn line(self) -> Line {
        Line::new().plain(" ".repeat(self.columns()))
    }

    /// A line below it.
    fn below(self) -> Line {
        Line::new().plain(" ".repeat(self.columns() + 2))
    }
}

/// A tool's answer and what it answers.
struct ToolResult<'a> {
    name: &'a str,
    subject: String,
    output: &'a Excerpt,
}

fn agent_text(text: &str, indent: Indent) -> Vec<Line> {
    let text = harmless(text.trim_end());
    let mut rows = rows(&text);
    let Some(first) = rows.next() else {
        return Vec::new();
    };
    let head = indent.line().mark(Tone::Dim, Mark::Memo).plain(format!(" {first}"));
    let hang = indent.columns() + 2;
    let further =
        rows.map(|row| if row.is_empty() { Line::new() } else { indent.below().plain(row).wrapping(hang) });
    std::iter::once(head.wrapping(hang)).chain(further).collect()
}

fn tool_result(answer: &ToolResult<'_>, is_error: bool, indent: Indent) -> Vec<Line> {
    let name = one_line(answer.name);
    let output = answer.output;
    if is_error {
        return failed(answer, &name, indent);
    }
    let kept = if answer.name == "Read" { READ_LINES } else { OUTPUT_LINES };
    let size = if output.text.is_empty() {
        String::new()
    } else {
        format!(" ({}{})", format::count(output.lines, "line"), if output.cut { " and more" } else { "" })
    };
    let mut lines = vec![
        indent
            .line()
            .mark(Tone::Good, Mark::Passed)
            .plain(format!(" {name}"))
            .dim(format!("{}{size}", spaced(&answer.subject))),
    ];
    let text = harmless(output.text.trim_end());
    let shown = rows(&text).take(kept);
    lines.extend(shown.map(|row| indent.below().dim(row)));
    let hidden = output.lines.saturating_sub(kept as u64);
    if hidden > 0 || output.cut {
        let more = if output.cut { "at least " } else { "" };
        lines.push(indent.below().dim(format!("… {more}{} not shown", format::count(hidden, "more line"))));
    }
    lines
}

fn failed(answer: &ToolResult<'_>, name: &str, indent: Indent) -> Vec<Line> {
    let mut lines = vec![
        indent
            .line()
            .mark(Tone::Bad, Mark::Failed)
            .tone(Tone::Bad, format!(" {name} failed"))
            .dim(spaced(&answer.subject)),
    ];
    let text = harmless(answer.output.text.trim_end());
    lines.extend(rows(&text).map(|row| indent.below().plain(row)));
    if answer.output.cut {
        let whole = format::bytes(answer.output.bytes);
        lines.push(indent.below().dim(format!("… the whole is {whole}")));
    }
    if answer.name.ends_with("Edit") && text.to_ascii_lowercase().contains("string to replace not found") {
        lines.extend(EDIT_HINT.iter().map(|row| indent.below().tone(Tone::Warn, *row)));
    }
    lines
}

const EDIT_HINT: [&str; 5] = [
    "The text to replace is not in the file as given. Likely causes:",
    "  it has been changed already, perhaps by an earlier edit",
    "  white space or special characters differ",
    "  the line endings differ",
    "Tip: reading the file again shows what is there now.",
];

fn about_the_call(observation: &Observation, at: Timestamp, zone: &TimeZone) -> Vec<Line> {
    match observation {
        Observation::Retrying { attempt, max_attempts, delay_ms, status, error } => {
            let delay = format::duration(std::time::Duration::from_millis(*delay_ms));
            let status = status.map(|status| format!("{status} ")).unwrap_or_default();
            let what = format!("the agent retries ({attempt}/{max_attempts}) in {delay}: {status}");
            vec![aside(&format!("{what}{}", one_line(error)))]
        }
        Observation::LimitNotice { status, window, utilization, resets_at } if status != "allowed" => {
            let used = utilization.map(|part| format!(", {:.0} % used", part * 100.0)).unwrap_or_default();
            let reset = resets_at.and_then(|seconds| Timestamp::from_second(seconds).ok());
            let reset = reset.map(|reset| format!(", resets at {}", format::clock(reset, at, zone)));
            let what = format!("usage limit {}: {}", one_line(window), one_line(status));
            vec![aside(&format!("{what}{used}{}", reset.unwrap_or_default()))]
        }
        Observation::Background { running } if *running > 0 => {
            vec![aside(&format!("{} running", format::count(u64::from(*running), "background task")))]
        }
        Observation::Compacted => vec![aside("the agent compacts its context")],
        Observation::Result { is_error, text, cost_usd, turns } => {
            let turns = turns.map(|turns| format!(" after {}", format::count(u64::from(turns), "turn")));
            let cost = cost_usd.map(windlass_core::values::Cost::from_dollars);
            let cost = cost.map(|cost| format!(", {}", format::money(cost)));
            let end =
                format!("the agent ended its turn{}{}", turns.unwrap_or_default(), cost.unwrap_or_default());
            let mut lines = vec![aside(&end)];
            if *is_error {
                let text = harmless(text.trim_end());
                lines.extend(rows(&text).map(|row| Indent::Agent.below().tone(Tone::Bad, row)));
            }
            lines
        }
        _ => Vec::new(),
    }
}

/// Something that matters less than what the agent does.
fn aside(text: &str) -> Line {
    Indent::Agent.line().dim(format!("· {text}"))
}

/// `(lines 10-59)`, `(from line 10)`, `(first 50 lines)`.
fn range(offset: Option<u64>, limit: Option<u64>) -> String {
    match (offset, limit) {
        (None, None) => String::new(),
        (None, Some(limit)) => format!(" (first {})", format::count(limit, "line")),
        (Some(first), None) => format!(" (from line {first})"),
        (Some(first), Some(limit)) => {
            let last = first.saturating_add(limit).saturating_sub(1);
            format!(" (lines {first}-{last})")
        }
    }
}

/// What an answer repeats of the question.
fn repeated(subject: String) -> String {
    const LONGEST: usize = 60;
    if subject.chars().count() <= LONGEST {
        return subject;
    }
    subject.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn block(text: &str, indent: Indent, tone: Tone, sign: &str) -> Vec<Line> {
    let text = harmless(text);
    rows(&text).map(|row| indent.below().tone(tone, format!("{sign}{row}"))).collect()
}

/// The lines of a text, tabs as four blanks.
fn rows(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|row| row.replace('\t', "    "))
}

fn spaced(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
