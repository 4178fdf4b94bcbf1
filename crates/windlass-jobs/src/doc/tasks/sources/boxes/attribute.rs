//! Lines that say something of a task: `Dependencies: 1.1, 1.2`, `**Complexity:** low`.

use crate::doc::tasks::words::{DEPENDENCY_NAMES, is_none};

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Dependencies,
    Complexity,
    Files,
    Refs,
}

const NAMES: [(Attribute, &[&str]); 4] = [
    (Attribute::Dependencies, DEPENDENCY_NAMES),
    (Attribute::Complexity, &["complexity"]),
    (Attribute::Files, &["file", "files"]),
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
