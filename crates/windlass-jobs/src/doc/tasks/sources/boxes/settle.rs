//! What a file's tasks are once all of it is read.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use super::{heading, reference};
use crate::doc::tasks::task::Item;
use crate::doc::tasks::{Task, words};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// What is known of a task until all is read.
pub(super) struct Own {
    /// What it names itself.
    pub refs: Vec<String>,
    /// Its section, an index among all.
    pub section: usize,
    /// A heading is not a task with boxes below it.
    pub is_task: bool,
    /// Of a heading: something shows that it is one, not prose with a number.
    pub is_shown: bool,
    /// Of a heading: it is a phase or another step on the way, and a task where nothing else is one.
    pub is_stage: bool,
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

/// Which headings with a number are prose, and no phase that is a task: they stand below no section of phases or tasks, and no field of a task stands below
/// them. Whether they are marked as done shows nothing: what is open again stays what it was. Their lines.
pub(super) fn take_prose(tasks: &[Task], own: &mut [Own]) -> Vec<usize> {
    let boxes: HashSet<String> = tasks.iter().filter(|task| task.is_box()).filter_map(number).collect();
    let is_other = |own: &Own| own.is_task && !own.is_stage;
    let shown = |(task, own): (&Task, &Own)| is_other(own) && (task.is_box() || own.is_shown);
    let has_others = tasks.iter().zip(own.iter()).any(shown);
    let mut prose = Vec::new();
    for (task, own) in tasks.iter().zip(own).filter(|(task, own)| task.is_heading() && own.is_task) {
        let has_box = boxes.contains(&task.row.id.0.to_lowercase());
        if own.is_stage {
            own.is_task = !has_others;
        } else if has_box {
            own.is_task = false;
        } else if !own.is_shown {
            own.is_task = false;
            prose.push(task.line);
        }
    }
    prose
}

/// The number of a box, as two that are the same are.
fn number(task: &Task) -> Option<String> {
    let id = task.id().map(|id| id.0.as_str());
    id.or_else(|| reference::id_of_box(&task.row.title).map(|(id, _)| id)).map(str::to_lowercase)
}

/// Drops the headings that are not tasks, and gives each task its references and its number.
pub(super) fn settle(tasks: Vec<Task>, own: Vec<Own>, sections: &[Arc<[String]>]) -> Vec<Task> {
    let mut settled: Vec<Task> = Vec::with_capacity(tasks.len());
    let is_counted = is_counted(&tasks);
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
        } else if task.is_box()
            && let Some((name, rest)) = reference::name_of_box(&task.row.title)
        {
            (task.row.id, task.row.title) = (TaskId::from(name), rest.to_owned());
        } else if is_counted
            && task.is_box()
            && let Some((count, rest)) = reference::count_of_box(&task.row.title)
        {
            (task.row.id, task.row.title) = (TaskId::from(count), rest.to_owned());
        }
        if let Some(names) = reference::depends_on(&task.row.title) {
            let ids = words::dependencies(names)
                .into_iter()
                .filter(|name| words::is_id(name) || reference::number(name).is_some());
            task.named.extend(ids.map(|name| (name, task.line)));
        }
        if task.is_box()
            && let (Some(level), Some(plan)) = (heading::level_of_box(&task.row.title), &mut task.plan)
        {
            plan.priority = Some(level);
        }
        settled.push(task);
    }
    settled
}

/// Are boxes counted through the whole file, `1.`, `2.`, so that their numbers are ids? Those that begin anew are none.
fn is_counted(tasks: &[Task]) -> bool {
    let mut seen = HashSet::new();
    let boxes = tasks.iter().filter(|task| task.is_box());
    boxes.filter_map(|task| reference::count_of_box(&task.row.title)).all(|(count, _)| seen.insert(count))
}

/// Open boxes whose text says that they are done, or struck out: nobody but a person knows which of the two holds.
pub(super) fn contradicted(tasks: &mut [Task], problems: &mut Vec<Problem>) {
    for task in tasks {
        let is_open_box = task.plan.as_ref().is_some_and(|plan| plan.item == Item::Box)
            && task.row.state == TaskState::Open
            && task.row.unclear.is_none();
        if !is_open_box || !heading::says_done(&task.row.title) {
            continue;
        }
        let sentence = format!(
            "has an open box, and its text says that it is done: tick it, or change the text (`{}`)",
            quoted(&task.row.title)
        );
        task.row.unclear = Some("its box is open and its text says that it is done".to_owned());
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}

/// Phases that are open, and parts of them are marked as done: nobody but a person knows how far they are. `text` is the file's,
/// without so many bytes at its beginning.
pub(super) fn half_marked(tasks: &mut [Task], text: &str, base: usize, problems: &mut Vec<Problem>) {
    let is_open_stage = |task: &&mut Task| {
        task.is_heading() && task.row.state == TaskState::Open && heading::is_stage(&task.row.id.0)
    };
    for task in tasks.iter_mut().filter(is_open_stage) {
        let block = task.block.start.saturating_sub(base)..task.block.end.saturating_sub(base);
        if !text.get(block).is_some_and(heading::is_done) {
            continue;
        }
        let sentence = format!(
            "has no mark, and parts of it are marked as done: write a box for each part, or `✅` behind `{}`",
            quoted(&task.row.title)
        );
        task.row.unclear = Some("parts of it are marked as done".to_owned());
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}
