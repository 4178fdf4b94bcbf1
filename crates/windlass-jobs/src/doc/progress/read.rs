//! Reading a journal.

use super::fields::{self, field};
use super::number;
use super::outline::{LineKind, Outline, Section};
use super::{Progress, ReadEntry};

pub(super) fn progress(bytes: &[u8]) -> Progress {
    let outline = Outline::of(bytes);
    Progress {
        entries: outline.sections().iter().map(|section| entry(&outline, section)).collect(),
        open_fence: outline.open.as_ref().map(|fence| fence.line + 1),
    }
}

pub(super) fn entry(outline: &Outline<'_>, section: &Section) -> ReadEntry {
    let heading = section.lines.start;
    let mut entry = ReadEntry { number: section.number, line: heading + 1, ..ReadEntry::default() };
    let lines = outline.lines.get(section.lines.clone()).unwrap_or_default();
    entry.time = lines.first().and_then(|line| time(&outline.heading(line)));
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.kind == LineKind::Text) {
        let text = outline.text(line);
        let Some(found) = field(text) else { continue };
        let value = String::from_utf8_lossy(text.get(found.value.clone()).unwrap_or_default()).into_owned();
        if found.is(fields::ERROR_DETAIL) {
            let fenced = fence_below(outline, section, section.lines.start + index);
            let detail = fenced.map_or(value, |lines| content(outline, lines));
            entry.error_detail.get_or_insert(detail);
        } else {
            take(&mut entry, &found.name, &value);
        }
    }
    entry
}

/// The moment in `Iteration 12 - 2026-03-01T12:00:00Z`.
fn time(heading: &str) -> Option<jiff::Timestamp> {
    heading.split_whitespace().find_map(|word| word.parse().ok())
}

fn take(entry: &mut ReadEntry, name: &str, value: &str) {
    let text =
        || Some(value.to_owned()).filter(|value| !value.is_empty() && !value.eq_ignore_ascii_case("none"));
    let is = |field: &str| name.eq_ignore_ascii_case(field);
    if is(fields::TASK_ATTEMPTED) {
        entry.attempted = entry.attempted.take().or_else(text);
    } else if is(fields::TASK_COMPLETED) {
        entry.completed = entry.completed.take().or_else(text);
    } else if is(fields::SUMMARY) {
        entry.summary = entry.summary.take().or_else(text);
    } else if is(fields::DURATION) {
        entry.seconds = entry.seconds.or_else(|| number::seconds(value));
    } else if is(fields::EXIT_STATUS) {
        entry.exit = entry.exit.or_else(|| value.parse().ok());
    } else if is(fields::TOKENS) && entry.tokens_total.is_none() && entry.tokens.is_none() {
        (entry.tokens_total, entry.tokens) = number::tokens(value);
    } else if is(fields::COST) {
        entry.cost = entry.cost.or_else(|| number::cost(value));
    } else if is(fields::ERROR_TYPE) {
        entry.error_kind = entry.error_kind.take().or_else(text);
    } else if is(fields::RUN) {
        entry.run = entry.run.take().or_else(|| fields::run(value));
    }
}

/// The lines of the fence that follows this one, its own two included; blank lines may be between. It may be open.
pub(super) fn fence_below(
    outline: &Outline<'_>,
    section: &Section,
    line: usize,
) -> Option<std::ops::Range<usize>> {
    let below = outline.lines.get(line + 1..section.lines.end)?;
    let opening = below.iter().position(|line| !outline.text(line).trim_ascii().is_empty())?;
    if below.get(opening)?.kind != LineKind::Opening {
        return None;
    }
    let inner = below.get(opening + 1..)?;
    let length = inner.iter().take_while(|line| line.kind == LineKind::Fenced).count();
    let closed = inner.get(length).is_some_and(|line| line.kind == LineKind::Closing);
    let start = line + 1 + opening;
    Some(start..start + 1 + length + usize::from(closed))
}

/// What stands between fences, without the space before the opening one.
pub(super) fn content(outline: &Outline<'_>, fence: std::ops::Range<usize>) -> String {
    let lines = outline.lines.get(fence).unwrap_or_default();
    let indent = lines.first().map_or(0, |line| {
        let text = outline.text(line);
        text.len() - text.trim_ascii_start().len()
    });
    let inner = lines.iter().filter(|line| line.kind == LineKind::Fenced).map(|line| {
        let text = outline.text(line);
        let space = text.iter().take(indent).take_while(|letter| letter.is_ascii_whitespace()).count();
        String::from_utf8_lossy(text.get(space..).unwrap_or_default()).into_owned()
    });
    inner.collect::<Vec<_>>().join("\n")
}
