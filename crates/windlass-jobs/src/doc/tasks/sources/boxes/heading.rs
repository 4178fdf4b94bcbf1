//! What a heading says of the tasks below it.

use std::ops::Range;

use windlass_core::values::TaskState;

use super::criteria_title::is_criteria;
use super::reference::{count_of_box, id};

/// The marks of a heading that is done.
const DONE: [char; 4] = ['✅', '✓', '✔', '☑'];

/// The marks of a heading that is begun.
const BEGUN: [char; 2] = ['🚧', '🔄'];

/// Signs behind a heading of which nobody knows whether they say that it failed, waits or is to be done.
const UNKNOWN: [char; 5] = ['❌', '⛔', '🛑', '🔴', '⏸'];

/// Of these the ones that say so before a heading as well; the others say there how urgent it is.
const UNKNOWN_FIRST: [char; 4] = ['❌', '⛔', '🛑', '⏸'];

/// The signs before a heading that is to be done.
const OPEN: [char; 4] = ['⏳', '⬜', '🔲', '☐'];

/// What stands beside a mark and says nothing by itself.
const BESIDE: char = '🎉';

/// What is said of work that is done, in capitals or after a mark.
const DONE_WORDS: [&str; 6] = ["done", "complete", "completed", "finished", "implemented", "moot"];

/// Sections that hold what is to be done.
pub(super) const WORK: [&str; 19] = [
    "phase",
    "phases",
    "priority",
    "task",
    "tasks",
    "step",
    "steps",
    "stage",
    "milestone",
    "sprint",
    "todo",
    "to do",
    "iteration",
    "week",
    "fase",
    "etapa",
    "schritt",
    "cross-cutting",
    "cross cutting",
];

/// Sections whose boxes are not open work.
const ASIDE: [&str; 6] = ["out of scope", "out-of-scope", "not in scope", "non-goals", "won't do", "wont do"];

/// Such sections as well, unless the word goes on to say what is to be done: `Archive the old logs`.
const ARCHIVE: [&str; 2] = ["archive", "archived"];

/// What an archive may be of.
const ARCHIVED: [&str; 8] = ["items", "tasks", "features", "phases", "stories", "work", "plans", "issues"];

/// What a section holds: the gravest that it, or a section around it, says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::doc) enum Holds {
    /// Whatever stands there.
    #[default]
    Anything,
    /// What is to be done: phases, steps, tasks.
    Work,
    /// What has to hold, and is no task.
    Criteria,
    /// What is not to be done.
    Aside,
}

/// A heading's text, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Title {
    /// Without number and mark.
    pub text: String,
    pub id: Option<String>,
    /// How far it says that it is.
    pub state: TaskState,
    pub priority: Option<u32>,
    pub cross_cutting: bool,
    pub holds: Holds,
    /// It is a step on the way, with a number: `Phase 2: Title` is `Phase-2`.
    pub stage: Option<String>,
    /// Its place, where headings are counted: `2. Title`.
    pub count: Option<String>,
    /// It calls itself a task: `Task 1.1: Title`, `T12: Title`.
    pub task: bool,
    /// The sign that it begins with, where that says how far it is: `⏳ Phase 2: Title`.
    pub sign: Option<char>,
}

impl Title {
    /// Does it say that it is done?
    pub(super) fn is_done(&self) -> bool {
        self.state == TaskState::Done
    }
}

pub(in crate::doc) fn read(text: &str) -> Title {
    let (sign, signed) = without_sign(text.trim());
    // Before a title without a number a sign is drawn for itself: `✅ Checklist`.
    let sign = sign.filter(|_| is_numbered(undecorated(signed)));
    let trimmed = if sign.is_some() { signed } else { text.trim() };
    let unmarked = trimmed.trim_end_matches(marks);
    let end = trimmed.get(unmarked.len()..).unwrap_or_default();
    let (state, unmarked) = if says_done(trimmed) {
        (TaskState::Done, unmarked)
    } else if is_begun(end) {
        (TaskState::InProgress, unmarked)
    } else if ends_in_begun(trimmed) {
        (TaskState::InProgress, trimmed)
    } else {
        (sign.and_then(state_of_sign).unwrap_or_default(), trimmed)
    };
    let bare = undecorated(unmarked);
    let named = name(bare);
    let (id, rest) =
        named.or_else(|| id(bare)).map_or((None, unmarked), |(id, rest)| (Some(id.to_owned()), rest));
    let words = plain_words(rest);
    Title {
        text: rest.trim().to_owned(),
        id,
        state,
        priority: priority(&words),
        holds: holds(&words),
        stage: stage(bare),
        count: count_of_box(bare).map(|(count, _)| count.to_owned()),
        task: named.is_some(),
        cross_cutting: begins_with(&words, "cross-cutting") || begins_with(&words, "cross cutting"),
        sign,
    }
}

/// Does a title begin with a number of any kind?
fn is_numbered(bare: &str) -> bool {
    name(bare).or_else(|| id(bare)).or_else(|| count_of_box(bare)).is_some() || stage(bare).is_some()
}

/// The sign before a title that says how far it is, and the title. What is drawn there for itself, `🎯 Goals`, is part of it.
fn without_sign(text: &str) -> (Option<char>, &str) {
    let sign =
        text.chars().next().filter(|sign| state_of_sign(*sign).is_some() || UNKNOWN_FIRST.contains(sign));
    let rest =
        sign.and_then(|sign| text.get(sign.len_utf8()..)).map(|rest| rest.trim_start_matches('\u{fe0f}'));
    match rest.filter(|rest| rest.starts_with([' ', '\t'])) {
        Some(rest) => (sign, rest.trim_start()),
        None => (None, text),
    }
}

/// What a sign before a title says.
fn state_of_sign(sign: char) -> Option<TaskState> {
    match sign {
        done if DONE.contains(&done) => Some(TaskState::Done),
        begun if BEGUN.contains(&begun) => Some(TaskState::InProgress),
        open if OPEN.contains(&open) => Some(TaskState::Open),
        _ => None,
    }
}

/// Without what is drawn before it.
fn undecorated(text: &str) -> &str {
    text.trim_start_matches(|letter: char| {
        letter.is_whitespace() || !(letter.is_ascii() || letter.is_alphanumeric())
    })
}

/// Where the sign stands in its source that a heading's title begins with.
pub(super) fn sign(source: &str, sign: char) -> Option<Range<usize>> {
    let at = source.len() - source.trim_start_matches(['#', ' ', '\t']).len();
    let rest = source.get(at..)?.strip_prefix(sign)?;
    let end = source.len() - rest.trim_start_matches('\u{fe0f}').len();
    Some(at..end)
}

/// What a step on the way may be called, where its number follows.
const STAGES: [&str; 9] =
    ["Phase", "Stage", "Step", "Milestone", "Sprint", "Iteration", "Fase", "Etapa", "Schritt"];

pub(super) fn stage(text: &str) -> Option<String> {
    let (word, rest) = text.split_once(' ')?;
    let word = STAGES.iter().find(|stage| stage.eq_ignore_ascii_case(word))?;
    let number = rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.').next()?;
    let number = number.trim_end_matches('.');
    let after = rest.get(number.len()..).unwrap_or_default().trim_start();
    // A letter may be a word: `Step I take`.
    let is_letters = !number.is_empty()
        && (number.len() == 1 || number.len() <= 5 && number.bytes().all(|byte| b"IVX".contains(&byte)))
        && number.bytes().all(|byte| byte.is_ascii_uppercase())
        && !after.starts_with(|next: char| next.is_alphanumeric() || next == '\'');
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    (is_number || is_letters).then(|| format!("{word}-{number}"))
}

fn holds(words: &str) -> Holds {
    let begins = |names: &[&str]| names.iter().any(|name| begins_with(words, name));
    if begins(&ASIDE) || is_archive(words) {
        Holds::Aside
    } else if is_criteria(words) {
        Holds::Criteria
    } else if priority(words).is_some() || begins(&WORK) {
        Holds::Work
    } else {
        Holds::Anything
    }
}

/// Is this the id of a step on the way?
pub(super) fn is_stage(id: &str) -> bool {
    id.split_once('-').is_some_and(|(word, _)| STAGES.contains(&word))
}

/// The number of a heading that calls itself a task, and its title: `Task 1.1: Title`, `TASK-001 Title`, `T1 — Title`.
fn name(text: &str) -> Option<(&str, &str)> {
    let bare = ["Task ", "TASK ", "task "].iter().find_map(|word| text.strip_prefix(word));
    let text = bare.unwrap_or(text);
    let letters = if bare.is_some() {
        ""
    } else {
        ["TASK-", "Task-", "T-", "T"].into_iter().find(|word| text.starts_with(word))?
    };
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    let end = letters.len()
        + text.get(letters.len()..)?.find(|letter| !is_part(letter)).unwrap_or(text.len() - letters.len());
    let (id, rest) = text.split_at_checked(end)?;
    let number = id.get(letters.len()..)?.trim_end_matches('.');
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    let ended = rest.is_empty() || rest.starts_with([' ', ':', ')', '\t']);
    let title = rest.trim_start_matches([':', ')', '-', '–', '—', ' ', '\t']);
    (is_number && ended).then_some((id.trim_end_matches('.'), title))
}

/// Is this the title of an archive: the word by itself, with a sign behind it, or with what is in it?
fn is_archive(words: &str) -> bool {
    let rest = ARCHIVE.iter().rev().find_map(|name| words.strip_prefix(name));
    rest.is_some_and(|rest| {
        let after = rest.trim_start();
        let is_over = !after.starts_with(char::is_alphanumeric);
        is_over || (rest.starts_with(' ') && ARCHIVED.iter().any(|word| begins_with(after, word)))
    })
}

/// Does a text say that it is done: struck out, marked after a dash or at its end, or with a word for it after a mark that ends
/// it? A mark that the sentence is about says nothing: `Replace ❌ by ✅`.
pub(in crate::doc) fn says_done(text: &str) -> bool {
    let text = text.trim();
    let bare = id(text).map_or(text, |(_, rest)| rest);
    if bare.strip_prefix("~~").is_some_and(|rest| rest.contains("~~")) {
        return true;
    }
    let Some((at, mark)) = text.char_indices().rev().find(|(_, letter)| DONE.contains(letter)) else {
        return ends_in_word(text);
    };
    let before = text.get(..at).unwrap_or_default().trim_end_matches(marks);
    let after = text.get(at + mark.len_utf8()..).unwrap_or_default().trim_start_matches(marks);
    if before.ends_with(['-', '–', '—', ':', '|']) {
        return true;
    }
    let last =
        before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    if NEEDS_MORE.contains(&last.as_str()) {
        return false;
    }
    let word = after.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_word = DONE_WORDS.contains(&word.to_lowercase().as_str());
    let last = after.rsplit(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let ends = last.is_some_and(|word| DONE_WORDS.contains(&word.to_lowercase().as_str()));
    ends || is_remark(after) || (is_word && is_remark(after.get(word.len()..).unwrap_or_default()))
}

/// Does a text end in a word for what is done that is no part of its sentence: `[DONE]`, `(done)`, `- COMPLETED`, `— Completed`?
fn ends_in_word(text: &str) -> bool {
    let is_word = |word: &str| DONE_WORDS.contains(&word.trim().to_lowercase().as_str());
    let bracketed = |open: char, close: char| {
        let (before, word) = text.strip_suffix(close)?.rsplit_once(open)?;
        Some(before.ends_with(char::is_whitespace) && is_word(word))
    };
    if bracketed('[', ']') == Some(true) || bracketed('(', ')') == Some(true) {
        return true;
    }
    let Some((before, word)) = text.rsplit_once(' ') else { return false };
    let is_loud = word.chars().all(char::is_uppercase);
    let ends = if is_loud { &['-', '–', '—', ':', '|'][..] } else { &['-', '–', '—'] };
    is_word(word)
        && before.strip_suffix(ends).is_some_and(|before| before.ends_with(char::is_whitespace) || is_loud)
}

/// Does a text end in words for what is begun, behind a dash: `Printer — IN PROGRESS`?
fn ends_in_begun(text: &str) -> bool {
    let dashes = ["— ", "– ", " - "];
    let Some(words) = dashes.iter().find_map(|dash| text.rsplit_once(dash)).map(|(_, words)| words) else {
        return false;
    };
    ["in progress", "in-progress", "wip", "doing"]
        .iter()
        .any(|begun| words.trim().eq_ignore_ascii_case(begun))
}

/// Is this the title of a section of what is done: `Done`, `✅ Completed tasks`?
pub(in crate::doc) fn is_of_done(title: &str) -> bool {
    let words = plain_words(title);
    let mut each = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    matches!(each.next(), Some("done" | "completed" | "complete" | "finished"))
        && each.next().is_none_or(|what| ["tasks", "items", "features", "work"].contains(&what))
        && each.next().is_none()
}

/// Words after which a sentence is not over: a mark that follows one is what it speaks of.
const NEEDS_MORE: [&str; 18] = [
    "a", "an", "the", "by", "with", "as", "of", "to", "for", "from", "in", "on", "and", "or", "into", "this",
    "emoji", "is",
];

/// Is this nothing, or a remark that ends a text, in brackets, behind a sign or with a date?
fn is_remark(text: &str) -> bool {
    let text = text.trim();
    match text.chars().next() {
        None => true,
        Some(open @ ('(' | '[')) => {
            let close = if open == '(' { ')' } else { ']' };
            text.split_once(close)
                .is_some_and(|(_, rest)| !rest.trim_start().starts_with(char::is_alphanumeric))
        }
        Some(first) => !first.is_alphabetic(),
    }
}

/// Where a heading's mark stands in its source, with the blank before it; the end of its text where there is none. `None` where
/// its text has several lines, of which none is its end: that is so only of headings that are underlined.
pub(super) fn mark(source: &str) -> Option<Range<usize>> {
    let (first, rest) = source.split_once('\n').unwrap_or((source, ""));
    let text = if first.starts_with('#') {
        let closed = first.trim_end().trim_end_matches('#');
        let is_closed = closed.ends_with([' ', '\t']) || closed.len() == first.trim_end().len();
        if is_closed { closed.trim_end() } else { first.trim_end() }
    } else {
        let is_one_line = rest.trim_end().lines().count() <= 1;
        is_one_line.then(|| first.trim_end())?
    };
    Some(text.trim_end_matches(marks).len()..text.len())
}

/// A text without the marks at its end.
pub(super) fn unmarked(text: &str) -> &str {
    text.trim_end_matches(marks)
}

/// Is this the end of a heading, done or not, and nothing more?
pub(super) fn is_mark(end: &str) -> bool {
    end.chars().all(marks)
}

/// Is this the end of a heading that is done?
pub(super) fn is_done(end: &str) -> bool {
    end.contains(DONE)
}

/// Is this the end of a heading that is begun?
pub(super) fn is_begun(end: &str) -> bool {
    end.contains(BEGUN) && !is_done(end)
}

/// The sign that a title ends with and that nobody knows.
pub(super) fn unknown_mark(title: &str) -> Option<char> {
    title.trim_end_matches(['\u{fe0f}', ' ']).chars().next_back().filter(|last| UNKNOWN.contains(last))
}

/// The sign at the end of a text that says that it failed or waits. One that the sentence is about says nothing: `Replace ✅ by ❌`.
pub(super) fn failed(text: &str) -> Option<char> {
    let text = text.trim_end_matches(['\u{fe0f}', ' ']);
    let sign = text.chars().next_back().filter(|sign| UNKNOWN_FIRST.contains(sign))?;
    let before = text.get(..text.len() - sign.len_utf8())?.trim_end();
    let last = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    (!NEEDS_MORE.contains(&last.to_lowercase().as_str())).then_some(sign)
}

/// Is this a sign before a title that nobody knows?
pub(super) fn is_unknown_first(sign: char) -> bool {
    UNKNOWN_FIRST.contains(&sign)
}

fn marks(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\u{fe0f}' | BESIDE)
        || DONE.contains(&letter)
        || BEGUN.contains(&letter)
}

/// Lower case, without what stands before the first letter or digit.
pub(super) fn plain_words(text: &str) -> String {
    text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase().replace('’', "'")
}

pub(super) fn begins_with(words: &str, name: &str) -> bool {
    words.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// `Priority 1: Core`, `Priority: high`, `High priority`.
fn priority(words: &str) -> Option<u32> {
    let mut each = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    match (each.next()?, each.next()) {
        ("priority", Some(level)) => level.parse().ok().or_else(|| word(level)),
        (level, None | Some("priority" | "issues" | "bugs" | "tasks" | "items" | "fixes" | "blockers")) => {
            word(level)
        }
        (level, _) => word(level).filter(|_| is_short_level(words, level)),
    }
}

/// The priority that a box begins with: `P0: What is to be done`.
pub(super) fn level_of_box(title: &str) -> Option<u32> {
    let (level, _) = title.split_once(':')?;
    let is_level = level.len() == 2 && level.starts_with(['P', 'p']);
    word(&level.to_ascii_lowercase()).filter(|_| is_level)
}

/// `P0: Login` and `P1 - Login` begin with a level; `Critical path` does not.
fn is_short_level(words: &str, level: &str) -> bool {
    let rest = words.strip_prefix(level).unwrap_or_default().trim_start();
    rest.starts_with([':', '-', '–', '—', '('])
}

/// The words of priorities, the first first; also those of task files.
pub(in crate::doc) fn word(level: &str) -> Option<u32> {
    match level {
        "critical" | "urgent" | "blocker" | "blockers" | "blocking" | "highest" | "p0" => Some(0),
        "high" | "p1" => Some(1),
        "medium" | "normal" | "p2" => Some(2),
        "low" | "p3" => Some(3),
        "lowest" | "p4" => Some(4),
        _ => None,
    }
}
