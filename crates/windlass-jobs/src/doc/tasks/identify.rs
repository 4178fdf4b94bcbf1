//! Ids for tasks of a form that may have none: a box is called by its number, or else by its line.

use std::collections::{HashMap, HashSet};

use windlass_core::values::{TaskId, TaskRow};

use super::file::Contents;
use super::sources::reference;
use super::task::Task;
use super::words;

/// Gives every task an id of its own, and spells dependencies as the ids of the tasks that they mean. What names neither an id nor
/// the text of a task is a remark.
pub(super) fn identify(contents: &mut Contents) {
    let Contents { files, tasks, .. } = contents;
    let is_section = |number: &String| files.iter().any(|file| file.about.sections.contains(number));
    let mut seen = HashSet::with_capacity(tasks.len());
    for task in tasks.iter_mut() {
        let number = task.row.id.0.clone();
        if number.is_empty() || !seen.insert(number.to_lowercase()) {
            task.row.id = TaskId(format!("L{}", task.line));
            let title = format!("{number} {}", task.row.title);
            title.trim().clone_into(&mut task.row.title);
        }
    }
    seen.extend(tasks.iter().flat_map(|task| task.within.iter()).map(|number| number.to_lowercase()));
    let by_title = titles(tasks);
    for task in tasks.iter_mut() {
        let named = std::mem::take(&mut task.named);
        let meant = named.into_iter().filter_map(|(name, line)| {
            let number = reference::number(&name);
            // Nothing stands in a phase without a task: there is nothing to wait for.
            let is_task = number
                .as_ref()
                .is_some_and(|number| !reference::is_of_stage(number) || !is_section(&number.to_lowercase()));
            let is_task = is_task || reference::is_range(&name);
            let number = number.unwrap_or_else(|| name.clone()).to_lowercase();
            let known = seen.contains(&number).then(|| number.clone());
            let by_title = || by_title.get(&name.to_lowercase()).cloned().flatten();
            let id = is_task || words::is_id(&name);
            Some((known.or_else(by_title).or(id.then_some(name))?, line))
        });
        task.named = meant.collect();
    }
}

/// A plan's sections say which of its tasks come first; what stands in none of these comes after them, and then what may be left
/// out.
pub(super) fn rank(tasks: &mut [Task]) {
    const WITHOUT: u8 = 250;
    const OPTIONAL: u8 = 251;
    let of_section = |task: &Task| task.plan.as_ref().and_then(|plan| plan.priority);
    let usual =
        if tasks.iter().any(|task| of_section(task).is_some()) { WITHOUT } else { TaskRow::USUAL_PRIORITY };
    for task in tasks {
        let Some(plan) = &task.plan else { continue };
        let priority =
            plan.priority.map_or(usual, |priority| u8::try_from(priority).unwrap_or(WITHOUT).min(WITHOUT));
        task.row.priority = if plan.optional { OPTIONAL } else { priority };
    }
}

/// The ids of tasks by what they are called; `None` where several are called so.
fn titles(tasks: &[Task]) -> HashMap<String, Option<String>> {
    let mut titles = HashMap::with_capacity(tasks.len());
    for task in tasks {
        let id = Some(task.row.id.0.clone());
        titles.entry(task.row.title.to_lowercase()).and_modify(|known| *known = None).or_insert(id);
    }
    titles
}
