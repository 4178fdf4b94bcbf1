//! A task more, as a heading.

use crate::doc::Splice;
use crate::doc::tasks::{CheckedTask, ReadFile, Task};
use crate::doc::text::{line_end, without_mark};

/// After the last task, before what else its file holds.
pub(super) fn add(file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Splice {
    let end = last.map_or(file.text.len(), |last| last.block.end);
    let before = file.text.get(..end).unwrap_or_default();
    let at = before.trim_end().len().max(file.text.len() - without_mark(&file.text).0.len());
    let dependencies =
        if task.dependencies.is_empty() { "none".to_owned() } else { task.dependencies.join(", ") };
    let mut lines = vec![
        format!("### {}: {}", task.id, task.title),
        "- **Status**: pending".to_owned(),
        format!("- **Priority**: {}", task.priority_word),
        format!("- **Dependencies**: {dependencies}"),
    ];
    if !task.description.is_empty() {
        let indented = task.description.replace('\n', "\n  ").replace("\n  \n", "\n\n");
        lines.extend(format!("- **Description**: {indented}").split('\n').map(str::to_owned));
    }
    let end = line_end(&file.text);
    let gap = if before.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        String::new()
    } else {
        end.repeat(2)
    };
    let closed = file.text.get(at..).is_some_and(|rest| rest.starts_with(['\n', '\r']));
    file.put(at, format!("{gap}{}{}", lines.join(end), if closed { "" } else { end }))
}
