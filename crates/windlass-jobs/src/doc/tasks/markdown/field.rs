//! Fields: `- **Status**: pending`.

use std::ops::Range;

/// A field as it was read.
#[derive(Debug)]
pub(super) struct Field {
    pub name: FieldName,
    pub line: usize,
    /// Where its name begins, the stars included.
    pub start: usize,
    /// Its value's source.
    pub value: Range<usize>,
    /// Its value without markup, lines as lines.
    pub text: String,
}

/// The fields that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldName {
    Status,
    Priority,
    Dependencies,
    Description,
    Verification,
    Type,
    Breaking,
    Protected,
}

impl FieldName {
    /// By its name in any case.
    pub(super) fn read(name: &str) -> Option<FieldName> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        Some(match name.as_str() {
            "status" => FieldName::Status,
            "priority" => FieldName::Priority,
            "dependencies" | "dependency" | "depends on" | "depends" => FieldName::Dependencies,
            "description" => FieldName::Description,
            "verification" => FieldName::Verification,
            "type" => FieldName::Type,
            "breaking" | "breaking change" => FieldName::Breaking,
            "protected" => FieldName::Protected,
            _ => return None,
        })
    }

    /// As it is called in a sentence.
    pub(super) const fn word(self) -> &'static str {
        match self {
            FieldName::Status => "status",
            FieldName::Priority => "priority",
            FieldName::Dependencies => "dependencies",
            FieldName::Description => "description",
            FieldName::Verification => "verification",
            FieldName::Type => "type",
            FieldName::Breaking => "breaking change",
            FieldName::Protected => "protected files",
        }
    }
}
