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

mod coverage;
mod faults;
mod feature;
pub mod migrate;
mod order;
mod problem;
mod specs;
mod standing;
#[cfg(test)]
mod tests;
mod vanished;

use windlass_core::values::{Items, TaskState};

use crate::doc::Splice;
use crate::doc::tasks::{Contents, FileRole, Task, TaskFile, Unwritable, no_task, notes_of};

pub use coverage::{Named, Requirement, RequirementKind, Spec, SpecCoverage, coverage};
pub use feature::{Counts, Feature};
pub use specs::SpecNames;
pub use standing::{NextTask, standing_for_build, standing_for_planning};
pub use vanished::{WorkItem, vanished};

pub use crate::doc::{Problem, ProblemKind};

/// A plan as it was read: all its tasks in the order of its files, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Its problems are the plan's faults.
    contents: Contents,
    /// What nobody but a person can say of its tasks.
    doubts: Vec<Problem>,
}

impl Plan {
    /// Reads a plan: one file with [`FileRole::Single`], or a folder's `README.md` and its other files. No file at all is a
    /// plan that is missing. Whatever cannot be read is named by [`faults`](Plan::faults).
    pub fn parse(files: Vec<TaskFile>) -> Plan {
        let mut contents = Contents::read(files);
        let faults = faults::find(&contents);
        contents.problems.extend(faults);
        if contents.tasks.is_empty() && contents.problems.is_empty() {
            contents.problems.extend(no_task(&contents.files));
        }
        let problems = std::mem::take(&mut contents.problems);
        let (mut doubts, faults): (Vec<_>, _) = problems.into_iter().partition(|one| one.kind.is_doubt());
        contents.problems = faults;
        doubts.extend(problem::unknown_dependencies(&contents));
        Plan { contents, doubts }
    }

    /// Is there no plan at all?
    pub fn is_missing(&self) -> bool {
        self.contents.files.is_empty()
    }

    /// Why the plan cannot be used: a file that cannot be read, one that is named and not there, or no task at all. Empty
    /// for a plan that is missing.
    pub fn faults(&self) -> &[Problem] {
        &self.contents.problems
    }

    /// What is not clear in it: a box that is none, work that is called open and done at once, a task that others depend on and
    /// that nobody has. The plan can be worked off, and is not done before somebody has mended it.
    pub fn doubts(&self) -> &[Problem] {
        &self.doubts
    }

    /// What was taken for what, in sentences; empty where that goes without saying.
    pub fn notes(&self) -> Vec<String> {
        notes_of(&self.contents)
    }

    /// Boxes that say what has to hold beside the tasks; they come after all of these.
    pub fn criteria(&self) -> &[Task] {
        &self.contents.criteria
    }

    /// All tasks, in the order of the files and in theirs.
    pub fn tasks(&self) -> &[Task] {
        &self.contents.tasks
    }

    /// Tasks that are not done: open or in progress.
    pub fn open(&self) -> impl Iterator<Item = &Task> {
        self.contents.tasks.iter().filter(|task| task.row.state != TaskState::Done)
    }

    /// Tasks done, and in all.
    pub fn items(&self) -> Items {
        let total = self.contents.tasks.len() as u64;
        Items { done: total - self.open().count() as u64, total }
    }

    /// Open boxes in sections that do not count, such as *Out of scope*.
    pub fn set_aside(&self) -> u64 {
        self.contents.files.iter().map(|file| file.about.set_aside).sum()
    }

    /// The names of its files, as they were given, with their roles.
    pub fn files(&self) -> impl Iterator<Item = (&str, FileRole)> {
        self.contents.files.iter().map(|file| (&*file.name, file.role))
    }

    /// The source text of a task of this plan: its list item with all that is nested in it, or its heading's section.
    pub fn source(&self, task: &Task) -> &str {
        self.contents.source(task)
    }

    /// What has to change in its file's bytes for a task of this plan to be in that state.
    pub fn mark(&self, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
        self.contents.mark(task, state)
    }
}
