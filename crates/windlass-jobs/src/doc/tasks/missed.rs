//! Boxes that no reader took, and work in another form. What looks like a box and is none would be work that nobody sees: it is
//! named with its line, and nothing is complete before somebody has said what it is.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use windlass_core::values::TaskState;

use super::beside;
use super::plain::is_blank;
use super::sources::state_of_sign;
use super::status::state_of;
use super::stuck::says_left;
use crate::doc::lines::Lines;
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// The longest text within brackets that may be meant for a box, in characters.
const LONGEST: usize = 3;

/// What something that was not read looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LooksLike {
    /// A box that is not ticked.
    Box,
    /// A task that is not done, in another form.
    Task,
}

/// Something that looks like work that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Missed {
    /// Where its bracket stands in the text.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
    /// It as it stands there.
    pub shown: String,
    pub looks_like: LooksLike,
}

impl Missed {
    /// Is it a task in another form?
    pub fn is_task(&self) -> bool {
        self.looks_like == LooksLike::Task
    }

    /// What is said of it.
    pub fn problem(&self, file: &Arc<str>) -> Problem {
        let what = match self.looks_like {
            LooksLike::Box => {
                "a box: write `- [ ]`, `- [~]` or `- [x]` as a list item outside of quotes, tables and HTML"
            }
            LooksLike::Task => "a task: write it as `- [ ] what is to be done`",
        };
        let shown = quoted(&self.shown);
        let sentence = format!(
            "holds `{shown}`, which is not read as {what}, put it below `## Out of scope`, or between backticks"
        );
        Problem { kind: ProblemKind::UnknownStatus, file: file.clone(), line: Some(self.line), sentence }
    }
}

/// All that look like boxes of a text and that its reader did not take, in their order. What stands in code or in a comment,
/// and is closed there, is none.
pub(super) fn find(text: &str, is_taken: impl Fn(usize) -> bool) -> Vec<Missed> {
    let (mut begins, matter) = (0, beside::after_matter(text));
    let mut found: Vec<(usize, &str, LooksLike)> = Vec::new();
    for line in text.split_inclusive(['\n', '\r']) {
        if may_hold_box(line) {
            let boxes = beginnings(line).filter_map(|at| Some((at, looks_like_box(line.get(at..)?)?)));
            let boxes = boxes.chain(square(line)).chain(word_in_brackets(line)).chain(wide(line));
            let boxes = boxes.chain(escaped(line));
            let boxes = boxes.map(|(at, shown)| (begins + at, shown, LooksLike::Box));
            found.extend(boxes.filter(|(at, ..)| !is_taken(*at)));
        }
        let other = text.get(begins..).filter(|_| begins >= matter && beside::may_be(line));
        let other = other.and_then(beside::left);
        let other = other.map(|(at, shown)| (begins + at, shown, LooksLike::Task));
        found.extend(other.filter(|(at, ..)| !is_taken(*at)));
        begins += line.len();
    }
    if found.is_empty() {
        return Vec::new();
    }
    let hidden = hidden(text);
    let is_seen = |at: usize| {
        let before = hidden.partition_point(|range| range.start <= at);
        before.checked_sub(1).and_then(|last| hidden.get(last)).is_none_or(|range| range.end <= at)
    };
    let mut lines = Lines::of(text);
    let seen = found.into_iter().filter(|(at, ..)| is_seen(*at));
    let missed = |(at, shown, looks_like): (usize, &str, LooksLike)| {
        let (line, shown) = (lines.line_of(at), shown.to_owned());
        Missed { at, line, shown, looks_like }
    };
    seen.map(missed).collect()
}

/// Is there anything of a box in a line? Most have nothing, and there are many.
fn may_hold_box(line: &str) -> bool {
    memchr::memchr(b'[', line.as_bytes()).is_some() || !line.is_ascii()
}

/// Where a box could begin in a line: after what begins list items, quotes and headings, and in each cell of a table.
fn beginnings(line: &str) -> impl Iterator<Item = usize> {
    let first = line.len() - after_beginning(line).len();
    let is_row = line.trim_start_matches([' ', '\t', '>']).starts_with('|');
    let cells = memchr::memchr_iter(b'|', line.as_bytes()).filter(move |_| is_row).map(move |at| {
        let cell = line.get(at + 1..).unwrap_or_default();
        at + 1 + cell.len() - cell.trim_start_matches([' ', '\t', '*', '_']).len()
    });
    std::iter::once(first)
        .chain(cells.filter(move |at| *at > first))
        .filter(|at| line.get(*at..).is_some_and(|rest| rest.starts_with('[')))
}

/// The drawn square that a list item begins with, `- ⬜ What is to be done`. What a sign means, `- ⬜ pending`, is said of others.
fn square(line: &str) -> Option<(usize, &str)> {
    const SQUARES: [char; 5] = ['⬜', '🔲', '☐', '◻', '▢'];
    let item = line.trim_start();
    let text = item.strip_prefix(['-', '*', '+'])?.trim_start();
    let sign = text.chars().next().filter(|sign| SQUARES.contains(sign))?;
    let says = text.get(sign.len_utf8()..)?.trim_start_matches(['\u{fe0f}', ' ', '*', '_']).trim_end();
    let is_work = !says.is_empty()
        && !says.starts_with(['=', ':', '-', '–', '—', '→', '|'])
        && state_of(says).is_none();
    is_work.then(|| text.get(..sign.len_utf8()).map(|shown| (line.len() - text.len(), shown)))?
}

/// The box in wide brackets that a list item begins with, `- ［ ］ What is to be done`.
fn wide(line: &str) -> Option<(usize, &str)> {
    let text = after_beginning(line);
    let (within, after) = text.strip_prefix('［')?.split_once('］')?;
    let sign = within.trim();
    let is_done = sign.chars().next().is_some_and(|sign| state_of_sign(sign) == Some(TaskState::Done));
    let is_meant = sign.chars().count() <= 1 && !is_done && !after.trim().is_empty();
    let shown = text.get(..text.len() - after.len())?;
    is_meant.then_some((line.len() - text.len(), shown))
}

/// The word in brackets that a list item begins with in place of a box, `- [BLOCKED: no key] What is to be done`.
fn word_in_brackets(line: &str) -> Option<(usize, &str)> {
    let item = line.trim_start();
    let text = item.strip_prefix(['-', '*', '+'])?.trim_start();
    let (within, after) = text.strip_prefix('[')?.split_once(']')?;
    let is_item = item.len() - text.len() > 1 && ends_box(after) && !after.trim().is_empty();
    (is_item && within.len() >= LONGEST && says_left(within))
        .then(|| text.get(..within.len() + 2).map(|shown| (line.len() - text.len(), shown)))?
}

/// The box whose brackets are written so that they are none, `- \[ \] What is to be done`.
fn escaped(line: &str) -> Option<(usize, &str)> {
    let text = after_beginning(line);
    let (within, after) = text.strip_prefix("\\[")?.split_once("\\]")?;
    let sign = within.trim();
    let is_done = sign.chars().next().is_some_and(|sign| state_of_sign(sign) == Some(TaskState::Done));
    let is_meant = sign.chars().all(is_sign) && sign.chars().count() <= 1 && !is_done;
    let is_box = is_meant && ends_box(after) && !after.trim().is_empty();
    is_box.then(|| text.get(..text.len() - after.len()).map(|shown| (line.len() - text.len(), shown)))?
}

/// A line without what begins a list item, a quote or a heading, or is meant to: `a. `, `• `.
fn after_beginning(line: &str) -> &str {
    let text = line.trim_start_matches(begins_block);
    let mut letters = text.chars();
    let is_lettered = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && matches!(letters.next(), Some('.' | ')'))
        && letters.next().is_some_and(char::is_whitespace);
    if is_lettered { letters.as_str().trim_start() } else { text }
}

fn begins_block(letter: char) -> bool {
    is_blank(letter) || letter.is_ascii_digit() || "-*+>|.)#_•◦‣▪▫●○·–—".contains(letter)
}

/// What a text begins with, brackets and what is between them, where it may be meant for a box that is not ticked.
fn looks_like_box(text: &str) -> Option<&str> {
    let (within, after) = text.strip_prefix('[')?.split_once(']')?;
    let is_short = within.chars().count() <= LONGEST && !within.contains(['\n', '\r', '[']);
    let mut letters = within.chars().filter(|letter| !letter.is_whitespace());
    let (first, second) = (letters.next(), letters.next());
    let is_meant = match first {
        None => !within.is_empty() || ends_box(after),
        Some(sign) if second.is_none() && within.len() == sign.len_utf8() => {
            state_of_sign(sign) != Some(TaskState::Done) && is_sign(sign) && ends_box(after)
        }
        // Two letters are a word: `[ok]`, `[US1]`. So are the dots of what was left out.
        Some(_) => {
            let alphanumeric = || within.chars().filter(|letter| letter.is_alphanumeric());
            alphanumeric().count() <= 1
                && alphanumeric().all(is_sign)
                && !within.starts_with('^')
                && !within.contains('.')
                && ends_box(after)
        }
    };
    (is_short && is_meant).then(|| text.get(..within.len() + 2)).flatten()
}

/// Not the number of a note, nor spec-kit's `[P]` for what may be done beside others.
fn is_sign(sign: char) -> bool {
    !sign.is_numeric() && !matches!(sign, 'P' | '^' | '.' | '…')
}

/// Can a box be over here? A link's text is followed by its target, an index by what it belongs to.
fn ends_box(after: &str) -> bool {
    after
        .chars()
        .next()
        .is_none_or(|next| next.is_whitespace() || matches!(next, '*' | '_' | '|' | '`' | '~'))
}

/// Code and comments that are closed, in their order.
pub(super) fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        let source = text.get(range.clone()).unwrap_or_default();
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) if is_closed_fence(source) => {
                found.push(range);
            }
            Event::Start(Tag::HtmlBlock) => found.extend(
                hidden_in_html(source).map(|inner| range.start + inner.start..range.start + inner.end),
            ),
            // What a page shows as a box is seen there.
            Event::InlineHtml(tag) if tag.starts_with("<input") => {}
            Event::Code(_) | Event::InlineHtml(_) => found.push(range),
            _ => {}
        }
    }
    found
}

/// Where a block of code or a comment begins that hides all the rest of a text, since nothing closes it.
pub(super) fn never_closed(text: &str) -> Option<usize> {
    if !["```", "~~~", "<!--"].iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let end = text.trim_end().len();
    let reaches_end = |range: &Range<usize>| range.end >= end;
    let open = |(event, range): (Event<'_>, Range<usize>)| {
        let source = text.get(range.clone()).unwrap_or_default();
        let is_open = match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => !is_closed_fence(source),
            Event::Start(Tag::HtmlBlock) => {
                source.rfind("<!--").is_some_and(|at| !source.get(at..).unwrap_or_default().contains("-->"))
            }
            _ => false,
        };
        (is_open && reaches_end(&range)).then_some(range.start)
    };
    Parser::new_ext(text, Options::empty()).into_offset_iter().find_map(open)
}

fn is_closed_fence(source: &str) -> bool {
    let lines = source.trim_end().lines();
    let last = lines.skip(1).last().unwrap_or_default().trim_start_matches([' ', '\t', '>']);
    last.starts_with("```") || last.starts_with("~~~")
}

/// Comments, and what is shown as it is written.
const HIDING: [(&str, &str); 4] =
    [("<!--", "-->"), ("<pre", "</pre>"), ("<script", "</script>"), ("<style", "</style>")];

fn hidden_in_html(source: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = source.get(from..)?;
        let opened = HIDING.iter().filter_map(|(open, close)| Some((rest.find(open)?, *close)));
        let (at, close) = opened.min_by_key(|(at, _)| *at)?;
        let end = at + rest.get(at..)?.find(close)? + close.len();
        let found = from + at..from + end;
        from = found.end;
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(usize, String)> {
        find(text, |_| false).into_iter().map(|missed| (missed.line, missed.shown)).collect()
    }

    #[test]
    fn what_looks_like_an_open_box_is_one_wherever_it_stands() {
        for line in [
            "- [] a",
            "- [  ] b",
            "- [o] c",
            "- [v] d",
            "- [x ] e",
            "- [ ]**f**",
            "- **[ ] g**",
            "> - [ ] h",
            "[ ] no bullet",
            "1. [ ]x",
            "### [ ] 1.1 Title",
            "| [ ] | cell |",
            "> | a | [ ] b |",
            "- [--] i",
            "- [?] j",
            "- [ ]: k",
            "\t* [A] l",
            "• [ ] m",
            "– [ ] n",
            "a. [ ] o",
            "  B)\u{a0}[ ] p",
            "\u{a0}- [ ] q",
            "- \\[ \\] r",
            "- \\[~\\] s",
            "- ( ) t",
            "<li><input type=\"checkbox\"> u</li>",
            "- <input type='checkbox' disabled> v",
            "- w: not started",
        ] {
            assert_eq!(shown(&format!("x\r\n{line}\r\n")).len(), 1, "{line}");
        }
        assert_eq!(shown("a\n- [o ] b\n| 1 | [ ] |\n"), [(2, "[o ]".to_owned()), (3, "[ ]".to_owned())]);
    }

    #[test]
    fn what_is_a_tag_a_note_a_link_or_ticked_is_none() {
        for line in [
            "- [x] done",
            "**[X] done**",
            "- [P] beside others",
            "- **[P]**: beside others",
            "[1] a note",
            "[^1]: a note",
            "- [a](b)",
            "[ab]: c",
            "- [US1] story",
            "- [ok] fine",
            "[...]",
            "- [ ab ] c",
            "text [ ] inside",
            "- `[ ]` code",
            "- []byte",
            "- \\[ ] escaped",
            "- \\[x\\] done",
            "- \\[Note\\] d",
            "- (x) e",
            "- () f",
            "<li><input type=\"checkbox\" checked> g</li>",
            "<input type=\"text\"> h",
            "- Status: not started",
            "- `pending`: not started",
            "TODO: i",
            "A long word. [ ] j",
            "- [i][j]",
            "a | [ ] b",
            "[✅] yes",
        ] {
            assert_eq!(shown(line), [], "{line}");
        }
    }

    #[test]
    fn code_and_comments_hide_only_where_they_are_closed() {
        for (open, close) in [
            ("```", "```"),
            ("~~~ md", "~~~"),
            ("<!--", "-->"),
            ("<pre>", "</pre>"),
            ("<div>\n<!--", "-->\n</div>"),
            ("a `", "`"),
        ] {
            let closed = format!("{open}\n- [ ] hidden\n{close}\n\n[ ] seen\n");
            let lines = closed.lines().count();
            // A list item ends a paragraph, and with it code that begins within a line.
            let seen = if open == "a `" { 2 } else { 1 };
            assert_eq!(shown(&closed).len(), seen, "{closed}");
            assert_eq!(shown(&closed).last().map(|(line, _)| *line), Some(lines), "{closed}");
            assert!(!shown(&format!("{open}\n- [ ] seen\n")).is_empty(), "{open}");
        }
        assert_eq!(shown("<details>\n- [ ] folded\n</details>\n").len(), 1);
    }
}
