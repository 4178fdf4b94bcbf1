//! The words of statuses. Only what is surely one is taken for one, and only the word itself is ever replaced: what a person
//! wrote beside it stays.

use std::ops::Range;

use windlass_core::values::TaskState;

/// The words, with `-` for a blank, `-` or `_`.
const WORDS: &[(&str, TaskState)] = &[
    ("pending", TaskState::Open),
    ("open", TaskState::Open),
    ("todo", TaskState::Open),
    ("to-do", TaskState::Open),
    ("not-started", TaskState::Open),
    ("in-progress", TaskState::InProgress),
    ("inprogress", TaskState::InProgress),
    ("started", TaskState::InProgress),
    ("doing", TaskState::InProgress),
    ("done", TaskState::Done),
    ("completed", TaskState::Done),
    ("complete", TaskState::Done),
    ("finished", TaskState::Done),
];

/// What stands where a status is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing but blanks or a comment.
    Empty,
    /// A word that is surely a status, and where it stands.
    Known(Range<usize>, TaskState),
    /// One word and nothing beside it, which is not a status: whoever sets the status replaces it.
    Foreign(Range<usize>),
    /// More than a word, and no status is surely in it: nobody replaces it.
    Unclear(Range<usize>),
}

impl Status {
    /// Reads what a field holds; its first line counts.
    pub(super) fn read(source: &str) -> Status {
        let from = source.len() - source.trim_start().len();
        let line = source.get(from..).unwrap_or_default().split(['\n', '\r']).next().unwrap_or_default();
        let line = line.split("<!--").next().unwrap_or_default().trim_end();
        if line.is_empty() {
            return Status::Empty;
        }
        let bare = line.trim_start_matches(opens);
        let start = from + line.len() - bare.len();
        let known = WORDS.iter().filter_map(|(word, state)| {
            let rest = after_word(bare, word)?;
            ends_word(rest).then_some((bare.len() - rest.len(), *state))
        });
        if let Some((length, state)) = known.max_by_key(|(length, _)| *length) {
            return Status::Known(start..start + length, state);
        }
        let word = bare.trim_end_matches(closes);
        let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        if !word.is_empty() && word.chars().all(is_letter) {
            Status::Foreign(start..start + word.len())
        } else {
            Status::Unclear(from..from + line.len())
        }
    }
}

/// The state that a word surely means.
pub(super) fn state_of(word: &str) -> Option<TaskState> {
    match Status::read(word) {
        Status::Known(_, state) => Some(state),
        Status::Empty | Status::Foreign(_) | Status::Unclear(_) => None,
    }
}

/// A state's word, with capital letters where the former one had them.
pub(super) fn word(state: TaskState, former: &str) -> String {
    let word = match state {
        TaskState::Open => "pending",
        TaskState::InProgress => "in-progress",
        TaskState::Done => "done",
    };
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    let letters = || former.chars().filter(|letter| letter.is_alphabetic());
    if letters().count() > 1 && letters().all(char::is_uppercase) {
        return word.to_uppercase();
    }
    let capital = former.starts_with(char::is_uppercase);
    if capital { format!("{}{rest}", first.to_uppercase()) } else { word.to_owned() }
}

/// What comes after a word, where the text begins with it, in any case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (begins, rest) = text.split_at_checked(word.len())?;
    let same = |(one, other): (u8, u8)| match other {
        b'-' => matches!(one, b'-' | b'_' | b' '),
        letter => one.eq_ignore_ascii_case(&letter),
    };
    begins.bytes().zip(word.bytes()).all(same).then_some(rest)
}

fn begins_with_word(text: &str) -> bool {
    let is_over = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    WORDS.iter().any(|(word, _)| after_word(text, word).is_some_and(is_over))
}

/// Is a word over here, so that what follows is a remark? Not in `done-by-code`, `done by Bob`, `done?` and `pending → done`.
fn ends_word(rest: &str) -> bool {
    let rest = rest.trim_start_matches(closes);
    let remark = rest.trim_start();
    let (Some(first), Some(next)) = (rest.chars().next(), remark.chars().next()) else { return true };
    let after = remark.chars().nth(1);
    let is_alone = after.is_none_or(char::is_whitespace);
    match next {
        '.' | ',' | ';' | ':' | '!' => is_alone,
        '(' => true,
        // A choice that nobody has made: `pending | in progress | done`.
        '|' => !begins_with_word(remark.get(1..).unwrap_or_default().trim_start_matches(opens)),
        '-' => first.is_whitespace() && (is_alone || after == Some('-')),
        '[' | '#' | '*' | '_' | '`' => first.is_whitespace(),
        _ => is_sign(next) && !is_arrow(next),
    }
}

/// Marks around a word: `**done**`, `"done"`, `[done]`, `✅ done`.
fn opens(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '*' | '_' | '`' | '"' | '\'' | '[' | '(') || is_sign(letter)
}

const fn closes(letter: char) -> bool {
    matches!(letter, '*' | '_' | '`' | '"' | '\'' | ']' | ')')
}

/// Something drawn, and no letter of any script.
fn is_sign(letter: char) -> bool {
    !letter.is_ascii() && !letter.is_alphanumeric() && !letter.is_whitespace()
}

const fn is_arrow(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{21ff}' | '\u{27f0}'..='\u{27ff}' | '\u{2794}'..='\u{27be}' | '⬅' | '⬆' | '⬇')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> (String, Option<TaskState>) {
        match Status::read(source) {
            Status::Known(range, state) => (source[range].to_owned(), Some(state)),
            Status::Foreign(range) => (source[range].to_owned(), None),
            Status::Unclear(_) | Status::Empty => (String::new(), None),
        }
    }

    #[test]
    fn a_word_is_a_status_only_where_nothing_makes_it_another_word() {
        use TaskState::{Done, InProgress, Open};
        let table = [
            ("done", "done", Some(Done)),
            (" Done (see the log) ", "Done", Some(Done)),
            ("✅ done", "done", Some(Done)),
            ("done ✅ 2025-01-02", "done", Some(Done)),
            ("pending — waiting on API key from Bob", "pending", Some(Open)),
            ("pending - waiting", "pending", Some(Open)),
            ("pending, waiting", "pending", Some(Open)),
            ("done | **Domain:** Security", "done", Some(Done)),
            ("**done** | **Domain:** Security", "done", Some(Done)),
            ("done. All tests pass", "done", Some(Done)),
            ("`in progress`", "in progress", Some(InProgress)),
            ("IN_PROGRESS", "IN_PROGRESS", Some(InProgress)),
            ("Not Started | In Progress | Complete", "", None),
            ("pending | done", "", None),
            ("done <!-- pending -->", "done", Some(Done)),
            ("to do", "to do", Some(Open)),
            ("[done]", "done", Some(Done)),
            ("\"Done\"", "Done", Some(Done)),
            ("todo\n  and more", "todo", Some(Open)),
            ("blocked", "blocked", None),
            ("*blocked*", "blocked", None),
            ("done-by-code", "done-by-code", None),
            ("done-by-code | **Domain:** Security", "", None),
            ("done by Bob", "", None),
            ("done?", "", None),
            ("done/pending", "", None),
            ("not done", "", None),
            ("50% done", "", None),
            ("done 50%", "", None),
            ("pending → done", "", None),
            ("🟢 done", "done", Some(Done)),
            ("⏳ blocked", "blocked", None),
            ("[x] done", "", None),
            ("[ ] done", "", None),
            ("~~done~~", "", None),
            ("undone", "undone", None),
            ("doner", "doner", None),
            ("blocked by Bob", "", None),
            ("—", "", None),
            ("", "", None),
            ("  ", "", None),
            ("<!-- pending | done -->", "", None),
        ];
        for (source, word, state) in table {
            assert_eq!(read(source), (word.to_owned(), state), "{source:?}");
        }
        assert_eq!(Status::read(" <!-- x -->"), Status::Empty);
        assert_eq!(Status::read("—"), Status::Unclear(0..3));
    }
}
