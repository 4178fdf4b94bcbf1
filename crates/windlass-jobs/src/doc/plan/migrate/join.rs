//! Many files become one.

use std::ops::Range;

use super::super::Plan;
use super::outline::{Part, parts};
use crate::doc::tasks::sources::heading;
use crate::doc::tasks::{FileRole, ReadFile};

/// Sections of a `README.md` that say what the files say themselves.
const DERIVED: [&str; 2] = ["status overview", "current focus"];

pub(super) fn join(plan: &Plan) -> String {
    let text = |file: &&ReadFile| file.text.trim_start_matches('\u{feff}').trim_end().to_owned();
    let index = plan.contents.files.iter().find(|file| file.role == FileRole::Index);
    let (preface, across) = index.map_or_else(Default::default, |file| divide(&file.text));
    let features = plan.contents.files.iter().filter(|file| file.role == FileRole::Part);
    let all = std::iter::once(preface).chain(features.map(|file| text(&file))).chain(std::iter::once(across));
    let all: Vec<String> =
        all.filter(|text| !text.trim().is_empty()).map(|text| text.trim_end().to_owned()).collect();
    let end = if all.iter().any(|text| text.contains("\r\n")) { "\r\n" } else { "\n" };
    all.join(&[end, end].concat()) + end
}

/// A `README.md` without what is derived and without what cuts across; and the latter, its heading of level 1 so that it is
/// no part of the feature before it.
fn divide(text: &str) -> (String, String) {
    let (mut preface, mut across) = (String::new(), String::new());
    for section in sections(text) {
        let source = text.get(section.range.clone()).unwrap_or_default();
        if section.across {
            let rest = text.get(section.heading_end..section.range.end).unwrap_or_default();
            across.push_str("# ");
            across.push_str(section.title);
            across.push_str(rest);
        } else if !(section.derived
            && only_derived(text.get(section.heading_end..section.range.end).unwrap_or_default()))
        {
            preface.push_str(source);
        }
    }
    (preface, across)
}

struct Section<'a> {
    range: Range<usize>,
    heading_end: usize,
    title: &'a str,
    across: bool,
    derived: bool,
}

/// What stands before the first heading, and then each heading with what stands below it. Headings below a cross-cutting
/// one belong to it.
fn sections(text: &str) -> Vec<Section<'_>> {
    let begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut found =
        vec![Section { range: begin..begin, heading_end: begin, title: "", across: false, derived: false }];
    let mut across_level = None;
    for part in parts(text, &[]) {
        let Part::Heading(level, range) = part else { continue };
        if let Some(last) = found.last_mut() {
            last.range.end = range.start;
        }
        if across_level.is_some_and(|across| level > across) {
            if let Some(last) = found.last_mut() {
                last.range.end = text.len();
            }
            continue;
        }
        let title = text.get(range.clone()).unwrap_or_default().trim().trim_matches('#').trim();
        let read = heading::read(title);
        across_level = read.cross_cutting.then_some(level);
        let derived = DERIVED.iter().any(|name| title.eq_ignore_ascii_case(name));
        let across = read.cross_cutting;
        found.push(Section {
            range: range.start..text.len(),
            heading_end: range.end,
            title,
            across,
            derived,
        });
    }
    if let Some(last) = found.last_mut() {
        last.range.end = text.len();
    }
    found
}

/// Is there nothing but a table or the active feature?
fn only_derived(body: &str) -> bool {
    let derived = |line: &str| line.is_empty() || line.starts_with('|') || line.starts_with("**Active:**");
    body.lines().all(|line| derived(line.trim()))
}
