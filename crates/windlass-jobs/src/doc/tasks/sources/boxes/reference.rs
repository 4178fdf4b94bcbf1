//! References in texts: `(refs: specs/auth.md, specs/api.md)`, and the numbers of tasks.

use std::ops::Range;

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

/// The number of a box. A bare number before a word in lower case is a quantity: `1.5 seconds`.
pub(super) fn id_of_box(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = id(text)?;
    let spaced = text.get(id.len()..).is_some_and(|after| after.starts_with([' ', '\t']));
    let quantity = spaced && id.starts_with(|first: char| first.is_ascii_digit());
    (!(quantity && rest.starts_with(char::is_lowercase))).then_some((id, rest))
}

/// The number that a dependency names: `P1.2`, `Task 1.2`, `1.2: Title`.
pub(in crate::doc) fn number(name: &str) -> Option<&str> {
    let bare = name.strip_prefix("Task ").or_else(|| name.strip_prefix("task ")).unwrap_or(name);
    id(bare.trim()).map(|(id, _)| id)
}

/// The name that a box begins with: `T001`, `TASK-12`; of other letters where a colon follows, `US-7: Log in`.
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
    let ends =
        rest.starts_with(':') || (is_usual && (rest.is_empty() || rest.starts_with([' ', '\t', '.', ')'])));
    let is_name =
        !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphabetic()) && numbered && ends;
    is_name.then(|| (name, rest.trim_start_matches([':', '.', ')', ' ', '\t'])))
}

/// What a text says within it that its task depends on: `(depends on T021, T022)`.
pub(super) fn depends_on(text: &str) -> Option<&str> {
    const WORDS: &str = "depends on ";
    let lower = text.to_ascii_lowercase();
    let at = lower
        .find(&format!("({WORDS}"))
        .map(|at| at + 1)
        .or_else(|| lower.find(&format!("- {WORDS}")).map(|at| at + 2))?;
    let rest = text.get(at + WORDS.len()..)?;
    Some(rest.split([')', ';', '.']).next().unwrap_or(rest))
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
