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
use crate::markdown::{Markdown, Prose};

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
        let below = self.below(Path::new(path)).filter(|below| !below.as_os_str().is_empty());
        below.map_or_else(|| one_line(path), |below| one_line(&below.to_string_lossy()))
    }
}

/// Renders observations; remembers what the open tool calls were about, so that answers can be told apart.
#[derive(Debug, Default)]
pub(crate) struct Narrator {
    places: Places,
    prose: Prose,
    open: BTreeMap<String, Question>,
    /// The tool call whose lines were the last ones.
    latest: Option<String>,
}

/// Open tool calls that are remembered; an agent that never answers them must not fill the memory.
const REMEMBERED_CALLS: usize = 1_000;

impl Narrator {
    /// Paths below these places are shown relative to them.
    pub(crate) fn set_places(&mut self, places: Places) {
        self.places = places;
    }

    /// An agent's words are shown so.
    pub(crate) fn set_prose(&mut self, prose: Prose) {
        self.prose = prose;
    }

    /// Forgets the tool calls of a call that is over.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
        self.latest = None;
    }

    /// Somebody else's lines came between: an answer that follows has to say what it answers.
    pub(crate) fn interrupted(&mut self) {
        self.latest = None;
    }

    /// The lines of one observation.
    pub(crate) fn lines(&mut self, observation: &Observation, at: Timestamp, zone: &TimeZone) -> Vec<Line> {
        let before = self.latest.take();
        let lines = self.told(observation, at, zone, before.as_deref());
        if let Observation::ToolUse { id, .. } = observation {
            self.latest = Some(id.clone());
        } else if lines.is_empty() {
            // Nothing came between.
            self.latest = before;
        }
        lines
    }

    /// The same; `before` is the tool call whose lines were the last ones.
    fn told(
        &mut self,
        observation: &Observation,
        at: Timestamp,
        zone: &TimeZone,
        before: Option<&str>,
    ) -> Vec<Line> {
        match observation {
            Observation::Started { model, version } => {
                vec![aside(&format!("session: model {}, version {}", one_line(model), one_line(version)))]
            }
            Observation::AgentText { text, nested } => agent_text(text, Indent::of(*nested), self.prose),
            Observation::ToolUse { id, name, input, nested } => {
                self.tool_use(id, name, input, Indent::of(*nested))
            }
            Observation::ToolResult { id, name, is_error, output, nested } => {
                let Question { subject, shown } = self.open.remove(id).unwrap_or_default();
                let place = if before == Some(id.as_str()) { AnswerPlace::Below } else { AnswerPlace::Apart };
                tool_result(
                    &ToolResult { name, subject, shown, output, place },
                    *is_error,
                    Indent::of(*nested),
                )
            }
            Observation::Denied { name, id } => {
                let Question { subject, .. } = self.open.remove(id).unwrap_or_default();
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
                self.places.path(path)
            }
            _ => repeated(subject),
        };
        self.open.insert(id.to_owned(), Question { subject: repeated, shown: Shown::of(input) });
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
        self.places.subject(input)
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

/// A tool call that was not answered yet.
#[derive(Debug, Default)]
struct Question {
    /// What it is about.
    subject: String,
    shown: Shown,
}

/// What of a long answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// So many lines of its beginning.
    Beginning(usize),
    /// So many of its end: what a command says at last is what it came to.
    End(usize),
}

impl Default for Shown {
    fn default() -> Shown {
        Shown::Beginning(OUTPUT_LINES)
    }
}

impl Shown {
    const fn of(input: &ToolInput) -> Shown {
        match input {
            ToolInput::Bash { .. } => Shown::End(OUTPUT_LINES),
            ToolInput::Read { .. } => Shown::Beginning(READ_LINES),
            _ => Shown::Beginning(OUTPUT_LINES),
        }
    }
}

/// A tool's answer and what it answers.
struct ToolResult<'a> {
    name: &'a str,
    subject: String,
    shown: Shown,
    output: &'a Excerpt,
    place: AnswerPlace,
}

/// Where an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerPlace {
    /// Right below its question, which it need not repeat.
    Below,
    /// Behind other lines.
    Apart,
}

fn agent_text(text: &str, indent: Indent, prose: Prose) -> Vec<Line> {
    let text = harmless(text.trim_end());
    let mut markdown = Markdown::default();
    let said = rows(&text).filter_map(|row| match prose {
        Prose::AsWritten => Some(vec![(Tone::Plain, row)]),
        Prose::Rendered => markdown.row(&row),
    });
    let hang = indent.columns() + 2;
    let mut lines = Vec::new();
    for pieces in said {
        let is_blank = pieces.iter().all(|(_, text)| text.is_empty());
        let line = if lines.is_empty() {
            indent.line().mark(Tone::Dim, Mark::Memo).plain(" ")
        } else if is_blank {
            Line::new()
        } else {
            indent.below()
        };
        let line = pieces.into_iter().fold(line, |line, (tone, text)| line.tone(tone, text));
        lines.push(line.wrapping(hang));
    }
    lines
}

fn tool_result(answer: &ToolResult<'_>, is_error: bool, indent: Indent) -> Vec<Line> {
    let name = one_line(answer.name);
    let output = answer.output;
    if is_error {
        return failed(answer, &name, indent);
    }
    let mut lines = match answer.place {
        AnswerPlace::Below => Vec::new(),
        AnswerPlace::Apart => vec![answered(answer, &name, indent)],
    };
    let (Shown::Beginning(kept) | Shown::End(kept)) = answer.shown;
    let text = harmless(output.text.trim_end());
    let there = rows(&text).count();
    let hidden = output.lines.saturating_sub(kept as u64);
    let more = |at_least: &str| {
        let hidden = format::count(hidden, "more line");
        indent.below().dim(format!("… {at_least}{hidden} not shown"))
    };
    // Of an answer that was cut its beginning is all there is.
    if matches!(answer.shown, Shown::End(_)) && !output.cut {
        lines.extend((hidden > 0).then(|| more("")));
        lines.extend(rows(&text).skip(there.saturating_sub(kept)).map(|row| indent.below().dim(row)));
        return lines;
    }
    lines.extend(rows(&text).take(kept).map(|row| indent.below().dim(row)));
    lines.extend((hidden > 0 || output.cut).then(|| more(if output.cut { "at least " } else { "" })));
    lines
}

/// The line of an answer that says what it answers.
fn answered(answer: &ToolResult<'_>, name: &str, indent: Indent) -> Line {
    let output = answer.output;
    let size = if output.text.is_empty() {
        String::new()
    } else {
        format!(" ({}{})", format::count(output.lines, "line"), if output.cut { " and more" } else { "" })
    };
    let about = format!("{}{size}", spaced(&answer.subject));
    indent.line().mark(Tone::Good, Mark::Passed).plain(format!(" {name}")).dim(about)
}

fn failed(answer: &ToolResult<'_>, name: &str, indent: Indent) -> Vec<Line> {
    let head = match answer.place {
        AnswerPlace::Below => indent.below().mark(Tone::Bad, Mark::Failed).tone(Tone::Bad, " failed"),
        AnswerPlace::Apart => indent
            .line()
            .mark(Tone::Bad, Mark::Failed)
            .tone(Tone::Bad, format!(" {name} failed"))
            .dim(spaced(&answer.subject)),
    };
    let mut lines = vec![head];
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
