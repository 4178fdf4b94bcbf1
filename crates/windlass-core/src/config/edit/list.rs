//! Steps from one list to another, one item at a time.

use std::ops::Range;

use toml::Value;

use super::place::{Entry, Place, Whereabouts};
use super::{Splice, indentation, line_break, line_end, line_start};

/// The next step on the way to these items; `None` when they are reached, or when this is not a list to step through.
pub(super) fn next_step(text: &str, found: &Whereabouts, wanted: &[Value]) -> Option<Splice> {
    let Place::Entry(Entry { value: brackets, .. }) = &found.place else { return None };
    let spans: Vec<Range<usize>> = found.items.iter().map(|(span, _)| span.clone()).collect();
    if let Some((span, _)) = found.items.iter().find(|(_, item)| !wanted.contains(item)) {
        return Some(Splice::new(without(text, span, &spans), String::new()));
    }
    let missing = wanted.iter().find(|item| !found.items.iter().any(|(_, there)| there == *item))?;
    Some(match spans.last() {
        Some(last) => append(text, last, brackets, missing),
        None => Splice::insert(brackets.start + 1, missing.to_string()),
    })
}

/// The bytes that go with one of several things that commas separate.
pub(super) fn without(text: &str, one: &Range<usize>, all: &[Range<usize>]) -> Range<usize> {
    let (start, end) = (line_start(text, one.start), line_end(text, one.end));
    let head = text.get(start..one.start).unwrap_or_default();
    let tail = text.get(one.end..end).unwrap_or_default();
    let comma_here = tail.trim_start().starts_with(',');
    let rest = tail.trim_start().trim_start_matches(',').trim_start();
    // Alone on its lines, with its comma and its comment.
    if head.trim().is_empty() && tail.ends_with('\n') && (rest.is_empty() || rest.starts_with('#')) {
        return start..end;
    }
    if let Some(next) = all.iter().find(|other| other.start >= one.end) {
        return one.start..next.start;
    }
    let before = all.iter().rev().find(|other| other.end <= one.start);
    let from = before.map_or(one.start, |before| before.end);
    let to =
        if comma_here && before.is_none() { one.end + comma(tail).map_or(0, |at| at + 1) } else { one.end };
    from..to
}

/// An item after the last one, on a line of its own where the last one has one.
fn append(text: &str, last: &Range<usize>, brackets: &Range<usize>, item: &Value) -> Splice {
    let own_line =
        text.get(line_start(text, last.start)..last.start).is_some_and(|head| head.trim().is_empty());
    let tail = text.get(last.end..brackets.end).unwrap_or_default();
    let Some(newline) = tail.find('\n').filter(|_| own_line) else {
        return Splice::insert(last.end, format!(", {item}"));
    };
    // `"last", # why` stays as it is; without its comma it gets one.
    let kept = tail.get(..newline).unwrap_or_default();
    let kept_line = kept.strip_suffix('\r').unwrap_or(kept);
    let comma = if comma(tail).is_some() { "" } else { "," };
    let (end, indent) = (line_break(text), indentation(text, last.start));
    let new = format!("{comma}{kept_line}{end}{indent}{item},");
    Splice::new(last.end..last.end + kept_line.len(), new)
}

/// Where the comma is, before the next item: not in a comment.
fn comma(tail: &str) -> Option<usize> {
    let mut in_comment = false;
    for (at, character) in tail.char_indices() {
        match character {
            '#' => in_comment = true,
            '\n' => in_comment = false,
            ',' if !in_comment => return Some(at),
            _ => {}
        }
    }
    None
}
