//! Task files: what is to be done, in which order, and how far it is. Three forms, each read by structure, with byte ranges,
//! so that a change of a state is a splice and every other byte stays.
//!
//! - [`TaskForm::Markdown`], `DevLoop`'s: a heading `### TASK-001: Title` and below it fields with bold names, as list items
//!   or lines: Status, Priority, Dependencies, Description, Verification, Type, Breaking, Protected. What stands in code,
//!   quotes or HTML is none of it. A heading of level 3 with an id and a colon is a task when the id begins with `TASK` or `T`, or
//!   when it has a field; of another level, or without the colon, when it has a status.
//! - [`TaskForm::Prd`], snarktank's `prd.json`: `userStories[]`. In progress cannot be written there.
//! - [`TaskForm::FrontMatter`]: a folder with a Markdown file per task, its fields in front matter.

mod addition;
mod file;
mod front_matter;
mod markdown;
mod prd;
mod problem;
mod protection;
mod settle;
mod status;
mod task;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;

use windlass_core::values::{TaskId, TaskRow, TaskState};

pub use addition::{Addition, NewTask, Refused};
pub use file::{TaskFile, TaskForm};
pub use problem::{Problem, ProblemKind};
pub use task::ListedTask;

use crate::doc::Splice;

/// The longest task file that is read, in bytes: all files of a folder together.
pub const LONGEST_LIST: usize = 16 * 1024 * 1024;

/// So many tasks a list may have.
pub const MOST_TASKS: usize = 200_000;

/// Tasks as they were read, in the order of their files and in theirs, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskList {
    files: Vec<file::ReadFile>,
    tasks: Vec<ListedTask>,
    problems: Vec<Problem>,
    index: HashMap<TaskId, usize>,
}

impl TaskList {
    /// Reads a list: one file, or the files of a folder. No file at all is a list that is missing. What is wrong is named
    /// by [`problems`](TaskList::problems); what can be read is there all the same.
    pub fn parse(files: Vec<TaskFile>) -> TaskList {
        let mut list = TaskList::default();
        let mut room = LONGEST_LIST;
        for file in files {
            let (file, tasks) = file::read(file, &mut room, &mut list.problems);
            list.take_tasks(tasks);
            list.files.push(file);
        }
        settle::settle(&mut list.tasks, &mut list.problems);
        for (index, task) in list.tasks.iter().enumerate() {
            list.index.entry(task.row.id.clone()).or_insert(index);
        }
        if list.tasks.is_empty() && list.problems.is_empty() {
            list.problems.extend(file::no_task(&list.files));
        }
        problem::shorten(&mut list.problems);
        list
    }

    fn take_tasks(&mut self, tasks: Vec<ListedTask>) {
        let room = MOST_TASKS.saturating_sub(self.tasks.len());
        if let Some(first) = tasks.get(room) {
            let sentence = format!("is one task more than the {MOST_TASKS} that a list may have");
            self.problems.push(first.problem(ProblemKind::TooLong, sentence));
        }
        let file_index = self.files.len();
        self.tasks.extend(tasks.into_iter().take(room).map(|task| ListedTask { file_index, ..task }));
    }

    /// Is there no file at all?
    pub fn is_missing(&self) -> bool {
        self.files.is_empty()
    }

    /// All tasks, in the order of the files and in theirs; those whose id an earlier one has included.
    pub fn tasks(&self) -> &[ListedTask] {
        &self.tasks
    }

    /// What a run has to know of them, for a [`Schedule`](windlass_core::tasks::Schedule). Dependencies are spelled as the tasks
    /// that they mean; those that mean none are as they are written.
    pub fn rows(&self) -> Vec<TaskRow> {
        self.tasks.iter().map(|task| task.row.clone()).collect()
    }

    /// All that is wrong, the gravest first. A thousand problems of a kind are some, and how many more there are.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Can it not be worked with at all: a file that cannot be read, or no task in any?
    pub fn is_unusable(&self) -> bool {
        self.problems.iter().any(|problem| problem.kind.is_grave())
    }

    /// The names of its files, as they were given, with their forms.
    pub fn files(&self) -> impl Iterator<Item = (&str, TaskForm)> {
        self.files.iter().map(|file| (&*file.name, file.form))
    }

    /// The text of a file, as the file was named; empty where there is none, or where it cannot be read.
    pub fn text(&self, name: &str) -> &str {
        self.files.iter().find(|file| &*file.name == name).map_or("", |file| &file.text)
    }

    /// The task of this id: the first that has it.
    pub fn task(&self, id: &TaskId) -> Option<&ListedTask> {
        self.index.get(id).and_then(|index| self.tasks.get(*index))
    }

    /// The task that a person means: its id in any case.
    pub fn find(&self, name: &str) -> Option<&ListedTask> {
        let name = name.trim();
        let same = |task: &&ListedTask| task.row.id.0.eq_ignore_ascii_case(name);
        self.task(&name.into()).or_else(|| self.tasks.iter().find(same))
    }

    /// The task's own text, word for word: its heading and all below it, its story, its file. Empty where there is none of
    /// this id.
    pub fn source(&self, id: &TaskId) -> &str {
        let Some(task) = self.task(id) else { return "" };
        self.files.get(task.file_index).and_then(|file| file.text.get(task.block.clone())).unwrap_or_default()
    }

    /// What has to change in its file's bytes for a task to be in that state: an empty splice where it is already. `prd.json`
    /// has no word for in progress; there it is what does not pass. `None` where there is no task of this id, or no place
    /// where its state could be written without changing what else the file says.
    pub fn set_state(&self, id: &TaskId, state: TaskState) -> Option<Splice> {
        let task = self.task(id)?;
        let file = self.files.get(task.file_index)?;
        let is_safe = |splice: &Splice| file::holds_but_for(file, splice, id, state);
        task.splice(file, state, is_safe)
    }
}
