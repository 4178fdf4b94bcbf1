//! The schedule against tables and against an oracle that computes everything anew.

mod oracle;
mod tables;

use crate::values::{TaskRow, TaskState};

/// `id < dependencies ! priority`, in progress with `~`, done with `x`, unclear with `?`: `~ B < A, C ! 1`.
pub(super) fn row(text: &str) -> TaskRow {
    let (text, priority) = text.split_once('!').unwrap_or((text, "2"));
    let (head, dependencies) = text.split_once('<').unwrap_or((text, ""));
    let head = head.trim();
    let (state, id) = match head.split_once(' ') {
        Some(("~", id)) => (TaskState::InProgress, id),
        Some(("x", id)) => (TaskState::Done, id),
        Some(("?", id)) => (TaskState::Open, id),
        _ => (TaskState::Open, head),
    };
    TaskRow {
        id: id.trim().into(),
        title: format!("Task {id}"),
        state,
        priority: priority.trim().parse().unwrap(),
        dependencies: dependencies
            .split(',')
            .map(str::trim)
            .filter(|id| !id.is_empty())
            .map(Into::into)
            .collect(),
        unclear: head.starts_with('?').then(|| "it has no status".to_owned()),
        ..TaskRow::default()
    }
}

pub(super) fn rows(texts: &[&str]) -> Vec<TaskRow> {
    texts.iter().map(|text| row(text)).collect()
}
