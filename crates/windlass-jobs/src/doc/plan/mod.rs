//! A plan: boxes in Markdown, in one file or in a folder with one file per feature (format in part E2).
//!
//! Read as `CommonMark` has it, from bytes, with byte ranges, so that a change is a splice and every other byte stays.
//!
//! What is a task:
//! - a list item whose first paragraph begins with `[ ]`, `[x]`, `[X]` or `[~]`, whatever the bullet or number, however
//!   deep; not in code, quotes or HTML;
//! - a heading `### 1.2 Title` (level 3 or 4, with a number like `1.2` or `P1.2` first) that has no box below it: done
//!   with `✅` or `✓` at its end, open without. With boxes below it, it is their section.
//!
//! What is none, though it is written as one: all below a heading that begins with *Archive(d)*, *Out of scope*, *Not in
//! scope*, *Non-goals* or *Won't do* ([`Plan::set_aside`] counts the open ones), and all of a folder's `README.md` but
//! its *Cross-cutting* section. Sections such as *Later* or *Open questions* count: who wants to be done without them has
//! to say that they are out of scope.

mod attribute;
mod coverage;
mod feature;
mod file;
mod heading;
pub(super) mod lines;
pub mod migrate;
mod order;
mod problem;
mod reader;
mod reference;
mod specs;
mod standing;
mod task;
#[cfg(test)]
mod tests;
mod vanished;

use windlass_core::values::Items;

pub use coverage::{Named, Requirement, RequirementKind, Spec, SpecCoverage, coverage};
pub use feature::{Counts, Feature};
pub use file::{FileRole, PlanFile};
pub use problem::{Problem, ProblemKind};
pub use specs::SpecNames;
pub use standing::{NextTask, standing_for_build, standing_for_planning};
pub use task::{Complexity, Form, Task, TaskState};
pub use vanished::{WorkItem, vanished};

/// The longest plan that is read, in bytes: all its files together.
pub const LONGEST_PLAN: usize = 16 * 1024 * 1024;

/// So many tasks a plan may have.
pub const MOST_TASKS: usize = 200_000;

/// A plan as it was read: all its tasks in the order of its files, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    files: Vec<file::ReadFile>,
    tasks: Vec<Task>,
    set_aside: u64,
    faults: Vec<Problem>,
}

impl Plan {
    /// Reads a plan: one file with [`FileRole::Single`], or a folder's `README.md` and its other files. No file at all is a
    /// plan that is missing. Whatever cannot be read is named by [`faults`](Plan::faults).
    pub fn parse(files: Vec<PlanFile>) -> Plan {
        let mut plan = Plan::default();
        let mut room = LONGEST_PLAN;
        let mut read: Vec<_> =
            files.into_iter().map(|file| file::read(file, &mut room, &mut plan.faults)).collect();
        file::order(&mut read);
        for (index, mut file) in read.into_iter().enumerate() {
            plan.set_aside += file.set_aside;
            plan.take_tasks(index, std::mem::take(&mut file.tasks));
            plan.files.push(file);
        }
        file::find_faults(&plan.files, &mut plan.faults);
        if plan.tasks.is_empty() && plan.faults.is_empty() {
            plan.faults.extend(file::no_task(&plan.files));
        }
        plan
    }

    fn take_tasks(&mut self, file: usize, tasks: Vec<Task>) {
        let before = self.tasks.len();
        let room = MOST_TASKS.saturating_sub(before);
        if tasks.len() > room {
            self.faults.extend(tasks.first().map(|task| Problem {
                kind: ProblemKind::TooLong,
                file: task.file.clone(),
                line: None,
                sentence: format!("has more than {MOST_TASKS} tasks"),
            }));
        }
        self.tasks.extend(tasks.into_iter().take(room).map(|mut task| {
            task.file_index = file;
            task.parent = task.parent.map(|parent| parent + before);
            task
        }));
    }

    /// Is there no plan at all?
    pub fn is_missing(&self) -> bool {
        self.files.is_empty()
    }

    /// Why the plan cannot be used: a file that cannot be read, one that is named and not there, or no task at all. Empty
    /// for a plan that is missing.
    pub fn faults(&self) -> &[Problem] {
        &self.faults
    }

    /// All tasks, in the order of the files and in theirs.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Tasks that are not done: open or in progress.
    pub fn open(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| task.state != TaskState::Done)
    }

    /// Tasks done, and in all.
    pub fn items(&self) -> Items {
        let total = self.tasks.len() as u64;
        Items { done: total - self.open().count() as u64, total }
    }

    /// Open boxes in sections that do not count, such as *Out of scope*.
    pub const fn set_aside(&self) -> u64 {
        self.set_aside
    }

    /// The names of its files, as they were given, with their roles.
    pub fn files(&self) -> impl Iterator<Item = (&str, FileRole)> {
        self.files.iter().map(|file| (&*file.name, file.role))
    }

    /// The source text of a task of this plan: its list item with all that is nested in it, or its heading's section.
    pub fn source(&self, task: &Task) -> &str {
        let text = self.files.get(task.file_index).map_or("", |file| &file.text);
        text.get(task.block.clone()).unwrap_or_default()
    }
}
