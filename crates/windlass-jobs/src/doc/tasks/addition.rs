//! A task more, written as the others of its file are.

use windlass_core::values::{TaskId, TaskState};

use super::file::{FileRole, ReadFile};
use super::mark::is_same;
use super::source::{Layout, TaskForm};
use super::task::Task;
use super::{TaskList, words};
use crate::doc::Splice;
use crate::doc::text::{self, quoted};

/// What is to be done, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTask {
    /// What it is called; blanks become single.
    pub title: String,
    /// `high`, `medium`, `low` or a number; `None` = nothing is said.
    pub priority: Option<String>,
    /// Ids of tasks that have to be done before it.
    pub dependencies: Vec<String>,
    /// What is to be done; may be empty, may have lines.
    pub description: String,
}

/// Where a new task goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The id it gets: the next free one.
    pub id: TaskId,
    /// What has to be put where. Of a list with a file per task it is a file that must not be there.
    pub splice: Splice,
}

/// Why a task cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no file, or one cannot be read.
    #[error("the list cannot be read")]
    Unreadable,
    /// Nothing says what is to be done.
    #[error("a task needs a title")]
    NoTitle,
    /// A dependency is not a task of the list.
    #[error("there is no task {0} to depend on")]
    UnknownDependency(String),
    /// A priority is none of those there are.
    #[error("`{0}` is not a priority: say high, medium, low or a number")]
    UnknownPriority(String),
    /// Wherever it is put, it is not read as this task: the file ends in a block of code, for example.
    #[error("{0} ends in something that would swallow a task, such as an open block of code")]
    NoPlace(String),
    /// The same in a list that is JSON, where nothing can swallow it: its entries are of another shape.
    #[error("a task put into {0} would not be read as that task: add it by hand, as the others are written")]
    NotRead(String),
    /// The form has no way to add one.
    #[error("tasks of the form `{0}` are added by hand")]
    NotInThisForm(&'static str),
}

/// A new task, checked: nothing in it controls a terminal, and only the description has lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedTask {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) priority: u8,
    /// As it is written in words.
    pub(super) priority_word: String,
    pub(super) dependencies: Vec<String>,
    pub(super) description: String,
}

impl ReadFile {
    /// That a task finds no place in it.
    pub(super) fn no_place(&self) -> Refused {
        let name = self.name.to_string();
        if self.form.about().is_json { Refused::NotRead(name) } else { Refused::NoPlace(name) }
    }

    /// Puts a text there.
    pub(super) fn put(&self, at: usize, text: String) -> Splice {
        Splice { file: self.name.clone(), range: at..at, text }
    }
}

impl TaskList {
    /// What has to be written for a task more. Nothing else of the file changes, and it is read as what it is, or it is
    /// refused.
    pub fn addition(&self, task: &NewTask) -> Result<Addition, Refused> {
        let mut files = self.contents.files.iter();
        let file = files.rfind(|file| file.role != FileRole::PutAway).ok_or(Refused::Unreadable)?;
        if self.problems().iter().any(|problem| problem.kind.is_unreadable()) {
            return Err(Refused::Unreadable);
        }
        let ready = self.ready(task, file.form)?;
        let last = self.contents.tasks.iter().rfind(|task| task.file == file.name);
        let splice = file.form.add(file, last, &ready)?;
        if !is_read_as(file, &splice, &ready) {
            return Err(file.no_place());
        }
        Ok(Addition { id: TaskId(ready.id), splice })
    }

    fn ready(&self, task: &NewTask, form: TaskForm) -> Result<CheckedTask, Refused> {
        let title = one_line(&task.title);
        if title.is_empty() {
            return Err(Refused::NoTitle);
        }
        let known = |name: &String| match self.find(name) {
            Some(task) => Ok(task.row.id.0.clone()),
            None => Err(Refused::UnknownDependency(quoted(name))),
        };
        let word = task.priority.as_deref().map_or("", str::trim);
        let priority = match word {
            "" => form.usual_priority(self.tasks()),
            word => words::priority(word).ok_or_else(|| Refused::UnknownPriority(quoted(word)))?,
        };
        let lines = task.description.trim().lines().map(|line| harmless(line).trim_end().to_owned());
        Ok(CheckedTask {
            id: self.next_id(form),
            title,
            priority,
            priority_word: if word.is_empty() { "medium".to_owned() } else { one_line(word).to_lowercase() },
            dependencies: task.dependencies.iter().map(known).collect::<Result<_, _>>()?,
            description: lines.collect::<Vec<_>>().join("\n"),
        })
    }

    /// The id after the highest that begins as the last one does: `TASK-012` after `TASK-011`; `3` where two are called by their
    /// places.
    fn next_id(&self, form: TaskForm) -> String {
        let mut tasks = (1_usize..).zip(self.tasks());
        if !self.tasks().is_empty() && tasks.all(|(place, task)| task.row.id.0 == place.to_string()) {
            return (self.tasks().len() + 1).to_string();
        }
        let numbered = self.tasks().iter().rev().find_map(|task| parts(&task.row.id.0));
        let (prefix, number) = numbered.or_else(|| parts(form.about().id_zero)).unwrap_or(("TASK-", "000"));
        let same = |task: &Task| {
            let (its, number) = parts(&task.row.id.0)?;
            its.eq_ignore_ascii_case(prefix).then(|| number.parse::<u64>().ok()).flatten()
        };
        let highest = self.tasks().iter().filter_map(same).max().unwrap_or(0);
        format!("{prefix}{:0width$}", highest.saturating_add(1), width = number.len())
    }
}

/// What an id begins with, and its last number: `TASK-003b` is `TASK-` and `003`.
fn parts(id: &str) -> Option<(&str, &str)> {
    let end = id.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).len();
    let id = id.get(..end)?;
    let start = id.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let (prefix, number) = id.split_at_checked(start)?;
    let fits = !number.is_empty() && number.len() <= 18 && words::is_id(id);
    fits.then_some((prefix, number))
}

/// Is the file, after the splice, what it was and this task?
fn is_read_as(file: &ReadFile, splice: &Splice, ready: &CheckedTask) -> bool {
    let is_new = file.form.about().layout == Layout::FilePerTask;
    let new = || ReadFile { text: String::new(), ..file.clone() };
    let (before, after) =
        if is_new { (Vec::new(), new().after(splice)) } else { (file.read_again(), file.after(splice)) };
    let Some(mut after) = after else { return false };
    let Some(at) = after.iter().position(|task| task.row.id.0 == ready.id) else { return false };
    let added = after.remove(at);
    added.row.state == TaskState::Open
        && added.row.priority == ready.priority
        && added.dependencies_as_written().eq(&ready.dependencies)
        && is_same(&before, &after)
}

fn one_line(text: &str) -> String {
    harmless(&text::one_line(text))
}

fn harmless(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect()
}
