//! What a heading says of the tasks below it.

use super::reference::id;

/// The marks of a heading that is done.
const DONE: [char; 2] = ['✅', '✓'];

/// Sections whose boxes are not open work.
const ASIDE: [&str; 8] = [
    "archive",
    "archived",
    "out of scope",
    "out-of-scope",
    "not in scope",
    "non-goals",
    "won't do",
    "wont do",
];

/// A heading's text, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Title {
    /// Without number and mark.
    pub text: String,
    pub id: Option<String>,
    pub done: bool,
    pub priority: Option<u32>,
    pub aside: bool,
    pub cross_cutting: bool,
}

pub(in crate::doc) fn read(text: &str) -> Title {
    let trimmed = text.trim();
    let unmarked = trimmed.trim_end_matches(is_mark);
    let done = trimmed.get(unmarked.len()..).is_some_and(is_done);
    let (id, rest) = id(unmarked).map_or((None, unmarked), |(id, rest)| (Some(id.to_owned()), rest));
    let words = plain_words(rest);
    Title {
        text: rest.trim().to_owned(),
        id,
        done,
        priority: priority(&words),
        aside: ASIDE.iter().any(|name| begins_with(&words, name)),
        cross_cutting: begins_with(&words, "cross-cutting") || begins_with(&words, "cross cutting"),
    }
}

/// Where a heading's mark stands in its source, with the blank before it; the end of its text where there is none.
pub(super) fn mark(source: &str) -> std::ops::Range<usize> {
    let closed = source.trim_end().trim_end_matches('#');
    let text = if closed.ends_with([' ', '\t']) || closed.len() == source.trim_end().len() {
        closed.trim_end()
    } else {
        source.trim_end()
    };
    text.trim_end_matches(is_mark).len()..text.len()
}

/// Is this the end of a heading that is done?
pub(super) fn is_done(end: &str) -> bool {
    end.contains(DONE)
}

fn is_mark(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{fe0f}' || DONE.contains(&letter)
}

/// Lower case, without what stands before the first letter or digit.
fn plain_words(text: &str) -> String {
    text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase().replace('’', "'")
}

fn begins_with(words: &str, name: &str) -> bool {
    words.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// `Priority 1: Core`, `Priority: high`, `High priority`.
fn priority(words: &str) -> Option<u32> {
    let mut each = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    match (each.next()?, each.next()?) {
        ("priority", level) => level.parse().ok().or_else(|| word(level)),
        (level, "priority") => word(level),
        _ => None,
    }
}

fn word(level: &str) -> Option<u32> {
    match level {
        "high" => Some(1),
        "medium" => Some(2),
        "low" => Some(3),
        _ => None,
    }
}
