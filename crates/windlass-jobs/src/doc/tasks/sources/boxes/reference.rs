//! References in texts: `(refs: specs/auth.md, specs/api.md)`, and the numbers of tasks.

use std::ops::Range;

use super::heading;
use crate::doc::tasks::words;
use crate::doc::text::one_line;

/// The number that a text begins with (`1.2`, `P1.2`, `P1.2.3`), and what comes after it.
pub(in crate::doc) fn id(text: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = usize::from(text.starts_with(['P', 'p']));
    let mut parts = 0;
    loop {
        let more = digits(text.get(end..)?);
        if more == 0 {
            return None;
        }
        end += more;
        parts += 1;
        let rest = text.get(end..)?;
        if rest.starts_with('.') && digits(rest.get(1..)?) > 0 {
            end += 1;
        } else {
            break;
        }
    }
    let (id, rest) = text.split_at_checked(end)?;
    let ended = rest.is_empty() || rest.starts_with([':', ' ', '\t', '.', ')', ',', '-', '–', '—']);
    let rest = rest.trim_start_matches([':', '.', ')', '-', '–', '—', ' ', '\t']);
    (parts >= 2 && ended).then_some((id, rest))
}

/// Is a number that of a part of this chapter: `4.1` below `4. Rules`, or below `Chapter 4`?
pub(super) fn is_in_chapter(number: &str, chapter: &str) -> bool {
    let first = number.split('.').next();
    chapter.split(|letter: char| !letter.is_alphanumeric()).any(|word| Some(word) == first)
}

/// The number of a box. A bare number before a word in lower case is a quantity: `1.5 seconds`.
pub(super) fn id_of_box(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = id(text)?;
    let spaced = text.get(id.len()..).is_some_and(|after| after.starts_with([' ', '\t']));
    let quantity = spaced && id.starts_with(|first: char| first.is_ascii_digit());
    (!(quantity && rest.starts_with(char::is_lowercase))).then_some((id, rest))
}

/// The number of a box that is counted: `1. Title`, `2) Title`, `Task 2: Title`.
pub(super) fn count_of_box(text: &str) -> Option<(&str, &str)> {
    let called = text.strip_prefix("Task ").or_else(|| text.strip_prefix("task "));
    let is_called = called.is_some();
    let text = called.unwrap_or(text);
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(end).filter(|_| (1..=4).contains(&end))?;
    let rest = rest.strip_prefix(if is_called { &[':', '.', ')'][..] } else { &['.', ')'] })?;
    rest.starts_with([' ', '\t']).then(|| (number, rest.trim_start()))
}

/// The number that a dependency names: `P1.2`, `Task 1.2`, `1.2: Title`, `2`, `Task 2`; of a step on the way `Phase 2`, which is
/// `Phase-2`. Several, `1.1-1.3`, are none.
pub(in crate::doc) fn number(name: &str) -> Option<String> {
    let name = name.trim().trim_start_matches('#');
    if let Some(stage) = heading::stage(name) {
        return Some(stage);
    }
    let after_word = name.strip_prefix("Task ").or_else(|| name.strip_prefix("task "));
    let bare = after_word.unwrap_or(name).trim();
    if let Some((id, rest)) = id(bare) {
        return (!rest.starts_with(|next: char| next.is_ascii_digit())).then(|| id.to_owned());
    }
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = bare.split_at_checked(digits).filter(|_| digits > 0)?;
    let is_over =
        rest.is_empty() || rest.starts_with(':') || (after_word.is_some() && rest.starts_with([' ', ',']));
    is_over.then(|| number.to_owned())
}

/// Is a name a number and nothing more: `1.2`, `Task 2`, `Phase 2`? `1.5 seconds` is none.
pub(super) fn is_number_alone(name: &str) -> bool {
    let words = name.split_whitespace().count();
    number(name).is_some() && (words == 1 || (words == 2 && name.starts_with(char::is_alphabetic)))
}

/// Does a name mean several tasks by the first and the last: `1.1-1.3`?
pub(in crate::doc) fn is_range(name: &str) -> bool {
    let bare = name.strip_prefix("Task ").or_else(|| name.strip_prefix("task ")).unwrap_or(name).trim();
    let is_number = |part: &str| {
        let part = part.trim();
        part.starts_with(|first: char| first.is_ascii_digit())
            && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let ends = ["-", "–", "—", "..", " to ", " through "].iter().find_map(|sign| bare.split_once(sign));
    ends.is_some_and(|(first, last)| is_number(first) && is_number(last))
}

/// Is a number that of a step on the way, `Phase-2`?
pub(in crate::doc) fn is_of_stage(number: &str) -> bool {
    heading::is_stage(number)
}

/// The name that a box begins with: `T001`, `TASK-12`; of other letters where a hyphen is in it and a colon follows, `US-7: Log in`.
pub(super) fn name_of_box(text: &str) -> Option<(&str, &str)> {
    let end =
        text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let letters =
        name.trim_end_matches(|letter: char| !letter.is_ascii_alphabetic() || letter.is_ascii_lowercase());
    let letters = letters.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    let numbered =
        name.get(letters.len()..)?.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    let is_usual = matches!(letters, "T" | "TASK" | "Task");
    let ends = (rest.starts_with(':') && (is_usual || name.contains('-')))
        || (is_usual && (rest.is_empty() || rest.starts_with([' ', '\t', '.', ')'])));
    let is_name =
        !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphabetic()) && numbered && ends;
    is_name.then(|| (name, rest.trim_start_matches([':', '.', ')', ' ', '\t'])))
}

/// What a text says within it that its task depends on: `(depends on T021, T022)`, `(blocked by: T004)`.
pub(in crate::doc) fn depends_on(text: &str) -> Option<&str> {
    const WORDS: [&str; 12] = [
        "depends on",
        "blocked by",
        "depends:",
        "requires",
        "after",
        "needs",
        "abhängig von",
        "dépend de",
        "depende de",
        "依赖",
        "依賴",
        "依存",
    ];
    let lower = text.to_ascii_lowercase();
    let after =
        WORDS.iter().flat_map(|words| lower.match_indices(words).map(|(at, _)| (at, at + words.len())));
    let begins = |at: usize| {
        let before = text.get(..at).unwrap_or_default().trim_end();
        before.ends_with(['(', '（', '[', ',', ';', '-', '–', '—', '|'])
    };
    let (at, end) = after.filter(|(at, _)| begins(*at)).min()?;
    let rest = text.get(end..)?;
    let rest = rest.strip_prefix([':', '：']).unwrap_or(rest);
    // Where words are not parted by blanks none has to follow.
    let is_parted = text.get(at..end).is_some_and(|words| words.ends_with(|last: char| last.is_ascii()));
    let rest = rest.strip_prefix(' ').or((!is_parted).then_some(rest))?;
    let rest = rest.split([')', '）', ']', ';', '|']).next().unwrap_or(rest);
    // The end of a sentence, not the dot of `1.2`.
    Some(rest.split(". ").next().unwrap_or(rest).trim_end_matches('.'))
}

/// The ids that follow `depends on` or `blocked by` wherever it stands in a sentence: `Port the mod depends on T021 and T022 first`.
pub(super) fn depends_in_passing(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let Some(end) = ["depends on ", "blocked by "]
        .iter()
        .filter_map(|words| lower.find(words).map(|at| at + words.len()))
        .min()
    else {
        return Vec::new();
    };
    let rest = text.get(end..).unwrap_or_default().split_whitespace();
    let is_between = |word: &&str| matches!(*word, "and" | "&" | "task" | "Task");
    let ids =
        rest.filter(|word| !is_between(word)).map(|word| words::bare_id(word.trim_end_matches([',', ';'])));
    ids.take_while(|word| words::is_id(word)).map(str::to_owned).collect()
}

/// What the title of a section says that all below it waits for, with its line: `2. Print (depends on 1)`.
pub(super) fn title_waits(title: &str, line: usize) -> Vec<(String, usize)> {
    let lower = title.to_ascii_lowercase();
    let says = lower.contains("depends on") || lower.contains("blocked by");
    let names = depends_on(title).filter(|_| says).map(words::dependencies).unwrap_or_default();
    names.into_iter().filter(|name| is_number_alone(name)).map(|name| (name, line)).collect()
}

/// Where a text names specs, and what stands there between the parentheses.
pub(super) fn named(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = memchr::memchr(b'(', text.as_bytes().get(from..).unwrap_or_default()) {
        let open = from + open;
        from = open + 1;
        let Some(inner) = word(text.get(from..).unwrap_or_default()) else { continue };
        let begin = from + inner;
        let Some(close) = memchr::memchr(b')', text.as_bytes().get(begin..).unwrap_or_default()) else {
            break;
        };
        if let Some(inner) = text.get(begin..begin + close) {
            found.push((open..begin + close + 1, inner));
        }
        from = begin + close + 1;
    }
    found
}

/// How long `ref:` or `refs:` is at the beginning of this text.
fn word(text: &str) -> Option<usize> {
    let spaces = text.len() - text.trim_start_matches(' ').len();
    ["refs:", "ref:"].into_iter().find_map(|word| {
        let there = text.get(spaces..spaces + word.len())?;
        there.eq_ignore_ascii_case(word).then_some(spaces + word.len())
    })
}

/// A text without the places where it names specs, its blanks single.
pub(super) fn without(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (range, _) in named(text) {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        from = range.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    one_line(&kept)
}

/// The part of a spec that a reference names: `#login`, `§4.2`, `:AUTH-3`, `section 4.2`.
pub(in crate::doc) fn part(reference: &str) -> Option<&str> {
    let whole = reference.trim().trim_matches(['`', '"', '\'', '<', '>']);
    let rest = whole.get(spec(whole).len()..)?.trim_start_matches(['`', '#', '§', ':', ' ', '(']);
    let rest = rest.strip_prefix("section ").unwrap_or(rest);
    let rest = rest.trim_matches(['`', '#', '§', ' ', ')']);
    (!rest.is_empty()).then_some(rest)
}

/// A reference to a spec without section and decoration: `specs/auth.md#login` is `specs/auth.md`.
pub(in crate::doc) fn spec(reference: &str) -> &str {
    let reference = reference.trim().trim_matches(['`', '"', '\'', '<', '>']);
    let lower = reference.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower.get(from..).and_then(|rest| rest.find(".md")) {
        let end = from + found + 3;
        if !lower.get(end..).is_some_and(|rest| rest.starts_with(|next: char| next.is_alphanumeric())) {
            return reference.get(..end).unwrap_or(reference);
        }
        from = end;
    }
    reference.split(['#', '§']).next().unwrap_or(reference).trim()
}
