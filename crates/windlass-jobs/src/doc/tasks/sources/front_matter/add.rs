//! A task more, in a file of its own.

use std::sync::Arc;

use crate::doc::Splice;
use crate::doc::tasks::{CheckedTask, ReadFile};
use crate::doc::text::line_end;

/// A file of its own, beside the others.
pub(super) fn add(file: &ReadFile, task: &CheckedTask) -> Splice {
    let end = line_end(&file.text);
    let folder = file.name.rfind(['/', '\\']).and_then(|at| file.name.get(..=at)).unwrap_or_default();
    let mut lines = vec![
        "---".to_owned(),
        format!("id: {}", task.id),
        format!("title: {}", serde_json::to_string(&task.title).unwrap_or_default()),
        "status: pending".to_owned(),
        format!("priority: {}", task.priority_word),
        format!("dependencies: [{}]", task.dependencies.join(", ")),
        "---".to_owned(),
    ];
    if !task.description.is_empty() {
        lines.push(String::new());
        lines.extend(task.description.split('\n').map(str::to_owned));
    }
    let name: Arc<str> = Arc::from(format!("{folder}{}.md", task.id));
    Splice { file: name, range: 0..0, text: lines.join(end) + end }
}
