//! What a column of a table holds, by its head.

use crate::doc::tasks::words::DEPENDENCY_NAMES;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Title,
    Status,
    Dependencies,
    Priority,
    Files,
    Verification,
    Criteria,
    Complexity,
    Other,
}

const NAMES: [(Column, &[&str]); 8] = [
    (Column::Id, &["id", "#", "no", "no.", "nr", "nr.", "task id", "task #", "ticket", "key"]),
    (Column::Title, &["title", "task", "name", "description", "summary", "what", "feature", "item", "story"]),
    (Column::Status, &["status", "state", "done", "progress"]),
    (Column::Priority, &["priority", "prio"]),
    (Column::Files, &["file", "files"]),
    (Column::Verification, &["verify", "verification", "test"]),
    (Column::Criteria, &["acceptance", "acceptance criteria", "success criteria", "done when"]),
    (Column::Complexity, &["complexity", "size"]),
];

/// What the column below this head holds.
pub(super) fn read(head: &str) -> Column {
    let bare =
        head.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '`' | '_' | ':'));
    let name = bare.to_lowercase().replace(['-', '_'], " ");
    let is_dependency = DEPENDENCY_NAMES.contains(&name.as_str());
    let known = NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(column, _)| *column);
    known.unwrap_or(if is_dependency { Column::Dependencies } else { Column::Other })
}
