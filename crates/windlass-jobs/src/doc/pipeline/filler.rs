//! Documents that only look like some: empty, cut off, or the form itself with nothing filled in.

use super::{Problem, ProblemKind, Read};
use crate::doc::outline::{Block, BlockKind};
use crate::doc::text::quoted;

/// What people and agents write where they mean to write something later.
const LATER: [&str; 4] = ["todo", "tbd", "fixme", "xxx"];

/// What nobody means.
const FILLING: [&str; 2] = ["lorem ipsum", "your text here"];

pub(super) fn problems(read: &Read) -> Vec<Problem> {
    if read.outline.is_empty() {
        let sentence =
            if read.outline.sections.is_empty() { "is empty" } else { "has headings and nothing below them" };
        return vec![Problem {
            kind: ProblemKind::Empty,
            file: read.name.clone(),
            line: None,
            sentence: sentence.to_owned(),
        }];
    }
    let blocks = read.outline.sections.iter().flat_map(|section| &section.blocks);
    let held = blocks.filter(|block| block.kind != BlockKind::Code && is_placeholder(&block.text));
    let placeholders = held.map(|block| {
        let sentence = format!(
            "`{}` stands for something that is not there: say it, or leave the line out",
            quoted(&block.text)
        );
        read.problem(ProblemKind::Placeholder, block.line, sentence)
    });
    placeholders.chain(cut_off(read)).collect()
}

/// Is nothing said here? `TODO: ask Bob` and `<what it does>` say nothing; `TODO lists are kept in a file` does.
pub(in crate::doc) fn is_placeholder(text: &str) -> bool {
    let words = without_label(text.trim().trim_start_matches("[ ]").trim());
    let lower = words.to_lowercase();
    if FILLING.iter().any(|filling| lower.contains(filling)) {
        return true;
    }
    let bare = words.trim_matches(['*', '_', '`', '(', ')']);
    let within = |open, close| {
        let inner: Option<&str> = bare.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inner.filter(|inner| !inner.contains([open, close]) && inner.contains(char::is_alphabetic))
    };
    // One word in brackets may be an id, a link, a box.
    let are_words = |open, close| within(open, close).is_some_and(|inner| inner.trim().contains(' '));
    let is_dots = !bare.is_empty() && bare.chars().all(|letter| matches!(letter, '.' | '…' | ' '));
    is_dots
        || within('<', '>').is_some()
        || are_words('[', ']')
        || are_words('{', '}')
        || is_later(words)
        || is_later(text.trim())
}

/// In capital letters, and then nothing or what is still to be done about it.
fn is_later(words: &str) -> bool {
    let words = words.trim_start_matches(['[', '(', '*', '_', '<']);
    LATER.iter().any(|later| {
        let Some((first, rest)) = words.split_at_checked(later.len()) else { return false };
        let rest = rest.trim_start_matches([']', ')', '*', '_', '>']);
        first == later.to_uppercase() && (rest.trim().is_empty() || rest.starts_with([':', '.', '…', '!']))
    })
}

/// What comes after an id or a bold name: `R1: <what it does>`.
fn without_label(text: &str) -> &str {
    match text.split_once(": ") {
        Some((label, rest)) if label.split_whitespace().count() <= 3 && !rest.trim().is_empty() => {
            rest.trim()
        }
        _ => text,
    }
}

/// Why it is seen to be cut off.
fn cut_off(read: &Read) -> Option<Problem> {
    let problem = |line, sentence: String| Some(read.problem(ProblemKind::CutOff, line, sentence));
    if let Some(line) = read.outline.open_fence {
        return problem(
            line,
            "the code that begins here is never closed: the document is cut off, or lacks a fence".to_owned(),
        );
    }
    let last = read.outline.sections.last()?;
    let Some(Block { kind, text, line, .. }) = last.blocks.last() else {
        let sentence =
            format!("ends with the heading `{}` and nothing below it: write the rest", quoted(&last.title));
        return problem(last.line, sentence);
    };
    let ends_amid =
        text.trim_end().ends_with([',', ':', ';', '(', '…', '&']) || text.trim_end().ends_with("...");
    let is_cut = *kind != BlockKind::Code && (ends_amid || text.trim().is_empty());
    is_cut.then(|| {
        read.problem(
            ProblemKind::CutOff,
            *line,
            "ends in the middle of a sentence: write the rest".to_owned(),
        )
    })
}
