//! Lines that say something of a task: `Dependencies: 1.1, 1.2`, `**Complexity:** low`.

use pulldown_cmark::HeadingLevel;

use super::reader::{MOST_NAMED, Reader};
use super::settle::Step;
use crate::doc::tasks::words::{DEPENDENCY_NAMES, is_none};
use crate::doc::tasks::{Complexity, Task};

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Dependencies,
    Complexity,
    Files,
    Refs,
    Status,
}

const NAMES: [(Attribute, &[&str]); 5] = [
    (Attribute::Dependencies, DEPENDENCY_NAMES),
    (Attribute::Complexity, &["complexity"]),
    (Attribute::Files, &["file", "files"]),
    (Attribute::Status, &["status"]),
    (Attribute::Refs, &["refs", "ref", "references", "spec", "specs"]),
];

/// The attribute that a line is, its text without emphasis, and its value.
pub(super) fn read(line: &str) -> Option<(Attribute, &str)> {
    let (name, value) = line.split_once(':')?;
    let is = |known: &&str| name.trim().eq_ignore_ascii_case(known);
    let (attribute, _) = NAMES.iter().find(|(_, names)| names.iter().any(is))?;
    Some((*attribute, value.trim()))
}

/// The parts of a list with commas or semicolons; none for `none`.
pub(super) fn list(value: &str) -> impl Iterator<Item = &str> {
    value
        .split([',', ';'])
        .map(|part| part.trim().trim_matches(['`', '[', ']']).trim().trim_end_matches('.'))
        .filter(|part| !part.is_empty() && !is_none(part))
}

impl Reader<'_> {
    /// Takes in what a line says of a task, or of what stands below a heading.
    pub(super) fn attribute(
        &mut self,
        target: Option<usize>,
        attribute: Attribute,
        (value, line): (&str, usize),
    ) {
        if attribute == Attribute::Refs {
            return self.add_refs(target, list(value));
        }
        if let Some(own) = target.and_then(|index| self.own.get_mut(index)) {
            own.is_shown = own.step != Step::Stage;
        }
        if target.is_none() && attribute == Attribute::Dependencies {
            return self.section_waits(value, line);
        }
        let Some(task) = target.and_then(|index| self.tasks.get_mut(index)) else { return };
        let texts = |known: usize| list(value).take(MOST_NAMED.saturating_sub(known)).map(str::to_owned);
        match attribute {
            Attribute::Dependencies => {
                task.named.extend(texts(task.named.len()).map(|name| (name, line)));
            }
            Attribute::Files => task.touches.extend(texts(task.touches.len())),
            Attribute::Complexity => task.complexity = Complexity::read(value).or(task.complexity),
            Attribute::Refs | Attribute::Status => {}
        }
    }

    /// What is said of a section, and not of the whole file, holds for all that stands in it.
    fn section_waits(&mut self, value: &str, line: usize) {
        if self.headings.last().is_none_or(|heading| heading.level == HeadingLevel::H1) {
            return;
        }
        if let Some(section) = self.open_sections.last().and_then(|index| self.sections.get_mut(*index)) {
            let room = MOST_NAMED.saturating_sub(section.named.len());
            section.named.extend(list(value).take(room).map(|name| (name.to_owned(), line)));
        }
    }

    /// What a heading names holds for its whole section.
    pub(super) fn add_refs<'t>(&mut self, target: Option<usize>, refs: impl Iterator<Item = &'t str>) {
        let is_box = |index: &usize| self.tasks.get(*index).is_some_and(Task::is_box);
        let own = target.filter(is_box).and_then(|index| self.own.get_mut(index)).map(|own| &mut own.refs);
        let section = self.open_sections.last().and_then(|index| self.sections.get_mut(*index));
        if let Some(list) = own.or(section.map(|section| &mut section.refs)) {
            let room = MOST_NAMED.saturating_sub(list.len());
            list.extend(refs.take(room).map(str::to_owned));
        }
    }
}
