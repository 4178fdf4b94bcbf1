//! Writing a journal: an entry is added or replaced, the summary's values are spliced, and all else stays as it is.

use std::fmt::Write as _;
use std::ops::Range;
use windlass_core::values::Named;

use jiff::Timestamp;
use windlass_core::redact::Redactor;

use super::fields::{self, field};
use super::outline::{LineKind, Outline, Section};
use super::read::{content, entry, fence_below};
use super::{ProgressEntry, ProgressError, ProgressSummary};

/// So many characters a line holds at most.
const LONGEST_LINE: usize = 300;
/// So many characters of an error message are kept: its end.
const LONGEST_DETAIL: usize = 4000;

/// The journal with this entry and these values in its summary.
///
/// An entry of the same run and iteration is replaced where it stands, so that writing again changes nothing. Otherwise it
/// comes after the last one, with the next number. Every other byte stays: what people wrote, entries of others, broken
/// ones, line endings. A summary that somebody took out stays out. Secrets are hidden as far as their shape is known.
pub fn with_entry(existing: &[u8], entry: &ProgressEntry, summary: &ProgressSummary) -> Vec<u8> {
    if existing.trim_ascii().is_empty() {
        return fresh(entry, summary).into_bytes();
    }
    let outline = Outline::of(existing);
    let sections = outline.sections();
    let mut splices = summary_splices(&outline, summary);
    let ending = line_ending(existing);
    let former = sections.iter().find(|section| is_of(&outline, section, entry));
    splices.push(match former {
        Some(former) => replacing(&outline, former, entry, ending),
        None => adding(&outline, &sections, entry, ending),
    });
    splices.sort_by_key(|splice| splice.range.start);
    apply(existing, &splices)
}

/// A change of some bytes.
struct Change {
    range: Range<usize>,
    text: Vec<u8>,
}

fn apply(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len() + 1024);
    let mut at = 0;
    for change in changes {
        result.extend_from_slice(bytes.get(at..change.range.start).unwrap_or_default());
        result.extend_from_slice(&change.text);
        at = change.range.end;
    }
    result.extend_from_slice(bytes.get(at..).unwrap_or_default());
    result
}

fn fresh(entry: &ProgressEntry, summary: &ProgressSummary) -> String {
    let mut text = "# Progress Log\n\n## Summary\n".to_owned();
    for (name, value) in summary_values(summary) {
        let _ = writeln!(text, "- **{name}**: {value}");
    }
    text.push_str("\n## Iteration Log\n\n");
    text + &block(1, entry)
}

fn summary_values(summary: &ProgressSummary) -> [(&'static str, String); 4] {
    [
        ("Total Tasks", summary.total.to_string()),
        ("Completed", summary.completed.to_string()),
        ("Remaining", summary.total.saturating_sub(summary.completed).to_string()),
        ("Last Updated", moment(summary.updated)),
    ]
}

/// The values of the first summary, each once.
fn summary_splices(outline: &Outline<'_>, summary: &ProgressSummary) -> Vec<Change> {
    let Some(heading) = outline.second_level("Summary") else { return Vec::new() };
    let lines = outline.lines.get(heading + 1..outline.end_of_section(heading, 3)).unwrap_or_default();
    let fields: Vec<_> = lines
        .iter()
        .filter(|line| line.kind == LineKind::Text)
        .filter_map(|line| field(outline.text(line)).map(|found| (line.text.start, found)))
        .collect();
    let mut changes = Vec::new();
    for (name, value) in summary_values(summary) {
        let Some((start, found)) = fields.iter().find(|(_, found)| found.is(name)) else { continue };
        let range = start + found.value.start..start + found.value.end;
        let blank = range.start.checked_sub(1).and_then(|before| outline.bytes.get(before)) == Some(&b' ');
        let text = if blank { value } else { format!(" {value}") };
        changes.push(Change { range, text: text.into_bytes() });
    }
    changes
}

fn is_of(outline: &Outline<'_>, section: &Section, wanted: &ProgressEntry) -> bool {
    let run = entry(outline, section).run;
    run.is_some_and(|(run, iteration)| run == one_line(&wanted.run) && iteration == wanted.iteration)
}

/// The entry in place of the former one. Lines in it that are not ours stay, below.
fn replacing(outline: &Outline<'_>, former: &Section, entry: &ProgressEntry, ending: &str) -> Change {
    let mut text = with_ending(&block(former.number, entry), ending).into_bytes();
    let ours = our_lines(outline, former, entry);
    for (line, _) in outline
        .lines
        .iter()
        .take(former.lines.end)
        .skip(former.lines.start)
        .zip(ours)
        .filter(|(_, ours)| !ours)
    {
        text.extend_from_slice(outline.bytes.get(line.text.start..line.next).unwrap_or_default());
    }
    Change { range: bytes_of(outline, &former.lines), text }
}

/// Which lines of an entry are those that are written into one.
fn our_lines(outline: &Outline<'_>, former: &Section, entry: &ProgressEntry) -> Vec<bool> {
    let first = former.lines.start;
    let mut ours = vec![false; former.lines.len()];
    let mut mark = |lines: Range<usize>| {
        ours.get_mut(lines.start - first..lines.end - first).unwrap_or_default().fill(true);
    };
    mark(first..first + 1);
    for index in former.lines.clone() {
        let Some(line) = outline.lines.get(index).filter(|line| line.kind == LineKind::Text) else {
            continue;
        };
        let Some(found) = field(outline.text(line)) else { continue };
        if fields::ALL.iter().any(|name| found.is(name)) {
            mark(index..index + 1);
        }
        let fence = fence_below(outline, former, index).filter(|_| found.is(fields::ERROR_DETAIL));
        fence.filter(|fence| is_ours(outline, fence.clone(), entry)).into_iter().for_each(&mut mark);
    }
    ours
}

/// Is what stands between these fences a message, and nothing more? Where somebody took the end of a message away, other
/// entries may be in it.
fn is_ours(outline: &Outline<'_>, fence: Range<usize>, entry: &ProgressEntry) -> bool {
    let lines = outline.lines.get(fence.clone()).unwrap_or_default();
    let closed = lines.last().is_some_and(|line| line.kind == LineKind::Closing);
    let inner = content(outline, fence);
    let same = entry.error.as_ref().is_some_and(|error| detail_lines(&error.detail).join("\n") == inner);
    closed && (same || Outline::of(inner.as_bytes()).sections().is_empty())
}

fn bytes_of(outline: &Outline<'_>, lines: &Range<usize>) -> Range<usize> {
    let lines = outline.lines.get(lines.clone()).unwrap_or_default();
    let start = lines.first().map_or(0, |line| line.text.start);
    start..lines.last().map_or(start, |line| line.next)
}

/// The entry after the last one, or at the end of the log, or of the file.
fn adding(outline: &Outline<'_>, sections: &[Section], entry: &ProgressEntry, ending: &str) -> Change {
    let number = sections.iter().map(|section| section.number).max().unwrap_or(0).saturating_add(1);
    let log =
        outline.second_level("Iteration Log").map(|heading| heading..outline.end_of_section(heading, 2));
    let last = sections.last().map(|section| section.lines.clone());
    let place = match (log, last) {
        (Some(log), Some(last)) if last.start < log.start => Some(log),
        (_, Some(last)) => Some(last),
        (log, None) => log,
    };
    let mut text = String::new();
    let lines = place.clone().unwrap_or(0..outline.lines.len());
    let at = end_of_text(outline, &lines, &mut text, ending);
    if place.is_none() {
        let _ = write!(text, "{ending}## Iteration Log{ending}");
    }
    text.push_str(ending);
    text.push_str(&with_ending(&block(number, entry), ending));
    let rest = outline.bytes.get(at..).unwrap_or_default();
    if !rest.is_empty() && !rest.starts_with(b"\n") && !rest.starts_with(b"\r\n") {
        text.push_str(ending);
    }
    Change { range: at..at, text: text.into_bytes() }
}

/// Where the last line of these that is not blank ends. What it lacks to be ended goes into `text`: its line ending, and
/// the end of a fence.
fn end_of_text(outline: &Outline<'_>, lines: &Range<usize>, text: &mut String, ending: &str) -> usize {
    let open = outline.open.as_ref().filter(|fence| lines.contains(&fence.line));
    let lines = outline.lines.get(lines.clone()).unwrap_or_default();
    let has_text = |line: &&super::outline::Line| !outline.text(line).trim_ascii().is_empty();
    let last = if open.is_some() { lines.last() } else { lines.iter().rev().find(has_text) };
    let at = last.map_or(outline.bytes.len(), |line| line.next);
    match last.and_then(|line| outline.bytes.get(line.next - 1)) {
        Some(b'\n') | None => {}
        // A lone carriage return stays part of its line.
        Some(b'\r') => text.push_str("\r\n"),
        Some(_) => text.push_str(ending),
    }
    if let Some(fence) = open {
        let indent = outline.bytes.get(fence.indent.clone()).unwrap_or_default();
        text.push_str(&String::from_utf8_lossy(indent));
        text.extend(std::iter::repeat_n(char::from(fence.letter), fence.length));
        text.push_str(ending);
    }
    at
}

fn line_ending(bytes: &[u8]) -> &'static str {
    match memchr::memchr(b'\n', bytes) {
        Some(end) if end > 0 && bytes.get(end - 1) == Some(&b'\r') => "\r\n",
        None if bytes.ends_with(b"\r") => "\r\n",
        _ => "\n",
    }
}

fn with_ending(text: &str, ending: &str) -> String {
    if ending == "\n" { text.to_owned() } else { text.replace('\n', ending) }
}

/// An entry's lines.
fn block(number: u64, entry: &ProgressEntry) -> String {
    let mut text = format!("### Iteration {number} - {}\n", moment(entry.time));
    let mut put = |name: &str, value: &str| {
        let _ = writeln!(text, "- **{name}**: {value}");
    };
    let or_none = |value: &str| {
        let value = one_line(value);
        if value.is_empty() { "none".to_owned() } else { value }
    };
    let tokens = entry.tokens;
    put(fields::TASK_ATTEMPTED, &or_none(entry.attempted.as_deref().unwrap_or_default()));
    put(fields::TASK_COMPLETED, &or_none(entry.completed.as_deref().unwrap_or_default()));
    put(fields::SUMMARY, &or_none(&entry.summary));
    put(fields::DURATION, &format!("{}s", entry.seconds));
    put(fields::EXIT_STATUS, entry.exit.name());
    put(
        fields::TOKENS,
        &format!(
            "{} total ({} in, {} out, {} cache-create, {} cache-read)",
            tokens.total(),
            tokens.input,
            tokens.output,
            tokens.cache_creation,
            tokens.cache_read
        ),
    );
    put(fields::COST, &entry.cost.written(|cost| dollars(cost.micros())));
    put(fields::RUN, &format!("{} iteration {}", one_line(&entry.run), entry.iteration));
    text.push_str(&entry.error.as_ref().map(error_lines).unwrap_or_default());
    text
}

fn error_lines(error: &ProgressError) -> String {
    let mut text = format!("- **{}**: {}\n", fields::ERROR_TYPE, one_line(&error.kind));
    let lines = detail_lines(&error.detail);
    if lines.iter().all(String::is_empty) {
        return text;
    }
    let longest = lines.iter().flat_map(|line| line.split(|letter| letter != '`')).map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let _ = write!(text, "- **{}**:\n{fence}\n{}\n{fence}\n", fields::ERROR_DETAIL, lines.join("\n"));
    text
}

/// An error message's lines, without what a terminal would take for an order, cut to its end.
fn detail_lines(detail: &str) -> Vec<String> {
    let detail = Redactor::new().redact(detail);
    let length = detail.chars().count();
    let end: String = detail.chars().skip(length.saturating_sub(LONGEST_DETAIL)).collect();
    let end = end.replace("\r\n", "\n").replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    let plain = end.trim_matches(['\n', ' ', '\t']).split('\n');
    plain
        .map(|line| {
            line.replace(|letter: char| letter.is_control() && letter != '\t', "").trim_end().to_owned()
        })
        .collect()
}

/// Text as one line.
fn one_line(text: &str) -> String {
    let separates = |letter: char| letter.is_whitespace() || letter.is_control();
    let words = Redactor::new().redact(text);
    let line = words.split(separates).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_LINE {
        return line;
    }
    line.chars().take(LONGEST_LINE - 1).collect::<String>().trim_end().to_owned() + "…"
}

fn moment(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// With four digits, rounded, whatever the amount.
fn dollars(micros: u64) -> String {
    let ten_thousandths = micros.saturating_add(50) / 100;
    format!("${}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000)
}
