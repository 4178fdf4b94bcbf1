//! A PRD: goals, requirements, success criteria.

use std::collections::HashMap;

use super::entry::{self, Entry, Requirement, split_id};
use super::{Problem, ProblemKind, Read};
use crate::doc::outline::Outline;
use crate::doc::text::quoted;

const GOALS: [&str; 3] = ["goals", "goal", "objectives"];
const REQUIREMENTS: [&str; 2] = ["requirements", "user stories"];
const CRITERIA: [&str; 3] = ["success criteria", "acceptance criteria", "success metrics"];

pub(super) fn problems(read: &Read) -> Vec<Problem> {
    let mut found = Vec::new();
    let parts = [
        (&GOALS[..], "has no goals: list them below a heading `Goals`"),
        (&REQUIREMENTS[..], "has no requirements: list them below a heading `Requirements`, each as `R1: …`"),
        (&CRITERIA[..], "has no success criteria: list them below a heading `Success criteria`"),
    ];
    for (names, sentence) in parts {
        if listed(&read.outline, names).is_empty() {
            found.push(read.missing(sentence));
        }
    }
    let required = listed(&read.outline, &REQUIREMENTS);
    found.extend(without_words(read, &required));
    found.extend(twice(read, &entry::requirements(&required)));
    found
}

/// What it requires.
pub(super) fn requirements(outline: &Outline) -> Vec<Requirement> {
    entry::requirements(&listed(outline, &REQUIREMENTS))
}

/// What stands below the headings of these names: `Goals`, `Product goals`, `Goals and scope`.
fn listed(outline: &Outline, names: &[&str]) -> Vec<Entry> {
    let is_meant = |title: &str| {
        let is_aside = ["non-goal", "non goal"].iter().any(|aside| title.starts_with(aside));
        !is_aside && names.iter().any(|name| begins(title, name) || title.ends_with(&format!(" {name}")))
    };
    outline.under(is_meant).into_iter().flat_map(entry::entries).collect()
}

/// Does a heading begin with this, as a word?
pub(super) fn begins(title: &str, name: &str) -> bool {
    title.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn without_words<'a>(read: &'a Read, entries: &'a [Entry]) -> impl Iterator<Item = Problem> + 'a {
    let bare = entries.iter().filter_map(|entry| match split_id(&entry.text)? {
        (id, "") if !has_words_below(read, entry.line) => Some((id, entry.line)),
        _ => None,
    });
    bare.map(|(id, line)| {
        read.problem(
            ProblemKind::Empty,
            line,
            format!("the requirement {} does not say what is required", quoted(id)),
        )
    })
}

/// A heading that is only an id may have its words below.
fn has_words_below(read: &Read, line: usize) -> bool {
    let section = read.outline.sections.iter().find(|section| section.line == line && section.level > 0);
    section.is_some_and(|section| section.blocks.iter().any(|block| !block.text.is_empty()))
}

fn twice(read: &Read, requirements: &[Requirement]) -> Vec<Problem> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for Requirement { id, line } in requirements {
        let known = *first.entry(id.to_lowercase()).or_insert(*line);
        if known != *line {
            let sentence = format!("has the id {} of line {known}: give one of them another", quoted(id));
            found.push(read.problem(ProblemKind::SameRequirement, *line, sentence));
        }
    }
    found
}
