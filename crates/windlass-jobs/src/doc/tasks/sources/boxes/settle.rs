//! What a file's tasks are once all of it is read.

use std::sync::Arc;

use windlass_core::values::TaskId;

use super::reference;
use crate::doc::tasks::Task;

/// What is known of a task until all is read.
pub(super) struct Own {
    /// What it names itself.
    pub refs: Vec<String>,
    /// Its section, an index among all.
    pub section: usize,
    /// A heading is not a task with boxes below it.
    pub is_task: bool,
}

/// What each section names, or else the one around it.
pub(super) fn section_refs(sections: &[(Option<usize>, Vec<String>)]) -> Vec<Arc<[String]>> {
    let mut settled: Vec<Arc<[String]>> = Vec::with_capacity(sections.len());
    for (around, refs) in sections {
        let around = around.and_then(|index| settled.get(index)).filter(|_| refs.is_empty());
        let refs = around.cloned().unwrap_or_else(|| refs.as_slice().into());
        settled.push(refs);
    }
    settled
}

/// Drops the headings that are not tasks, and gives each task its references and its number.
pub(super) fn settle(tasks: Vec<Task>, own: Vec<Own>, sections: &[Arc<[String]>]) -> Vec<Task> {
    let mut settled: Vec<Task> = Vec::with_capacity(tasks.len());
    let mut places = Vec::with_capacity(tasks.len());
    for (mut task, own) in tasks.into_iter().zip(own) {
        places.push(settled.len());
        if !own.is_task {
            continue;
        }
        task.parent = task.parent.and_then(|parent| places.get(parent)).copied();
        task.refs = match task.parent.and_then(|parent| settled.get(parent)) {
            _ if !own.refs.is_empty() => own.refs.into(),
            Some(parent) => parent.refs.clone(),
            None => sections.get(own.section).cloned().unwrap_or_default(),
        };
        if task.is_box()
            && let Some((id, rest)) = reference::id_of_box(&task.row.title)
        {
            (task.row.id, task.row.title) = (TaskId::from(id), rest.to_owned());
        }
        settled.push(task);
    }
    settled
}
