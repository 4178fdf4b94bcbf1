//! Which task is next, and what waits for what.

use std::collections::HashMap;

use windlass_core::values::TaskState;

use super::{Counts, Plan};
use crate::doc::tasks::sources::reference::{self, number};
use crate::doc::tasks::{Contents, FileRole, Task, is_id};
use crate::doc::text::base_name;

/// So often tasks wait for others: who waits for a section waits for all its boxes.
const MOST_WAITS: usize = 2_000_000;

/// What each task waits for.
pub(super) struct Waiting {
    /// Indexes of tasks, for each task.
    pub on: Vec<Vec<usize>>,
    /// Dependencies that name no task: the task's index, and what it names.
    pub unknown: Vec<(usize, String)>,
    /// Numbers that several tasks of a file have: the later task and the first.
    pub twice: Vec<(usize, usize)>,
}

impl Waiting {
    pub(super) fn of(contents: &Contents) -> Waiting {
        let tasks = &contents.tasks;
        let mut known = Names::default();
        let mut waiting =
            Waiting { on: vec![Vec::new(); tasks.len()], unknown: Vec::new(), twice: Vec::new() };
        for (index, task) in tasks.iter().enumerate() {
            waiting.twice.extend(known.add(index, task).map(|first| (index, first)));
        }
        let mut room = MOST_WAITS;
        for (index, task) in tasks.iter().enumerate() {
            // What is nested in a task is done before it.
            if let Some(on) = task.parent.and_then(|parent| waiting.on.get_mut(parent)) {
                on.push(index);
            }
            for name in task.dependencies_as_written() {
                match known.find(task, name) {
                    Some(others) if others.len() <= room => {
                        room -= others.len();
                        // What stands in a section does not wait for that.
                        let is_within = others.len() > 1 && others.contains(&index);
                        if let Some(on) = waiting.on.get_mut(index).filter(|_| !is_within) {
                            on.extend(others);
                        }
                    }
                    Some(_) => waiting.unknown.push((index, name.to_owned())),
                    None if is_number(name) || is_no_section(contents, name) => {
                        waiting.unknown.push((index, name.to_owned()));
                    }
                    None => {}
                }
            }
        }
        waiting
    }
}

/// Tasks by what they may be called.
#[derive(Default)]
struct Names {
    /// By file and number.
    here: HashMap<(usize, String), usize>,
    /// By number or text; `None` where several have it.
    anywhere: HashMap<String, Option<usize>>,
    /// What stands in the sections of a file, by their numbers.
    sections: HashMap<(usize, String), Vec<usize>>,
    /// The only file that has a section of this number; `None` where several have it.
    files: HashMap<String, Option<usize>>,
}

impl Names {
    /// Adds a task; gives the one of its file that has its number already.
    fn add(&mut self, index: usize, task: &Task) -> Option<usize> {
        // What was taken for a quantity is a number after all where somebody depends on it: `1.1 add the reader`.
        let (id, title) = (task.id().map(|id| id.0.as_str()), task.row.title.as_str());
        let bare = reference::id(title).map(|(id, _)| id).filter(|_| id.is_none());
        for name in [id, Some(title), bare].into_iter().flatten() {
            let slot = self.anywhere.entry(name.to_lowercase()).or_insert(Some(index));
            if *slot != Some(index) {
                *slot = None;
            }
        }
        for number in task.within.iter() {
            let number = number.to_lowercase();
            let file = self.files.entry(number.clone()).or_insert(Some(task.file_index));
            *file = file.filter(|known| *known == task.file_index);
            self.sections.entry((task.file_index, number)).or_default().push(index);
        }
        let key = (task.file_index, id?.to_lowercase());
        let first = *self.here.entry(key).or_insert(index);
        (first != index).then_some(first)
    }

    /// The task that is meant, or what stands in the section that is.
    fn find(&self, task: &Task, name: &str) -> Option<&[usize]> {
        let name = number(name).unwrap_or_else(|| name.to_owned()).to_lowercase();
        let key = (task.file_index, name);
        let one = self.here.get(&key).or_else(|| self.anywhere.get(&key.1)?.as_ref());
        one.map(std::slice::from_ref).or_else(|| self.section(&key))
    }

    fn section(&self, key: &(usize, String)) -> Option<&[usize]> {
        let here = self.sections.get(key);
        let elsewhere = || self.sections.get(&((*self.files.get(&key.1)?)?, key.1.clone()));
        here.or_else(elsewhere).map(Vec::as_slice)
    }
}

/// Does a name mean a task and nothing else? A phase may be a section of tasks.
fn is_number(name: &str) -> bool {
    number(name).is_some_and(|number| !reference::is_of_stage(&number))
        || is_id(name)
        || reference::is_range(name)
}

/// Does a name mean a phase that no file has?
fn is_no_section(contents: &Contents, name: &str) -> bool {
    let number = number(name).filter(|number| reference::is_of_stage(number)).map(|name| name.to_lowercase());
    number.is_some_and(|number| contents.files.iter().all(|file| !file.about.sections.contains(&number)))
}

impl Plan {
    /// The task to do next: one in progress, then one that waits for no open task, then by the feature that is in focus, then
    /// by the priority of its section (none comes last), then in the order of the plan.
    pub fn next(&self) -> Option<&Task> {
        let waiting = Waiting::of(&self.contents);
        let is_open = |index: &usize| {
            self.contents.tasks.get(*index).is_some_and(|task| task.row.state != TaskState::Done)
        };
        let tasks = || self.contents.tasks.iter();
        let nests = |index: usize, on: &Vec<usize>| {
            let is_within = |other: &usize| {
                self.contents.tasks.get(*other).is_some_and(|task| task.parent == Some(index))
            };
            on.iter().any(|other| is_open(other) && is_within(other))
        };
        let focus = Focus::of(self);
        let optional = |task: &Task| task.plan.as_ref().is_some_and(|plan| plan.optional);
        let next = tasks().zip(&waiting.on).enumerate().filter(|(_, (task, _))| task.is_workable());
        let next = next.min_by_key(|(index, (task, on))| {
            let waits = on.iter().any(is_open);
            let feature = focus.place(task);
            (nests(*index, on), task.row.state, waits, feature, optional(task), section_priority(task))
        });
        next.map(|(_, (task, _))| task)
            .or_else(|| self.contents.criteria.iter().find(|one| one.is_workable()))
    }
}

/// Which feature comes first, in a folder whose index says what is in focus, as Fresher's does.
struct Focus {
    /// For each file how it comes, the least first; empty where the order of the index holds.
    places: Vec<(Stage, u64)>,
}

/// How far a feature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The index calls it active.
    Active,
    /// Some of it is done.
    Begun,
    /// None of it is done.
    Ahead,
    /// It is no feature: tasks that cut across all of them.
    Across,
}

impl Focus {
    /// The active feature, then those that are begun, then the others; of these the one with the fewest open tasks first.
    fn of(plan: &Plan) -> Focus {
        let files = &plan.contents.files;
        let Some(active) = files.iter().find_map(|file| file.about.focus.as_deref()) else {
            return Focus { places: Vec::new() };
        };
        let stage = |role: FileRole, name: &str, counts: Counts| match role {
            FileRole::Index => Stage::Across,
            _ if base_name(name) == active => Stage::Active,
            _ if counts.in_progress > 0 || counts.done > 0 => Stage::Begun,
            _ => Stage::Ahead,
        };
        let counted = files.iter().zip(plan.counts_of_files());
        let places = counted
            .map(|(file, counts)| (stage(file.role, &file.name, counts), counts.open + counts.in_progress));
        Focus { places: places.collect() }
    }

    fn place(&self, task: &Task) -> Option<(Stage, u64)> {
        self.places.get(task.file_index).copied()
    }
}

/// Of a section without a priority the last one.
fn section_priority(task: &Task) -> u32 {
    task.plan.as_ref().and_then(|plan| plan.priority).unwrap_or(u32::MAX)
}
