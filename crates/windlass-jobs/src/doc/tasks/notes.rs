//! What was taken for what, in sentences: whoever wrote a file sees whether it was understood.

use std::collections::HashSet;
use std::sync::Arc;

use super::file::Contents;
use super::task::Task;

/// So many lines are named.
const NAMED: usize = 5;

/// What is said of how the files were read; empty where every task is what it looks like.
pub(in crate::doc) fn of(contents: &Contents) -> Vec<String> {
    let boxes = || contents.tasks.iter().filter(|task| task.is_box());
    let sections: HashSet<(usize, &Arc<str>)> =
        boxes().map(|task| (task.file_index, &task.section)).collect();
    let mut notes = Vec::new();
    if boxes().next().is_some() {
        let number = count(boxes().count(), "box", "boxes");
        notes.push(if sections.iter().any(|(_, heading)| heading.is_empty()) {
            format!("{number} taken for tasks")
        } else {
            format!("{number} below {} taken for tasks", count(sections.len(), "heading", "headings"))
        });
    }
    let headings = contents.tasks.iter().filter(|task| task.is_heading()).count();
    if headings > 0 {
        notes.push(format!("{} taken for tasks", count(headings, "heading", "headings")));
    }
    let named = contents.tasks.iter().filter(|task| task.is_line()).count();
    if named > 0 {
        notes.push(format!("{} with a bold name taken for tasks", count(named, "line", "lines")));
    }
    let lines = |tasks: &[&Task]| places(tasks.iter().map(|task| task.line));
    let criteria: Vec<&Task> = contents.criteria.iter().collect();
    if !criteria.is_empty() {
        let number = count(criteria.len(), "box", "boxes");
        notes.push(format!(
            "{number} taken for criteria of the whole, to be ticked after all tasks ({})",
            lines(&criteria)
        ));
    }
    let owned: usize = contents.tasks.iter().map(|task| task.criteria.len()).sum();
    if owned > 0 && contents.tasks.iter().any(|task| task.plan.is_some()) {
        notes.push(format!("{} taken for criteria of their tasks", count(owned, "box", "boxes")));
    }
    let optional: Vec<&Task> =
        contents.tasks.iter().filter(|task| task.plan.as_ref().is_some_and(|plan| plan.optional)).collect();
    if !optional.is_empty() {
        notes.push(format!(
            "{} optional, after all others ({})",
            count(optional.len(), "task", "tasks"),
            lines(&optional)
        ));
    }
    let prose: Vec<usize> = contents.files.iter().flat_map(|file| file.about.prose.iter().copied()).collect();
    if !prose.is_empty() {
        let number = count(prose.len(), "heading with a number", "headings with numbers");
        notes.push(format!(
            "{number} taken for prose ({}): a box makes a task of one",
            places(prose.into_iter())
        ));
    }
    let aside: u64 = contents.files.iter().map(|file| file.about.set_aside).sum();
    if aside > 0 {
        let number = count(usize::try_from(aside).unwrap_or(usize::MAX), "open box", "open boxes");
        notes.push(format!("{number} below headings such as Archive or Out of scope not taken for work"));
    }
    notes
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn places(lines: impl Iterator<Item = usize> + Clone) -> String {
    let more = lines.clone().count().saturating_sub(NAMED);
    let named: Vec<String> = lines.take(NAMED).map(|line| line.to_string()).collect();
    let word = if named.len() == 1 { "line" } else { "lines" };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{word} {}{more}", named.join(", "))
}
