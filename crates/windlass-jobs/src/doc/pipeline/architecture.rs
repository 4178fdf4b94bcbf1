//! An architecture: components with their files, the file structure, technical decisions; and which requirement is met where.

use super::entry::{Requirement, entries, names, split_id};
use super::path::{Misplaced, misplaced, of_block};
use super::prd::begins;
use super::{Problem, ProblemKind, Read};
use crate::doc::outline::{Block, BlockKind, Section};
use crate::doc::text::quoted;

const COMPONENTS: [&str; 3] = ["components", "modules", "component"];
const STRUCTURE: [&str; 5] =
    ["file structure", "folder structure", "directory structure", "project structure", "file layout"];
const DECISIONS: [&str; 6] = [
    "technical decisions",
    "technical choices",
    "technology decisions",
    "tech decisions",
    "design decisions",
    "decisions",
];

pub(super) fn problems(read: &Read, requirements: &[Requirement]) -> Vec<Problem> {
    let components = components(read);
    let mut found: Vec<Problem> = components.iter().flat_map(|component| component.problems(read)).collect();
    if components.is_empty() {
        found.push(read.missing(
            "has no components: list them below a heading `Components`, each with a heading of its own and its files",
        ));
    }
    if !has_something(read, &STRUCTURE) {
        found.push(read.missing("has no file structure: show it below a heading `File structure`"));
    }
    if part(read, &DECISIONS).iter().all(|group| entries(group).is_empty()) {
        found.push(
            read.missing("has no technical decisions: list them below a heading `Technical decisions`"),
        );
    }
    found.extend(unmet(read, requirements));
    found.extend(unknown(read, requirements));
    found
}

/// A component, and what is said of it.
struct Component<'a> {
    name: String,
    line: usize,
    blocks: Vec<&'a Block>,
}

impl Component<'_> {
    fn problems(&self, read: &Read) -> Vec<Problem> {
        let name = quoted(&self.name);
        let files: Vec<(String, usize)> = self.blocks.iter().flat_map(|block| of_block(block)).collect();
        if files.is_empty() {
            let sentence = format!("the component {name} names no file: add a line `Files: path, path`");
            return vec![read.problem(ProblemKind::MissingPart, self.line, sentence)];
        }
        let outside = files.iter().filter_map(|(file, line)| Some((file, line, misplaced(file)?)));
        outside
            .map(|(file, line, Misplaced(why))| {
                let sentence = format!("the component {name} names the file {}, which {why}", quoted(file));
                read.problem(ProblemKind::OutsideProject, *line, sentence)
            })
            .collect()
    }
}

fn part<'a>(read: &'a Read, names: &[&str]) -> Vec<&'a [Section]> {
    read.outline
        .under(|title| names.iter().any(|name| begins(title, name) || title.ends_with(&format!(" {name}"))))
}

fn has_something(read: &Read, names: &[&str]) -> bool {
    part(read, names)
        .into_iter()
        .flatten()
        .any(|section| section.blocks.iter().any(|block| !block.text.trim().is_empty()))
}

/// Those with headings of their own, of the highest level there is; else the items of the list.
fn components(read: &Read) -> Vec<Component<'_>> {
    part(read, &COMPONENTS).into_iter().flat_map(of_group).collect()
}

fn of_group(group: &[Section]) -> Vec<Component<'_>> {
    let Some((own, below)) = group.split_first() else { return Vec::new() };
    let Some(level) = below.iter().map(|section| section.level).min() else { return of_items(&own.blocks) };
    let mut found: Vec<Component<'_>> = Vec::new();
    for section in below {
        if section.level == level {
            found.push(Component { name: section.title.clone(), line: section.line, blocks: Vec::new() });
        }
        if let Some(component) = found.last_mut() {
            component.blocks.extend(&section.blocks);
        }
    }
    found
}

fn of_items(blocks: &[Block]) -> Vec<Component<'_>> {
    let mut found: Vec<Component<'_>> = Vec::new();
    for block in blocks {
        if block.kind == BlockKind::Item(1) && !block.text.is_empty() {
            let name = block.text.split([':', '—', '–']).next().unwrap_or_default().trim().to_owned();
            found.push(Component { name, line: block.line, blocks: Vec::new() });
        }
        if let Some(component) = found.last_mut() {
            component.blocks.push(block);
        }
    }
    found
}

/// Requirements that nothing of the document names.
fn unmet(read: &Read, requirements: &[Requirement]) -> Vec<Problem> {
    let is_named = |id: &str| {
        read.outline.sections.iter().any(|section| {
            names(&section.title, id) || section.blocks.iter().any(|block| names(&block.text, id))
        })
    };
    let unmet = requirements.iter().filter(|requirement| !is_named(&requirement.id));
    let sentence = |id: &str| {
        format!(
            "does not say where the requirement {} is met: name it in a line `Requirements: …`",
            quoted(id)
        )
    };
    unmet
        .map(|requirement| Problem {
            kind: ProblemKind::UnnamedRequirement,
            file: read.name.clone(),
            line: None,
            sentence: sentence(&requirement.id),
        })
        .collect()
}

/// Ids in lines `Requirements: R1, R9` that the PRD does not have.
fn unknown(read: &Read, requirements: &[Requirement]) -> Vec<Problem> {
    let blocks = read.outline.sections.iter().flat_map(|section| &section.blocks);
    let lines = blocks.filter_map(|block| {
        let (label, ids) = block.text.split_once(':')?;
        let is_label = label.trim().eq_ignore_ascii_case("requirements")
            || label.trim().eq_ignore_ascii_case("requirement");
        is_label.then_some((ids, block.line))
    });
    let mut found = Vec::new();
    for (ids, line) in lines {
        for id in ids.split([',', ';', ' ']).filter_map(|word| split_id(word.trim_end_matches('.'))) {
            if !requirements.iter().any(|known| known.id.eq_ignore_ascii_case(id.0)) {
                let sentence = format!("refers to the requirement {}, which is not in the PRD", quoted(id.0));
                found.push(read.problem(ProblemKind::UnknownRequirement, line, sentence));
            }
        }
    }
    found
}
