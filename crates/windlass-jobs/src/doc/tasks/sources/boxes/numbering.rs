//! What boxes are called once all of a file is read, and which of them are parts of others by their numbers.

use std::collections::{HashMap, HashSet};

use windlass_core::values::TaskId;

use super::reference;
use crate::doc::tasks::{Task, words};

/// Gives boxes without a number the one of their list item, where somebody waits for a number that no task has, and list items are
/// counted through the whole file.
pub(super) fn by_lists(tasks: &mut [Task], list_numbers: Vec<Option<String>>) {
    let ids: HashSet<&str> = tasks.iter().map(|task| task.row.id.0.as_str()).collect();
    let mut seen = HashSet::new();
    let are_numbers =
        list_numbers.iter().flatten().all(|number| seen.insert(number) && !ids.contains(number.as_str()));
    let mut names = tasks.iter().flat_map(|task| &task.named);
    let is_meant = |name: &str| reference::number(name).is_some_and(|number| seen.contains(&number));
    if !are_numbers || !names.any(|(name, _)| is_meant(name)) {
        return;
    }
    for (task, number) in tasks.iter_mut().zip(list_numbers) {
        if let Some(number) = number.filter(|_| task.row.id.0.is_empty()) {
            task.row.id.0 = number;
        }
    }
}

/// Gives boxes without a number the id that they begin with, `AUTH-01 Log in`, `[T-7] Log out`, where others are called so as well,
/// or where somebody waits for it. By itself such a word may be part of a sentence: `UTF-8 is read`.
pub(super) fn by_ids(tasks: &mut [Task]) {
    let candidates: Vec<Option<(TaskId, String)>> = tasks.iter().map(candidate).collect();
    if candidates.iter().all(Option::is_none) {
        return;
    }
    let taken: HashSet<String> = tasks.iter().map(|task| task.row.id.0.to_lowercase()).collect();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut families: HashMap<String, usize> = HashMap::new();
    for (id, _) in candidates.iter().flatten() {
        *times.entry(id.0.to_lowercase()).or_default() += 1;
        *families.entry(family(&id.0)).or_default() += 1;
    }
    let named: HashSet<String> =
        tasks.iter().flat_map(|task| &task.named).map(|(name, _)| name.to_lowercase()).collect();
    let boxes = tasks.iter().filter(|task| task.is_box()).count();
    let is_one =
        |id: &TaskId| times.get(&id.0.to_lowercase()) == Some(&1) && !taken.contains(&id.0.to_lowercase());
    let is_called_so = |id: &TaskId| {
        let alike = families.get(&family(&id.0)).copied().unwrap_or_default();
        named.contains(&id.0.to_lowercase()) || (id.0.contains(['-', '_']) && alike > 1 && alike * 2 >= boxes)
    };
    for (task, candidate) in tasks.iter_mut().zip(candidates) {
        if let Some((id, title)) = candidate.filter(|(id, _)| is_one(id) && is_called_so(id)) {
            (task.row.id, task.row.title) = (id, title);
        }
    }
}

/// The id that a box without one may begin with, and its text without it.
fn candidate(task: &Task) -> Option<(TaskId, String)> {
    let title = task.row.title.trim_start();
    if !task.is_box() || task.id().is_some() {
        return None;
    }
    let bracketed = [('[', ']'), ('(', ')')]
        .into_iter()
        .find_map(|(open, close)| title.strip_prefix(open)?.split_once(close));
    let (id, rest) = bracketed.or_else(|| title.split_once([' ', ':'])).unwrap_or((title, ""));
    let id = id.trim_end_matches(['.', ')', ':']);
    let rest = rest.trim_start_matches([':', '-', '–', '—', ' ', '\t']);
    (words::is_id(id) && !rest.is_empty()).then(|| (TaskId::from(id), rest.to_owned()))
}

/// An id without its last number: `AUTH-`.
fn family(id: &str) -> String {
    id.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_lowercase()
}

/// Makes boxes that stand beside one another parts of the one whose number theirs begins with, as where they are nested in it:
/// `2.1` and `2.2` behind `2`.
pub(super) fn nest(tasks: &mut [Task], sections: &[usize]) {
    let mut known: HashMap<(usize, Option<usize>, &str), usize> = HashMap::new();
    let mut parents = Vec::new();
    for (index, (task, section)) in tasks.iter().zip(sections).enumerate() {
        let id = task.row.id.0.as_str();
        if !task.is_box() || !id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            continue;
        }
        let around = std::iter::successors(id.rsplit_once('.'), |(around, _)| around.rsplit_once('.'));
        let mut around = around.map(|(around, _)| around);
        let parent = around.find_map(|around| known.get(&(*section, task.parent, around)).copied());
        parents.extend(
            parent.filter(|parent| !waits_for(task, tasks.get(*parent))).map(|parent| (index, parent)),
        );
        if !id.is_empty() {
            known.insert((*section, task.parent, id), index);
        }
    }
    for (index, parent) in parents {
        if let Some(task) = tasks.get_mut(index) {
            task.parent = Some(parent);
        }
    }
}

/// Does a task say that it waits for that one?
fn waits_for(task: &Task, other: Option<&Task>) -> bool {
    let number = |name: &str| reference::number(name).unwrap_or_else(|| name.to_owned());
    other.is_some_and(|other| task.dependencies_as_written().any(|name| number(name) == other.row.id.0))
}
