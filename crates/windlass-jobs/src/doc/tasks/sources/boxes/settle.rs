//! What a file's tasks are once all of it is read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use super::section::{self, Section};
use super::{heading, numbering, reference};
use crate::doc::tasks::{Task, words};
use crate::doc::{Problem, ProblemKind};

/// So many dependencies of sections are handed to their boxes, in a file.
const MOST_HANDED_DOWN: usize = 200_000;

/// The longest of these, in bytes.
const LONGEST_HANDED_DOWN: usize = 64;

/// A heading that is a task where nothing else is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// It is none.
    #[default]
    No,
    /// A phase or another step on the way.
    Stage,
    /// It is counted, `1. Title`, and another such heading says how far it is.
    Counted,
}

/// What is known of a task until all is read.
#[derive(Default)]
pub(super) struct Own {
    /// What it names itself.
    pub refs: Vec<String>,
    /// The number of its list item: `3. [ ] What is to be done`.
    pub list_number: Option<String>,
    /// Its section, an index among all.
    pub section: usize,
    /// A heading is not a task with boxes below it.
    pub is_task: bool,
    /// Of a heading: something shows that it is one, not prose whose parts are numbered.
    pub is_shown: bool,
    /// Of a heading: what makes it a task where nothing else is one.
    pub step: Step,
    /// Of a heading: the line below it that says how far it is.
    pub status_line: Option<usize>,
    /// What is wrong with it, if it is a task.
    pub doubt: Option<Problem>,
}

/// Which headings with a number are prose, and no phase that is a task: they are parts of a chapter with a number, below no section of phases or tasks, and
/// no field of a task stands below them. Whether they are marked as done shows nothing: what is open again stays what it was. Their lines.
pub(super) fn take_prose(tasks: &[Task], own: &mut [Own], sections: &[Section]) -> Vec<usize> {
    let boxes: HashSet<String> = tasks.iter().filter(|task| task.is_box()).filter_map(number).collect();
    let is_other = |task: &Task, own: &Own| own.is_task && own.step == Step::No && !task.is_line();
    let shown = |(task, own): (&Task, &Own)| is_other(task, own) && (task.is_box() || own.is_shown);
    let has_others = tasks.iter().zip(own.iter()).any(shown);
    let has_counted = !has_others && are_counted(tasks, own);
    let below = take_lines(tasks, own, has_others, sections);
    let mut prose = Vec::new();
    for (task, own) in tasks.iter().zip(own).filter(|(task, own)| task.is_heading() && own.is_task) {
        let has_box = boxes.contains(&task.row.id.0.to_lowercase());
        if own.step == Step::Counted {
            own.is_task = has_counted;
        } else if own.step == Step::Stage {
            own.is_task = !has_others && !below.contains(&own.section);
        } else if has_box {
            own.is_task = false;
        } else if !own.is_shown {
            own.is_task = false;
            prose.push(task.line);
        }
    }
    prose
}

/// Are headings that are counted tasks: each has another number, and one of them says how far it is?
fn are_counted(tasks: &[Task], own: &[Own]) -> bool {
    let counted = || tasks.iter().zip(own).filter(|(_, own)| own.step == Step::Counted && own.is_task);
    let mut seen = HashSet::new();
    let says = |task: &Task| {
        let is_word = task.place.words().iter().any(|range| !range.is_empty());
        task.row.state != TaskState::Open || task.row.unclear.is_some() || is_word
    };
    counted().all(|(task, _)| seen.insert(&task.row.id.0)) && counted().any(|(task, _)| says(task))
}

/// Which lines with a name are tasks: the first of each name, where nothing else is a task. The sections that they stand in.
fn take_lines(tasks: &[Task], own: &mut [Own], has_others: bool, sections: &[Section]) -> HashSet<usize> {
    let mut seen = HashSet::new();
    let mut below = HashSet::new();
    for (task, own) in tasks.iter().zip(own).filter(|(task, _)| task.is_line()) {
        own.is_task = !has_others && seen.insert(task.row.id.0.to_lowercase());
        if own.is_task {
            below.extend(section::chain(sections, own.section).map(|(index, _)| index));
        }
    }
    below
}

/// The number of a box, as two that are the same are.
fn number(task: &Task) -> Option<String> {
    let id = task.id().map(|id| id.0.as_str());
    id.or_else(|| reference::id_of_box(&task.row.title).map(|(id, _)| id)).map(str::to_lowercase)
}

/// Drops the headings that are not tasks, and gives each task its references, its number and what its sections wait for.
pub(super) fn settle(
    tasks: Vec<Task>,
    own: Vec<Own>,
    sections: &[Section],
    problems: &mut Vec<Problem>,
) -> Vec<Task> {
    let mut settled: Vec<Task> = Vec::with_capacity(tasks.len());
    let numbers_are = Numbers { counted: is_counted(&tasks), usual: is_numbered(&tasks) };
    let (refs, numbers) = (section::refs(sections), section::numbers(sections));
    let boxes = boxes_below(&tasks, &own, sections);
    let has_boxes = |index: &usize| boxes.get(*index).is_some_and(|boxes| *boxes > 0);
    let numbers_below: HashSet<String> = (0..sections.len())
        .filter(has_boxes)
        .filter_map(|index| sections.get(index)?.other_number.clone())
        .collect();
    let mut waits = Waits::default();
    for (index, section) in sections.iter().enumerate() {
        waits.of_section(index, section.named.clone());
    }
    let mut places = Vec::with_capacity(tasks.len());
    let mut list_numbers = Vec::with_capacity(tasks.len());
    let mut section_of = Vec::with_capacity(tasks.len());
    for (mut task, own) in tasks.into_iter().zip(own) {
        places.push(settled.len());
        if !own.is_task {
            waits.of_section(own.section, task.named);
            continue;
        }
        problems.extend(own.doubt);
        list_numbers.push(own.list_number);
        section_of.push(own.section);
        task.parent = task.parent.and_then(|parent| places.get(parent)).copied();
        task.refs = match task.parent.and_then(|parent| settled.get(parent)) {
            _ if !own.refs.is_empty() => own.refs.into(),
            Some(parent) => parent.refs.clone(),
            None => refs.get(own.section).cloned().unwrap_or_default(),
        };
        depends(&mut task);
        if task.is_line() {
            task.within = numbers.get(own.section).cloned().unwrap_or_default();
            waits.hand_down(&mut task, section::chain(sections, own.section).map(|(index, _)| index));
        }
        if task.is_box() {
            // A heading's number is that of its section; of a box only where there is no other.
            let is_only = boxes.get(own.section) == Some(&1);
            let of_heading =
                sections.get(own.section).and_then(|section| section.id.clone()).filter(|_| is_only);
            task.within = numbers.get(own.section).cloned().unwrap_or_default();
            task.row.id.0 = of_heading.unwrap_or_default();
            waits.hand_down(&mut task, section::chain(sections, own.section).map(|(index, _)| index));
            name(&mut task, numbers_are);
            waits_for_its_section(&mut task, &numbers_below);
            without_text(&mut task, problems);
        }
        settled.push(task);
    }
    numbering::by_lists(&mut settled, list_numbers);
    numbering::by_ids(&mut settled);
    numbering::nest(&mut settled, &section_of);
    depends_in_passing(&mut settled);
    settled
}

/// How many boxes stand in each section.
fn boxes_below(tasks: &[Task], own: &[Own], sections: &[Section]) -> Vec<usize> {
    let mut boxes = vec![0; sections.len()];
    for (_, own) in tasks.iter().zip(own).filter(|(task, own)| task.is_box() && own.is_task) {
        for (index, _) in section::chain(sections, own.section) {
            if let Some(boxes) = boxes.get_mut(index) {
                *boxes += 1;
            }
        }
    }
    boxes
}

/// What sections wait for: all boxes in them do.
#[derive(Default)]
struct Waits {
    named: HashMap<usize, Arc<[(String, usize)]>>,
    handed_down: usize,
}

impl Waits {
    fn of_section(&mut self, section: usize, named: Vec<(String, usize)>) {
        let is_number = |name: &str| words::is_id(name) || reference::number(name).is_some();
        let named: Arc<[_]> = named
            .into_iter()
            .filter(|(name, _)| name.len() <= LONGEST_HANDED_DOWN && is_number(name))
            .collect();
        if !named.is_empty() {
            let known = self.named.entry(section).or_default();
            *known = known.iter().chain(named.iter()).cloned().collect();
        }
    }

    fn hand_down(&mut self, task: &mut Task, sections: impl Iterator<Item = usize>) {
        if self.named.is_empty() {
            return;
        }
        for named in sections.filter_map(|section| self.named.get(&section)) {
            let room = MOST_HANDED_DOWN.saturating_sub(self.handed_down);
            self.handed_down += named.len().min(room);
            task.named.extend(named.iter().take(room).cloned());
        }
    }
}

/// What a task's text says that it depends on.
fn depends(task: &mut Task) {
    let Some(names) = reference::depends_on(&task.row.title) else { return };
    let is_number = |name: &String| words::is_id(name) || reference::is_number_alone(name);
    let ids = words::dependencies(names).into_iter().filter(is_number);
    let ids: Vec<String> = ids.filter(|id| task.named.iter().all(|(known, _)| known != id)).collect();
    task.named.extend(ids.into_iter().map(|name| (name, task.line)));
}

/// What a sentence says that its task depends on, where it names a task of this list, or one of the same kind: `Port the mod depends
/// on T021`.
fn depends_in_passing(tasks: &mut [Task]) {
    let ids: HashSet<String> = tasks.iter().filter_map(Task::id).map(|id| id.0.to_lowercase()).collect();
    let kinds: HashSet<String> = ids.iter().map(|id| words::kind_of_id(id).to_owned()).collect();
    for task in tasks {
        for name in reference::depends_in_passing(&task.row.title) {
            let lower = name.to_lowercase();
            let is_known = ids.contains(&lower) || kinds.contains(words::kind_of_id(&lower));
            if is_known && task.named.iter().all(|(known, _)| *known != name) {
                task.named.push((name, task.line));
            }
        }
    }
}

/// The number, the name or the count that a box begins with, and its level.
fn name(task: &mut Task, are: Numbers) {
    let title = task.row.title.clone();
    let named = reference::id_of_box(&title)
        .or_else(|| reference::id(&title).filter(|_| are.usual))
        .or_else(|| reference::name_of_box(&title))
        .or_else(|| reference::count_of_box(&title).filter(|_| are.counted));
    if let Some((id, rest)) = named {
        (task.row.id, task.row.title) = (TaskId::from(id), rest.to_owned());
    }
    if let (Some(level), Some(plan)) = (heading::level_of_box(&task.row.title), &mut task.plan) {
        plan.priority = Some(level);
    }
}

/// What the numbers that boxes of a file begin with are.
#[derive(Clone, Copy)]
struct Numbers {
    /// `1.`, `2.`: ids.
    counted: bool,
    /// `1.2` before a word in lower case: an id as well, no quantity.
    usual: bool,
}

/// Do half of the boxes of a file have a number like `1.2` that is surely one?
fn is_numbered(tasks: &[Task]) -> bool {
    let boxes = || tasks.iter().filter(|task| task.is_box());
    let numbered = boxes().filter(|task| reference::id_of_box(&task.row.title).is_some()).count();
    numbered > 1 && numbered * 2 >= boxes().count()
}

/// A box that stands for a step on the way, `Phase 2: Write`, is done after the boxes of the section of that step.
fn waits_for_its_section(task: &mut Task, below: &HashSet<String>) {
    let Some(stage) = heading::stage(&task.row.title) else { return };
    let is_within = task.within.contains(&stage);
    if !is_within && below.contains(&stage) {
        task.named.push((stage, task.line));
    }
}

/// A box without a text: nobody knows what is to be done.
fn without_text(task: &mut Task, problems: &mut Vec<Problem>) {
    if !task.row.title.trim().is_empty() || task.row.state == TaskState::Done || task.row.unclear.is_some() {
        return;
    }
    let sentence = "is a box without a text: write what is to be done, or remove it".to_owned();
    problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    task.row.unclear = Some("its box has no text".to_owned());
}

/// Are boxes counted through the whole file, `1.`, `2.`, so that their numbers are ids? Those that begin anew are none.
fn is_counted(tasks: &[Task]) -> bool {
    let mut seen = HashSet::new();
    let boxes = tasks.iter().filter(|task| task.is_box());
    boxes.filter_map(|task| reference::count_of_box(&task.row.title)).all(|(count, _)| seen.insert(count))
}
