//! The words of statuses. Only what is surely one is taken for one, and only the word itself is ever replaced: what a person
//! wrote beside it stays.

use std::ops::Range;

use windlass_core::values::TaskState;

/// The words, with `-` for a blank, `-` or `_`; of each that is done the word of what is open beside it. Every word of what is
/// open stands beside one, so that what is done and open again is called as it was; what has two parts is spelled as both parts
/// of the other are.
pub(super) const WORDS: &[(&str, TaskState, &str)] = &[
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
    ("failing", TaskState::Open, ""),
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
    ("passed", TaskState::Done, "failing"),
    ("verified", TaskState::Done, "not-done"),
    ("published", TaskState::Done, "draft"),
    ("delivered", TaskState::Done, "proposed"),
    ("processed", TaskState::Done, "queued"),
    ("accomplished", TaskState::Done, "unstarted"),
    ("now-complete", TaskState::Done, "not-started"),
    ("now-done", TaskState::Done, "not-done"),
    ("all-done", TaskState::Done, "to-do"),
    ("alldone", TaskState::Done, "to-do"),
];

/// Words of what nobody will do: there is nothing to be done about it, as about what is done.
pub(super) const SET_ASIDE: &[&str] = &[
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

/// Signs that stand for a word by themselves; of each that is done the sign of what is open beside it.
pub(super) const SIGNS: &[(char, TaskState, char)] = &[
    ('⬜', TaskState::Open, ' '),
    ('🔲', TaskState::Open, ' '),
    ('☐', TaskState::Open, ' '),
    ('⏳', TaskState::Open, ' '),
    ('🔄', TaskState::InProgress, ' '),
    ('🚧', TaskState::InProgress, ' '),
    ('✅', TaskState::Done, '⬜'),
    ('🟩', TaskState::Done, '⬜'),
    ('✔', TaskState::Done, '🔲'),
    ('☑', TaskState::Done, '☐'),
    ('✓', TaskState::Done, '⏳'),
];

/// Says of the sign before it that it is drawn in colours.
pub(super) const DRAWN: char = '\u{fe0f}';

/// Words of what nobody can go on with.
pub(super) const STUCK: &[&str] =
    &["blocked", "on-hold", "waiting", "paused", "deferred", "postponed", "skip", "skipped", "stuck"];

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
        if let Some((sign, state)) = sign(line) {
            return Status::Known(from + sign.start..from + sign.end, state);
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
    let words = WORDS.iter().map(|(word, state, _)| (*word, *state, *state == TaskState::Done));
    // What nobody will do is not done by halves.
    let all = words.chain(SET_ASIDE.iter().map(|word| (*word, TaskState::Done, false)));
    let first = bare.as_bytes().first()?.to_ascii_lowercase();
    let all = all.filter(|(word, ..)| word.as_bytes().first() == Some(&first));
    let found = all.filter_map(|(word, state, may_be_half)| {
        let rest = after_word(bare, word)?;
        let is_half = may_be_half && takes_back(rest);
        (ends_word(rest) && !is_half).then_some((bare.len() - rest.len(), state))
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

/// A sign alone, or before a remark in parentheses or behind a bar; marks may stand around it.
fn sign(line: &str) -> Option<(Range<usize>, TaskState)> {
    let bare = line.trim_start_matches(['*', '_', '`', '"', '\'']);
    let first = bare.chars().next()?;
    let (_, state, _) = SIGNS.iter().find(|(sign, ..)| *sign == first)?;
    let rest = bare.get(first.len_utf8()..)?.trim_start_matches(DRAWN);
    let after = rest.trim_start_matches(closes);
    let remark = after.trim_start();
    let alone =
        remark.is_empty() || remark.starts_with('(') || (remark.starts_with('|') && !lists_another(after));
    let is_half = *state == TaskState::Done && takes_back(after);
    let start = line.len() - bare.len();
    (alone && !is_half).then_some((start..line.len() - rest.len(), *state))
}

/// Is a text a sign that lists begin their lines with, though it is none of a status?
pub(super) fn is_listed(text: &str) -> bool {
    const LISTED: [char; 10] = ['❌', '❎', '🔴', '🟡', '🟢', '🔵', '⭕', '▶', '⏸', '⚠'];
    let mut letters = text.trim_end_matches(DRAWN).chars();
    letters.next().is_some_and(|first| LISTED.contains(&first)) && letters.as_str().is_empty()
}

/// Is a text a sign and nothing beside it?
pub(super) fn is_sign_alone(text: &str) -> bool {
    sign(text).is_some_and(|(sign, _)| sign == (0..text.len()))
}

/// Words behind one for what is done that take it back. What may as well stand behind a word for what is open is none of them:
/// it stays where that word is replaced.
const TAKES_BACK: &[&str] = &[
    "partial",
    "partially",
    "partly",
    "except",
    "incomplete",
    "unfinished",
    "unverified",
    "untested",
    "false",
    "reopened",
];

/// What does so behind `not`.
const NOT: &[&str] = &[
    "done",
    "complete",
    "completed",
    "finished",
    "verified",
    "tested",
    "implemented",
    "working",
    "merged",
    "deployed",
    "fully",
    "all",
];

/// Does a remark behind a word for what is done take it back: `(partially)`, `❌`, `. Not verified`? What follows a bar is of
/// something else.
fn takes_back(remark: &str) -> bool {
    let remark = remark.split(['|', '·', '•']).next().unwrap_or_default();
    let words = remark.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).filter(|word| word != "yet").collect();
    let is_not = |pair: &[String]| matches!(pair, [no, word] if no == "not" && NOT.contains(&word.as_str()));
    remark.contains(['❌', '✗', '✘'])
        || words.iter().any(|word| TAKES_BACK.contains(&word.as_str()))
        || words.windows(2).any(is_not)
}

/// Does another status come next: `, open or closed`, `| open`? Then nobody has chosen yet.
fn lists_another(rest: &str) -> bool {
    let rest = rest.trim_start_matches(closes).trim_start();
    let next = |sign: &[char]| rest.strip_prefix(sign).map(|rest| rest.trim_start_matches(opens));
    let is_choice = |rest: &str| {
        let rest = rest.trim_start_matches(closes).trim_start();
        rest.is_empty() || rest.starts_with([',', '/', '|']) || rest.starts_with("or ")
    };
    let all = || WORDS.iter().map(|(word, ..)| *word);
    next(&[',', '/']).is_some_and(|rest| all().filter_map(|word| after_word(rest, word)).any(is_choice))
        || next(&['|']).is_some_and(begins_with_word)
}

/// The state that a word surely means.
pub(super) fn state_of(word: &str) -> Option<TaskState> {
    match Status::read(word) {
        Status::Known(_, state) => Some(state),
        Status::Empty | Status::Foreign(_) | Status::Unclear(_) => None,
    }
}

/// Is a text this word, however it is spelled?
pub(super) fn is_word(text: &str, word: &str) -> bool {
    text.len() == word.len() && after_word(text, word).is_some()
}

/// What comes after a word, where the text begins with it, in any case.
pub(super) fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
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
    if lists_another(rest) {
        return false;
    }
    if first.is_whitespace() && is_date(remark) {
        return true;
    }
    match next {
        '.' | ',' | ';' | ':' | '!' => is_alone,
        '(' | '|' => true,
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
            ("done, pending or failed", "", None),
            ("pending, in-progress or done", "", None),
            ("Done (partially)", "", None),
            ("✅ (partly done)", "", None),
            ("done, not yet deployed", "", None),
            ("done (not urgent)", "done", Some(Done)),
            ("completed ❌", "", None),
            ("done. Not verified", "", None),
            ("resolved - reopened", "", None),
            ("Complete: false", "", None),
            ("done, reviewed by Bob", "done", Some(Done)),
            ("cancelled - not needed", "cancelled", Some(Done)),
            ("done | **Not:** this", "done", Some(Done)),
            ("in progress (half of it done)", "in progress", Some(InProgress)),
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
