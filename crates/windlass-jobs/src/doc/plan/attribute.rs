//! Lines that say something of a task: `Dependencies: 1.1, 1.2`, `**Complexity:** low`.

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute<'a> {
    Dependencies(&'a str),
    Complexity(&'a str),
    Files(&'a str),
    Refs(&'a str),
}

/// The attribute that a line is, its text without emphasis.
pub(super) fn read(line: &str) -> Option<Attribute<'_>> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim();
    let value = value.trim();
    let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is(&["dependencies", "dependency", "depends on"]) {
        Some(Attribute::Dependencies(value))
    } else if is(&["complexity"]) {
        Some(Attribute::Complexity(value))
    } else if is(&["file", "files"]) {
        Some(Attribute::Files(value))
    } else if is(&["refs", "ref", "references", "spec", "specs"]) {
        Some(Attribute::Refs(value))
    } else {
        None
    }
}

/// The parts of a list with commas or semicolons; none for `none`.
pub(super) fn list(value: &str) -> impl Iterator<Item = &str> {
    value
        .split([',', ';'])
        .map(|part| part.trim().trim_matches(['`', '[', ']']).trim().trim_end_matches('.'))
        .filter(|part| !part.is_empty() && !is_none(part))
}

fn is_none(part: &str) -> bool {
    ["none", "n/a", "nothing", "-", "–", "—"].iter().any(|none| part.eq_ignore_ascii_case(none))
}
