//! The words of statuses. Only what is surely one is taken for one, and only the word itself is ever replaced: what a person
//! wrote beside it stays.

use std::ops::Range;

use windlass_core::values::TaskState;

use super::source::StateWords;

/// The words, with `-` for a blank, `-` or `_`; of each that is done the word of what is open beside it.
const WORDS: &[(&str, TaskState, &str)] = &[
    ("pending", TaskState::Open, ""),
    ("open", TaskState::Open, ""),
    ("todo", TaskState::Open, ""),
    ("to-do", TaskState::Open, ""),
    ("not-started", TaskState::Open, ""),
    ("unstarted", TaskState::Open, ""),
    ("not-done", TaskState::Open, ""),
    ("new", TaskState::Open, ""),
    ("planned", TaskState::Open, ""),
    ("proposed", TaskState::Open, ""),
    ("draft", TaskState::Open, ""),
    ("queued", TaskState::Open, ""),
    ("ready", TaskState::Open, ""),
    ("backlog", TaskState::Open, ""),
    ("in-progress", TaskState::InProgress, ""),
    ("inprogress", TaskState::InProgress, ""),
    ("started", TaskState::InProgress, ""),
    ("doing", TaskState::InProgress, ""),
    ("active", TaskState::InProgress, ""),
    ("ongoing", TaskState::InProgress, ""),
    ("wip", TaskState::InProgress, ""),
    ("in-review", TaskState::InProgress, ""),
    ("review", TaskState::InProgress, ""),
    ("done", TaskState::Done, "pending"),
    ("completed", TaskState::Done, "todo"),
    ("complete", TaskState::Done, "not-started"),
    ("finished", TaskState::Done, "to-do"),
    ("implemented", TaskState::Done, "planned"),
    ("closed", TaskState::Done, "open"),
    ("resolved", TaskState::Done, "new"),
    ("fixed", TaskState::Done, "pending"),
    ("merged", TaskState::Done, "ready"),
    ("shipped", TaskState::Done, "backlog"),
    ("passing", TaskState::Done, "not-started"),
    ("passed", TaskState::Done, "pending"),
    ("verified", TaskState::Done, "pending"),
];

/// Words of what nobody will do: there is nothing to be done about it, as about what is done.
const SET_ASIDE: &[&str] = &[
    "wontfix",
    "wont-fix",
    "won't-fix",
    "won't-do",
    "cancelled",
    "canceled",
    "obsolete",
    "superseded",
    "duplicate",
    "archived",
    "dropped",
    "rejected",
    "abandoned",
];

/// Signs that stand for a word by themselves.
const SIGNS: [(TaskState, &[char]); 3] = [
    (TaskState::Open, &['⬜', '🔲', '☐', '⏳']),
    (TaskState::InProgress, &['🔄', '🚧']),
    (TaskState::Done, &['✅', '✔', '☑', '✓']),
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
        if let Some((length, state)) = boxed(line) {
            let whole = from..from + length;
            return state
                .map_or(Status::Unclear(from..from + line.len()), |state| Status::Known(whole, state));
        }
        let bare = line.trim_start_matches(opens);
        let start = from + line.len() - bare.len();
        if let Some((length, state)) = known(bare) {
            return Status::Known(start..start + length, state);
        }
        if let Some((length, state)) = sign(line) {
            return Status::Known(from..from + length, state);
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

/// The word that a text begins with, where it is surely one: its length and what it means.
fn known(bare: &str) -> Option<(usize, TaskState)> {
    let words = WORDS.iter().map(|(word, state, _)| (*word, *state));
    let all = words.chain(SET_ASIDE.iter().map(|word| (*word, TaskState::Done)));
    let found = all.filter_map(|(word, state)| {
        let rest = after_word(bare, word)?;
        ends_word(rest).then_some((bare.len() - rest.len(), state))
    });
    found.max_by_key(|(length, _)| *length)
}

/// `[x] completed`: the length of both, and what they say where they agree.
fn boxed(line: &str) -> Option<(usize, Option<TaskState>)> {
    let (within, after) = line.strip_prefix('[')?.split_once(']')?;
    let ticked = match within {
        " " => TaskState::Open,
        "x" | "X" => TaskState::Done,
        _ => return None,
    };
    let bare = after.trim_start();
    if bare.is_empty() {
        return Some((line.len() - after.len(), Some(ticked)));
    }
    let word = known(bare);
    let length = word.map_or(0, |(length, _)| line.len() - bare.len() + length);
    let agrees = |state: &TaskState| (*state == TaskState::Done) == (ticked == TaskState::Done);
    Some((length, word.map(|(_, state)| state).filter(agrees)))
}

/// A sign alone, or before a remark in parentheses.
fn sign(line: &str) -> Option<(usize, TaskState)> {
    let first = line.chars().next()?;
    let (state, _) = SIGNS.iter().find(|(_, signs)| signs.contains(&first))?;
    let rest = line.get(first.len_utf8()..)?.trim_start_matches('\u{fe0f}');
    let alone = rest.is_empty() || rest.trim_start().starts_with('(');
    alone.then_some((line.len() - rest.len(), *state))
}

/// The state that a word surely means.
pub(super) fn state_of(word: &str) -> Option<TaskState> {
    match Status::read(word) {
        Status::Known(_, state) => Some(state),
        Status::Empty | Status::Foreign(_) | Status::Unclear(_) => None,
    }
}

/// The word for a state in place of a former one, among the words that its file has.
pub(super) fn word(words: &StateWords, state: TaskState, former: &str) -> String {
    if let Some((_, after)) = former.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let sign = if state == TaskState::Done { "x" } else { " " };
        let gap = after.len() - after.trim_start().len();
        let (gap, former) = after.split_at_checked(gap).unwrap_or_default();
        let word =
            if former.is_empty() { String::new() } else { word(&StateWords::default(), state, former) };
        return format!("[{sign}]{gap}{word}");
    }
    if let Some((_, signs)) =
        SIGNS.iter().find(|_| sign(former).is_some()).and_then(|_| SIGNS.iter().find(|(of, _)| *of == state))
    {
        return signs.iter().take(1).collect();
    }
    match state {
        TaskState::Open => open_word(words, former),
        TaskState::Done => done_word(words, former),
        TaskState::InProgress => spelled_like("in-progress", former),
    }
}

/// The word of what is open again: what its file calls open, or what goes with how it was called done.
fn open_word(words: &StateWords, former: &str) -> String {
    let own = WORDS.iter().find(|(word, ..)| is_word(former, word)).map_or("pending", |(_, _, open)| open);
    let is_own = |word: &str| is_word(word, own) || own.is_empty();
    match words.of(TaskState::Open) {
        // Among words that are all the same it is that one, however it is spelled.
        Some(word) if is_own(word) && starts_alike(word, former) => word.to_owned(),
        _ if !is_word(former, "done") && !own.is_empty() => spelled_like(own, former),
        Some(word) if former.starts_with(char::is_lowercase) => word.to_lowercase(),
        Some(word) => word.to_owned(),
        None => spelled_like("pending", former),
    }
}

/// The word of what is done: `done`, unless what was open could not be called so again then.
fn done_word(words: &StateWords, former: &str) -> String {
    let usual = spelled_like("done", former);
    let words = &words.without(former);
    let is_open = WORDS.iter().any(|(word, state, _)| *state == TaskState::Open && is_word(former, word));
    if !is_open || open_word(words, &usual) == former {
        return usual;
    }
    let others = WORDS.iter().filter(|(_, state, _)| *state == TaskState::Done);
    let mut others = others.map(|(word, ..)| spelled_like(word, former));
    others.find(|word| open_word(words, word) == former).unwrap_or(usual)
}

/// Do both begin with a capital letter, or neither?
fn starts_alike(one: &str, other: &str) -> bool {
    one.starts_with(char::is_uppercase) == other.starts_with(char::is_uppercase)
}

/// Is a text this word, however it is spelled?
fn is_word(text: &str, word: &str) -> bool {
    text.len() == word.len() && after_word(text, word).is_some()
}

/// A word with capital letters and blanks where a former one had them.
fn spelled_like(word: &str, former: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    let letters = || former.chars().filter(|letter| letter.is_alphabetic());
    if letters().count() > 1 && letters().all(char::is_uppercase) {
        return word.to_uppercase();
    }
    if !former.starts_with(char::is_uppercase) {
        return word.to_owned();
    }
    // As titles are: `Not Started`. What is in progress was always written with a small second word and a sign.
    if word == "in-progress" {
        return format!("{}{rest}", first.to_uppercase());
    }
    let parts = word.split('-').map(|part| part.split_at_checked(1).unwrap_or((part, "")));
    parts.map(|(first, rest)| format!("{}{rest}", first.to_uppercase())).collect::<Vec<_>>().join(" ")
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
    WORDS.iter().any(|(word, ..)| after_word(text, word).is_some_and(is_over))
}

/// Is a word over here, so that what follows is a remark? Not in `done-by-code`, `done by Bob`, `done?` and `pending → done`.
fn ends_word(rest: &str) -> bool {
    let rest = rest.trim_start_matches(closes);
    let remark = rest.trim_start();
    let (Some(first), Some(next)) = (rest.chars().next(), remark.chars().next()) else { return true };
    let after = remark.chars().nth(1);
    let is_alone = after.is_none_or(char::is_whitespace);
    if first.is_whitespace() && is_date(remark) {
        return true;
    }
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

/// Does a text begin with a date, `2025-01-02`?
fn is_date(text: &str) -> bool {
    let digits = |part: &str| part.len() == part.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..10).is_some_and(|date| {
        let parts: Vec<&str> = date.split('-').collect();
        matches!(parts.as_slice(), [year, month, day] if year.len() == 4 && [year, month, day].iter().all(|part| digits(part)))
    })
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
            ("not done", "not done", Some(Open)),
            ("50% done", "", None),
            ("done 50%", "", None),
            ("pending → done", "", None),
            ("🟢 done", "done", Some(Done)),
            ("⏳ blocked", "blocked", None),
            ("[x] done", "[x] done", Some(Done)),
            ("[x] completed", "[x] completed", Some(Done)),
            ("[x]", "[x]", Some(Done)),
            ("[x] pending", "", None),
            ("✅", "✅", Some(Done)),
            ("🟢 implemented", "implemented", Some(Done)),
            ("Wontfix", "Wontfix", Some(Done)),
            ("Complete 2025-01-02", "Complete", Some(Done)),
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
