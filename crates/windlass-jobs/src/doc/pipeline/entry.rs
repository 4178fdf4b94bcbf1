//! What a part of a document lists, and what of it has an id.

use crate::doc::outline::{Block, BlockKind, Section};
use crate::doc::tasks::is_id;

/// One thing that is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub text: String,
    pub line: usize,
}

/// What a PRD requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    /// As it is written (`R1`, `FR-2`); by its place in the list where it has none.
    pub id: String,
    pub line: usize,
}

/// What stands under a heading: the headings below it that have an id, and the items of lists and rows of tables elsewhere; else
/// all headings below it; else its paragraphs.
pub(super) fn entries(group: &[Section]) -> Vec<Entry> {
    let (own, below) = group.split_first().map_or((None, group), |(own, below)| (Some(own), below));
    let mut listed: Vec<Entry> = own.into_iter().flat_map(|own| items(&own.blocks)).collect();
    for section in below {
        match split_id(&section.title) {
            Some(_) => listed.push(Entry { text: section.title.clone(), line: section.line }),
            None => listed.extend(items(&section.blocks)),
        }
    }
    if listed.is_empty() {
        let headings = below.iter().filter(|section| !section.title.is_empty());
        listed.extend(headings.map(|section| Entry { text: section.title.clone(), line: section.line }));
    }
    if listed.is_empty() {
        let paragraphs = own.into_iter().flat_map(|own| &own.blocks);
        let paragraphs = paragraphs.filter(|block| block.kind == BlockKind::Paragraph);
        listed.extend(paragraphs.map(|block| Entry { text: block.text.clone(), line: block.line }));
    }
    listed
}

/// The outermost items.
fn items(blocks: &[Block]) -> impl Iterator<Item = Entry> + '_ {
    let items = blocks.iter().filter(|block| block.kind == BlockKind::Item(1) && !block.text.is_empty());
    items.map(|block| Entry { text: block.text.clone(), line: block.line })
}

/// Requirements as they are listed.
pub(super) fn requirements(entries: &[Entry]) -> Vec<Requirement> {
    let id = |at: usize, entry: &Entry| match split_id(&entry.text) {
        Some((id, _)) => id.to_owned(),
        None => format!("R{}", at + 1),
    };
    entries
        .iter()
        .enumerate()
        .map(|(at, entry)| Requirement { id: id(at, entry), line: entry.line })
        .collect()
}

/// An id at the beginning of a text, and what comes after it: `R1: it runs`, `[FR-2] it runs`, `NFR-3 - it runs`.
pub(super) fn split_id(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(['[', '(', '#', ' ']);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (id, rest) = text.split_at_checked(end)?;
    let (id, rest) = (id.trim_end_matches(['-', '_']), rest.trim_start_matches([']', ')']));
    let after = rest.trim_start();
    let is_over = rest.is_empty()
        || [":", ". ", ")"].iter().any(|sign| rest.starts_with(sign))
        || ["- ", "– ", "— ", ": "].iter().any(|sign| after.starts_with(sign))
        || rest.len() < text.len() - id.len();
    let words = after.trim_start_matches([':', '.', ')', '-', '–', '—', ' ']);
    (is_over && is_id(id)).then_some((id, words))
}

/// Is this id named in a text, by itself and not as a part of another?
pub(super) fn names(text: &str, id: &str) -> bool {
    let (text, id) = (text.to_ascii_lowercase(), id.to_ascii_lowercase());
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(&id).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + found.len()..).unwrap_or_default();
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
