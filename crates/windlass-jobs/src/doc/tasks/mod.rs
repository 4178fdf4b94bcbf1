//! Tasks: what is to be done, in which order, and how far it is. One [`Task`], whoever lists it; a form of writing them is a
//! [`TaskSource`], with a folder and a row in [`sources`]. Each is read by structure, with byte ranges, so that a change of a
//! state is a splice and every other byte stays.
//!
//! - [`Markdown`](sources::Markdown), `DevLoop`'s: a heading `### TASK-001: Title` and below it fields with bold names, as list
//!   items or lines: Status, Priority, Dependencies, Description, Verification, Type, Breaking, Agent, Protected, Files, Complexity,
//!   Success Criteria. What stands in code,
//!   quotes or HTML is none of it. A heading of level 3 with an id and a colon is a task when the id begins with `TASK` or `T`, or
//!   when it has a field; of another level, or without the colon, when it has a status.
//! - [`Prd`](sources::Prd), snarktank's `prd.json`: `userStories[]`. In progress cannot be written there.
//! - [`FrontMatter`](sources::FrontMatter): a folder with a Markdown file per task, its fields in front matter.
//! - [`Boxes`](sources::Boxes): the boxes and numbered headings of a plan.
//!
//! A [`TaskList`] is worked off by ids: dependencies mean ids, and what is wrong with them is found when it is read. A
//! [`Plan`](crate::doc::plan::Plan) is worked off in its order: its tasks may have no number, its dependencies may name texts,
//! and what it has to name besides (specs) is judged apart.

mod addition;
mod beside;
mod criteria;
mod file;
mod identify;
mod mark;
mod meaning;
mod missed;
mod notes;
mod plain;
mod protection;
mod put_right;
mod records;
mod settle;
mod source;
pub mod sources;
mod spelling;
mod status;
mod stuck;
mod task;
#[cfg(test)]
mod tests;
mod unread;
mod withdraw;
mod words;

use std::collections::HashMap;

use windlass_core::tasks::Schedule;
use windlass_core::values::{TaskId, TaskRow, TaskState};

pub use addition::{Addition, CheckedTask, NewTask, Refused};
pub use criteria::Criterion;
pub use file::{FileRole, ReadFile, TaskFile};
pub use mark::{StateCommand, Unwritable};
pub use meaning::Meaning;
pub use put_right::PutRight;
pub use source::{AboutForm, Layout, Place, Reading, StateWords, TaskForm, TaskSource};
pub use task::{Complexity, InPlan, Item, Task};

pub(in crate::doc) use file::{Contents, is_blank, no_task};
pub(in crate::doc) use notes::of as notes_of;
#[cfg(test)]
pub(in crate::doc) use task::StatePlace;
pub(in crate::doc) use words::{is_id, is_none};

use crate::doc::problem::{first_of, shorten};
use crate::doc::{Problem, Splice};

/// The longest task file that is read, in bytes: all files of a folder together.
pub const LONGEST_LIST: usize = 16 * 1024 * 1024;

/// So many tasks a list may have.
pub const MOST_TASKS: usize = 200_000;

/// Tasks as they were read, in the order of their files and in theirs, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskList {
    contents: Contents,
    index: HashMap<TaskId, usize>,
}

impl TaskList {
    /// Reads a list: one file, or the files of a folder. No file at all is a list that is missing. What is wrong is named
    /// by [`problems`](TaskList::problems); what can be read is there all the same.
    pub fn parse(files: Vec<TaskFile>) -> TaskList {
        let mut contents = Contents::read(files);
        if contents.files.first().is_some_and(|file| !file.form.about().has_ids) {
            identify::identify(&mut contents);
            identify::rank(&mut contents.tasks);
        }
        settle::settle(&mut contents.tasks, &mut contents.problems);
        criteria::come_last(&mut contents);
        if contents.tasks.is_empty() && contents.problems.is_empty() {
            contents.problems.extend(no_task(&contents.files));
        }
        contents.problems.sort_by_key(|problem| problem.kind);
        shorten(&mut contents.problems);
        let mut index = HashMap::with_capacity(contents.tasks.len());
        for (at, task) in contents.tasks.iter().enumerate() {
            index.entry(task.row.id.clone()).or_insert(at);
        }
        TaskList { contents, index }
    }

    /// Is there no file at all?
    pub fn is_missing(&self) -> bool {
        self.contents.files.is_empty()
    }

    /// Is there nothing but blanks in its files?
    pub fn is_blank(&self) -> bool {
        self.contents.files.iter().all(|file| is_blank(&file.text))
    }

    /// All tasks, in the order of the files and in theirs; those whose id an earlier one has included.
    pub fn tasks(&self) -> &[Task] {
        &self.contents.tasks
    }

    /// What a run has to know of them, for a [`Schedule`]. Dependencies are spelled as the tasks
    /// that they mean; those that mean none are as they are written.
    pub fn rows(&self) -> Vec<TaskRow> {
        self.contents.tasks.iter().map(|task| task.row.clone()).collect()
    }

    /// Which of them comes next: by id, or in a plan by place.
    pub fn schedule(&self) -> Schedule {
        if self.form().about().has_ids { Schedule::new(self.rows()) } else { Schedule::of_plan(self.rows()) }
    }

    /// All that is wrong, the gravest first. A thousand problems of a kind are some, and how many more there are.
    pub fn problems(&self) -> &[Problem] {
        &self.contents.problems
    }

    /// The first problem that may hide open work, in one line, and how many more there are.
    pub fn hidden_work(&self) -> Option<String> {
        let hides = |problem: &&Problem| problem.kind.hides_work();
        first_of(&self.problems().iter().filter(hides).cloned().collect::<Vec<_>>())
    }

    /// What was taken for what, in sentences; empty where that goes without saying.
    pub fn notes(&self) -> Vec<String> {
        notes::of(&self.contents)
    }

    /// Can it not be worked with at all: a file that cannot be read, or no task in any?
    pub fn is_unusable(&self) -> bool {
        let is_empty = !self.is_missing() && self.contents.tasks.is_empty();
        is_empty || self.contents.problems.iter().any(|problem| problem.kind.is_grave())
    }

    /// The names of its files, as they were given.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.contents.files.iter().map(|file| &*file.name)
    }

    /// How it is written: as its first file is; Markdown where there is none.
    pub fn form(&self) -> TaskForm {
        self.contents.files.first().map_or(&sources::Markdown, |file| file.form)
    }

    /// The text of a file, as the file was named; empty where there is none, or where it cannot be read.
    pub fn text(&self, name: &str) -> &str {
        self.contents.files.iter().find(|file| &*file.name == name).map_or("", |file| &file.text)
    }

    /// The same list with other bytes in one of its files, read by itself.
    pub fn reread(&self, name: &str, content: Vec<u8>) -> TaskList {
        let file = self.contents.files.iter().find(|file| &*file.name == name);
        let alone = TaskFile::alone(name, self.form(), Ok(content));
        let like = |file: &ReadFile| TaskFile { role: file.role, own: file.own.clone(), ..alone.clone() };
        TaskList::parse(vec![file.map_or_else(|| alone.clone(), like)])
    }

    /// The task of this id: the first that has it.
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.index.get(id).and_then(|index| self.contents.tasks.get(*index))
    }

    /// The task that a person means: its id in any case.
    pub fn find(&self, name: &str) -> Option<&Task> {
        let name = name.trim();
        let same = |task: &&Task| task.row.id.0.eq_ignore_ascii_case(name);
        self.task(&name.into()).or_else(|| self.contents.tasks.iter().find(same))
    }

    /// The task's own text, word for word: its heading and all below it, its story, its file. Empty where there is none of
    /// this id.
    pub fn source(&self, id: &TaskId) -> &str {
        self.task(id).map_or("", |task| self.contents.source(task))
    }

    /// What has to change in its file's bytes for a task to be in that state: an empty splice where it is already. `prd.json`
    /// has no word for in progress; there it is what does not pass.
    pub fn set_state(&self, id: &TaskId, state: TaskState) -> Result<Splice, Unwritable> {
        self.contents.mark(self.task(id).ok_or(Unwritable::NoTask)?, state)
    }
}
