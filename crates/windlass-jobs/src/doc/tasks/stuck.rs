//! What says that nobody is to work on something, or can go on with it: words of titles and texts.

use super::status::{SET_ASIDE, STUCK, after_word};

/// The word in capitals at the beginning or the end of a text that says that nobody is to work on it: `BLOCKED: Deploy`,
/// `[WONTFIX] Old thing`, `Pay [BLOCKED: no key]`.
pub(super) fn stuck(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['*', '_', ' ']);
    let is_word = |word: &str| {
        let loud = word.chars().all(|letter| !letter.is_lowercase());
        loud && STUCK.iter().chain(SET_ASIDE).any(|known| after_word(word, known) == Some(""))
    };
    let in_brackets =
        |within: &'_ str| -> bool { is_word(within.split(':').next().unwrap_or_default().trim()) };
    if let Some((within, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return Some(within).filter(|within| in_brackets(within));
    }
    let last = [('[', ']'), ('(', ')')].into_iter().find_map(|(open, close)| {
        text.trim_end().strip_suffix(close)?.rsplit_once(open).map(|(_, within)| within)
    });
    let begins = || text.split_once(':').map(|(word, _)| word.trim_end_matches(['*', '_', ' ']));
    let is_said =
        |word: &str| is_word(word) || PUT_OFF.iter().any(|known| after_word(word, known) == Some(""));
    last.filter(|within| in_brackets(within) || is_said(within.split(':').next().unwrap_or_default().trim()))
        .or_else(|| begins().filter(|word| is_word(word)))
        .or_else(|| behind_dash(text))
}

/// Words between brackets at the end of a text that say so in small letters as well: others may be part of what is to be done,
/// `Show orders (cancelled)`.
const PUT_OFF: &[&str] = &[
    "deferred",
    "postponed",
    "skipped",
    "skip",
    "on-hold",
    "blocked",
    "wontfix",
    "wont-fix",
    "won't-fix",
    "won't-do",
    "obsolete",
    "superseded",
];

/// The word that follows the last dash of a text: alone, or in capitals before a remark, `Pay — DEFERRED to v2`.
fn behind_dash(text: &str) -> Option<&str> {
    let dashes = [" — ", " – ", " - "].into_iter();
    let (at, dash) = dashes.filter_map(|dash| Some((text.rfind(dash)?, dash))).max()?;
    let rest = text.get(at + dash.len()..)?.trim_matches(['*', '_', ' ', '.']);
    let mut known = STUCK.iter().chain(SET_ASIDE);
    known.find_map(|known| {
        let after = after_word(rest, known)?;
        let word = rest.get(..rest.len() - after.len())?;
        let is_loud =
            word.chars().all(|letter| !letter.is_lowercase()) && !after.starts_with(char::is_alphanumeric);
        (after.is_empty() || is_loud).then_some(word)
    })
}

/// Is this the title of a section of what nobody can go on with: `Blocked`, `On hold (legal)`, `Deferred tasks`?
pub(super) fn is_stuck_title(title: &str) -> bool {
    const OF: [&str; 7] = ["tasks", "items", "work", "stories", "issues", "features", "todos"];
    let bare = title.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let is_over = |rest: &str| {
        let what = rest.trim_start();
        what.is_empty()
            || rest.starts_with(':')
            || (rest.starts_with(' ')
                && (!what.starts_with(char::is_alphanumeric)
                    || OF.iter().any(|known| what.eq_ignore_ascii_case(known))))
    };
    STUCK.iter().any(|word| after_word(bare, word).is_some_and(is_over))
}

/// Do words between brackets that begin a list item say how far it is, unless it is done: `[BLOCKED: no key]`, `[TODO]`,
/// `[WONTFIX]`?
pub(super) fn says_left(within: &str) -> bool {
    const WORDS: [&str; 6] = ["todo", "to-do", "pending", "wip", "in-progress", "not-started"];
    let word = within.split(':').next().unwrap_or_default().trim();
    let loud = word.chars().all(|letter| !letter.is_lowercase());
    let mut known = STUCK.iter().chain(SET_ASIDE).chain(&WORDS);
    loud && !word.is_empty() && known.any(|known| after_word(word, known) == Some(""))
}
