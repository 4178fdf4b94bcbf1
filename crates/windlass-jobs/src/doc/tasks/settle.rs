//! What tasks are to one another: whom a dependency means, and what is wrong with it.

use std::collections::{BTreeMap, HashMap};

use windlass_core::tasks::cycles::cycles;
use windlass_core::values::{TaskId, TaskState};

use super::task::{StatePlace, Task};
use super::words::{kind_of_id, ranges};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// So many tasks of a cycle are named.
const NAMED_OF_CYCLE: usize = 100;

/// So often tasks wait for what stands in sections.
const MOST_WAITS: usize = 2_000_000;

/// Spells ids and dependencies as the tasks that they mean, and names what is wrong with them.
pub(super) fn settle(tasks: &mut [Task], problems: &mut Vec<Problem>) {
    let mut first_of: HashMap<String, usize> = HashMap::with_capacity(tasks.len());
    let mut shared: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in 0..tasks.len() {
        let Some(id) = tasks.get(index).map(|task| task.row.id.0.to_lowercase()) else { continue };
        let first = *first_of.entry(id).or_insert(index);
        if first != index {
            same_id(tasks, first, index, problems);
            shared.entry(first).or_default().push(index);
        }
    }
    for (first, later) in shared {
        share(tasks, first, &later);
    }
    let mut folded = None;
    let ids: Vec<TaskId> = tasks.iter().map(|task| task.row.id.clone()).collect();
    let mut edges = vec![Vec::new(); tasks.len()];
    let together = Together::of(tasks, &first_of);
    let mut room = MOST_WAITS;
    for (index, (task, edges)) in tasks.iter_mut().zip(&mut edges).enumerate() {
        let is_first = first_of.get(&task.row.id.0.to_lowercase()) == Some(&index);
        for (name, line) in std::mem::take(&mut task.named) {
            let other = first_of.get(&name.to_lowercase()).copied();
            if other.is_none()
                && let Some(members) = together.named(&name, index).filter(|all| all.len() <= room)
            {
                room -= members.len();
                task.row.dependencies.extend(members.iter().filter_map(|other| ids.get(*other)).cloned());
                edges.extend(members);
                task.named.push((name, line));
                continue;
            }
            let dependency = other.and_then(|other| ids.get(other)).cloned();
            task.row.dependencies.push(dependency.unwrap_or_else(|| TaskId(name.clone())));
            match other {
                None => {
                    let folded = folded.get_or_insert_with(|| by_folded_id(&ids));
                    problems.push(unknown(task, &name, line, folded.get(&fold(&name)).copied()));
                }
                Some(_) if other == first_of.get(&task.row.id.0.to_lowercase()).copied() => {
                    let sentence = format!("{} depends on itself", quoted(&task.row.id.0));
                    problems.push(task.problem_at(line, ProblemKind::SelfDependency, sentence));
                }
                Some(other) if is_first => edges.push(other),
                Some(_) => {}
            }
            task.named.push((name, line));
        }
    }
    parents_after_children(tasks, &mut edges);
    problems.extend(cycles(&edges).iter().filter_map(|cycle| cycle_of(tasks, cycle)));
}

/// The tasks that several of one name mean together.
struct Together {
    /// What stands in the sections of these numbers.
    sections: HashMap<String, Vec<usize>>,
    /// Ids that end in a number, by what they begin with.
    numbered: BTreeMap<(String, u64), usize>,
}

impl Together {
    fn of(tasks: &[Task], first_of: &HashMap<String, usize>) -> Together {
        let numbered = first_of.iter().filter_map(|(id, index)| Some((numbered(id)?, *index)));
        Together { sections: sections(tasks), numbered: numbered.collect() }
    }

    /// Whom a task waits for: what stands in a section, or all from one task to another; in their order. No task waits for itself,
    /// and what stands in a section does not wait for that.
    fn named(&self, name: &str, task: usize) -> Option<Vec<usize>> {
        if let Some(section) = self.sections.get(&name.to_lowercase()) {
            return Some(if section.contains(&task) { Vec::new() } else { section.clone() });
        }
        let mut all = ranges(name).iter().find_map(|(first, last)| self.between(first, last))?;
        all.retain(|other| *other != task);
        Some(all)
    }

    /// `None` where one of the two is not there.
    fn between(&self, first: &str, last: &str) -> Option<Vec<usize>> {
        let ends = [numbered(&first.to_lowercase())?, numbered(&last.to_lowercase())?];
        let [first, last] = &ends;
        let is_range = first.0 == last.0 && first <= last;
        let are_there = is_range && ends.iter().all(|end| self.numbered.contains_key(end));
        are_there
            .then(|| self.numbered.range(first.clone()..=last.clone()).map(|(_, index)| *index).collect())
    }
}

/// What an id begins with, and the number that is the rest of it.
fn numbered(id: &str) -> Option<(String, u64)> {
    let kind = kind_of_id(id);
    id.strip_prefix(kind)?.parse().ok().map(|number| (kind.to_owned(), number))
}

/// What stands in the sections of these numbers.
fn sections(tasks: &[Task]) -> HashMap<String, Vec<usize>> {
    let mut sections: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, task) in tasks.iter().enumerate() {
        for number in task.within.iter() {
            sections.entry(number.to_lowercase()).or_default().push(index);
        }
    }
    sections
}

/// What is nested in a task is done before it, unless it waits for that task itself.
fn parents_after_children(tasks: &mut [Task], edges: &mut [Vec<usize>]) {
    for index in 0..tasks.len() {
        let Some((parent, id)) = tasks.get(index).and_then(|task| Some((task.parent?, task.row.id.clone())))
        else {
            continue;
        };
        if edges.get(index).is_some_and(|on| on.contains(&parent)) {
            continue;
        }
        if let (Some(parent), Some(on)) = (tasks.get_mut(parent), edges.get_mut(parent)) {
            on.push(index);
            if !parent.row.dependencies.contains(&id) {
                parent.row.dependencies.push(id);
            }
        }
    }
}

fn same_id(tasks: &mut [Task], first: usize, later: usize, problems: &mut Vec<Problem>) {
    let Some(first) = tasks.get(first).cloned() else { return };
    let Some(later) = tasks.get_mut(later) else { return };
    let place = if first.file == later.file { format!("line {}", first.line) } else { first.place() };
    let sentence = format!("has the id {} of {place}: give one of them another", quoted(&later.row.id.0));
    problems.push(later.problem(ProblemKind::DuplicateId, sentence));
    later.row.id = first.row.id;
}

/// Several tasks have one id. While one of them is not done the id is not, and nobody can say which of them is meant: none is
/// worked on.
fn share(tasks: &mut [Task], first: usize, later: &[usize]) {
    let members = || std::iter::once(&first).chain(later);
    let is_done = |index: &usize| tasks.get(*index).is_some_and(|task| task.row.state == TaskState::Done);
    let why = (!members().all(is_done)).then(|| format!("{} tasks have its id", 1 + later.len()));
    for index in members() {
        if let Some(task) = tasks.get_mut(*index) {
            task.row.unclear.clone_from(&why);
            task.place = StatePlace::Unclear;
        }
    }
    if why.is_none() {
        return;
    }
    if let Some(first) = tasks.get_mut(first).filter(|first| first.row.state == TaskState::Done) {
        first.row.state = TaskState::Open;
    }
}

fn unknown(task: &Task, name: &str, line: usize, near: Option<&TaskId>) -> Problem {
    let near = near.map_or_else(String::new, |near| format!("; did you mean {}?", quoted(&near.0)));
    let sentence = format!(
        "{} depends on `{}`, which is not a task of this list{near}",
        quoted(&task.row.id.0),
        quoted(name)
    );
    task.problem_at(line, ProblemKind::UnknownDependency, sentence)
}

/// Ids by what they have in common with misspelled ones.
fn by_folded_id(ids: &[TaskId]) -> HashMap<String, &TaskId> {
    ids.iter().rev().map(|id| (fold(&id.0), id)).collect()
}

/// An id without case, zeros in front of numbers, and signs: `Task_01` is `TASK-1`.
fn fold(id: &str) -> String {
    let mut folded = String::with_capacity(id.len());
    for letter in id.chars().filter(|letter| letter.is_alphanumeric()) {
        let leading = !folded.ends_with(|before: char| before.is_ascii_digit());
        if letter != '0' || !leading {
            folded.extend(letter.to_lowercase());
        }
    }
    folded
}

fn cycle_of(tasks: &[Task], cycle: &[usize]) -> Option<Problem> {
    let members = || cycle.iter().filter_map(|index| tasks.get(*index));
    let first = members().next()?;
    let one_file = members().all(|task| task.file == first.file);
    let place = |task: &Task| if one_file { format!("line {}", task.line) } else { task.place() };
    let mut named: Vec<String> = members()
        .take(NAMED_OF_CYCLE)
        .map(|task| format!("{} ({})", quoted(&task.row.id.0), place(task)))
        .collect();
    let more = cycle.len().saturating_sub(NAMED_OF_CYCLE);
    named.extend((more > 0).then(|| format!("{more} more")));
    named.push(quoted(&first.row.id.0));
    let sentence = format!("these wait for one another: {}", named.join(" → "));
    Some(first.problem(ProblemKind::Cycle, sentence))
}
