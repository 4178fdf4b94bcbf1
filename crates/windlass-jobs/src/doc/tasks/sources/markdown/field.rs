//! Fields: `- **Status**: pending`.

use std::ops::Range;

use crate::doc::tasks::status::Status;
use crate::doc::tasks::stuck::is_stuck_title;
use crate::doc::tasks::words::{self, DEPENDENCY_NAMES};
use crate::doc::text::one_line;

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
    /// The colon after its name has not been seen.
    pub awaits_colon: bool,
}

impl Field {
    /// Has it been said what it holds, and takes that no more than a line? The others may hold sentences.
    pub(super) fn is_said_in_its_line(&self) -> bool {
        let is_short = matches!(
            self.name,
            FieldName::Status
                | FieldName::Priority
                | FieldName::Dependencies
                | FieldName::Type
                | FieldName::Agent
                | FieldName::Requires
                | FieldName::Complexity
        );
        is_short && !self.text.trim().is_empty()
    }
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
    Agent,
    Requires,
    Protected,
    Files,
    Complexity,
    Criteria,
}

/// How each is called in a sentence, and how it may be called in a file.
const NAMES: [(FieldName, &str, &[&str]); 13] = [
    (FieldName::Status, "status", &["status", "state"]),
    (FieldName::Priority, "priority", &["priority"]),
    (FieldName::Dependencies, "dependencies", DEPENDENCY_NAMES),
    (FieldName::Description, "description", &["description"]),
    (FieldName::Verification, "verification", &["verification"]),
    (FieldName::Type, "type", &["type"]),
    (FieldName::Breaking, "breaking change", &["breaking", "breaking change"]),
    (FieldName::Agent, "agent", &["agent"]),
    (FieldName::Requires, "requirements", &["requires"]),
    (FieldName::Protected, "protected files", &["protected"]),
    (FieldName::Files, "files", &["files", "file"]),
    (FieldName::Complexity, "complexity", &["complexity"]),
    (FieldName::Criteria, "success criteria", &["success criteria", "acceptance criteria", "criteria"]),
];

impl FieldName {
    /// By its name in any case.
    pub(super) fn read(name: &str) -> Option<FieldName> {
        let name = one_line(name).to_lowercase();
        NAMES.iter().find(|(.., names)| names.contains(&name.as_str())).map(|(field, ..)| *field)
    }

    /// Is a heading with an id a task where it has this? What other documents say of their headings as well proves nothing.
    pub(super) const fn proves_task(self) -> bool {
        !matches!(
            self,
            FieldName::Agent
                | FieldName::Requires
                | FieldName::Files
                | FieldName::Complexity
                | FieldName::Criteria
        )
    }

    /// The field that a line begins with although its name is not bold, and how long name and colon are. Only what can hardly be
    /// prose is one.
    pub(super) fn plain(line: &str) -> Option<(FieldName, usize)> {
        let (name, _) = line
            .get(..line.len().min(20))
            .or_else(|| line.get(..line.char_indices().take(12).map(|(at, _)| at).last()?))?
            .split_once(':')?;
        let field = FieldName::read(name)?;
        let is_sure = matches!(field, FieldName::Status | FieldName::Priority | FieldName::Dependencies);
        (is_sure && !name.eq_ignore_ascii_case("state")).then_some((field, name.len() + 1))
    }

    /// The field that a row of a table is, `| **Status** | done |`, where it is surely one, and where its value stands in the line.
    /// What tables say of other things, `| Status | what it means |`, is none.
    pub(super) fn row(line: &str) -> Option<(FieldName, Range<usize>)> {
        let inner = line.trim_end().strip_prefix('|')?.strip_suffix('|')?;
        let (name, value) = inner.split_once('|').filter(|(_, value)| !value.contains('|'))?;
        let is_around = |letter: char| letter.is_whitespace() || matches!(letter, '*' | '_' | '`' | ':');
        let field = FieldName::read(name.trim_matches(is_around))?;
        let text = value.trim();
        let is_sure = match field {
            FieldName::Status => matches!(Status::read(text), Status::Known(..)) || is_stuck_title(text),
            FieldName::Priority => words::priority(text).is_some(),
            FieldName::Dependencies => {
                let names = words::dependencies(text);
                words::is_none(text) || (!names.is_empty() && names.iter().all(|name| words::is_id(name)))
            }
            _ => false,
        };
        let start = 1 + name.len() + 1 + value.len() - value.trim_start().len();
        is_sure.then_some((field, start..start + text.len()))
    }

    /// As it is called in a sentence.
    pub(super) fn word(self) -> &'static str {
        NAMES.iter().find(|(field, ..)| *field == self).map_or("", |(_, word, _)| word)
    }
}
