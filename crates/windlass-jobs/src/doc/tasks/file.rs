//! The files of a list of tasks.

use std::sync::Arc;

use windlass_core::nesting;
use windlass_core::values::{TaskId, TaskState};

use super::problem::{Problem, ProblemKind};
use super::task::ListedTask;
use super::{front_matter, markdown, prd};
use crate::doc::Splice;

/// A file of a list, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    /// As people name it: its path from the project's folder.
    pub name: String,
    /// How it is written.
    pub form: TaskForm,
    /// Its bytes, or so many that it is seen to be too long; or why it cannot be read, as the end of a sentence that
    /// begins with the file (`is a folder`).
    pub content: Result<Vec<u8>, String>,
}

/// How tasks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskForm {
    /// `DevLoop`'s headings and fields, all tasks in one file.
    #[default]
    Markdown,
    /// snarktank's `prd.json`.
    Prd,
    /// A file per task, with front matter.
    FrontMatter,
}

impl TaskForm {
    /// As it is called in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            TaskForm::Markdown => "markdown",
            TaskForm::Prd => "prd",
            TaskForm::FrontMatter => "front_matter",
        }
    }
}

/// A file of a list, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadFile {
    pub name: Arc<str>,
    pub form: TaskForm,
    /// All of it, a byte order mark included.
    pub text: String,
}

/// What a form's reader finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub tasks: Vec<ListedTask>,
    pub problems: Vec<Problem>,
}

pub(super) fn read(
    file: TaskFile,
    room: &mut usize,
    problems: &mut Vec<Problem>,
) -> (ReadFile, Vec<ListedTask>) {
    let name: Arc<str> = Arc::from(file.name);
    let form = file.form;
    match text(file.content, room, form) {
        Ok(text) => {
            let mut found = tasks(&name, form, &text);
            problems.append(&mut found.problems);
            (ReadFile { name, form, text }, found.tasks)
        }
        Err((kind, line, sentence)) => {
            problems.push(Problem { kind, file: name.clone(), line, sentence });
            (ReadFile { name, form, text: String::new() }, Vec::new())
        }
    }
}

pub(super) fn tasks(name: &Arc<str>, form: TaskForm, text: &str) -> Found {
    match form {
        TaskForm::Markdown => markdown::read(name, text),
        TaskForm::Prd => prd::read(name, text),
        TaskForm::FrontMatter => front_matter::read(name, text),
    }
}

/// A text without its byte order mark, and the mark's length.
pub(super) fn without_mark(text: &str) -> (&str, usize) {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    (bare, text.len() - bare.len())
}

type Fault = (ProblemKind, Option<usize>, String);

fn text(content: Result<Vec<u8>, String>, room: &mut usize, form: TaskForm) -> Result<String, Fault> {
    let bytes = content.map_err(|why| (ProblemKind::Unreadable, None, why))?;
    let Some(left) = room.checked_sub(bytes.len()) else {
        let sentence = "is longer than a list of tasks may be, which is 16 MiB".to_owned();
        return Err((ProblemKind::TooLong, None, sentence));
    };
    *room = left;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', error.as_bytes().get(..valid).unwrap_or_default()).count();
        (ProblemKind::NotUtf8, Some(line), "is not UTF-8".to_owned())
    })?;
    if form == TaskForm::Markdown
        && let Some(line) = nesting::too_deep(&text)
    {
        let sentence = format!("nests deeper than {} levels", nesting::DEEPEST);
        return Err((ProblemKind::TooDeep, Some(line), sentence));
    }
    Ok(text)
}

/// Is this one task in that state after a splice, and everything else as it was?
pub(super) fn holds_but_for(file: &ReadFile, splice: &Splice, id: &TaskId, state: TaskState) -> bool {
    let Some(text) = splice.apply(file.text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return false;
    };
    let before = tasks(&file.name, file.form, &file.text).tasks;
    let after = tasks(&file.name, file.form, &text).tasks;
    let first = before.iter().position(|task| task.row.id == *id);
    before.len() == after.len()
        && before.into_iter().zip(after).enumerate().all(|(index, (before, after))| {
            let same_names = same_names(&before, &after);
            let mut row = before.row;
            if Some(index) == first {
                row.state = if file.form == TaskForm::Prd && state == TaskState::InProgress {
                    TaskState::Open
                } else {
                    state
                };
                row.unclear = None;
            }
            row == after.row && same_names
        })
}

/// Do two tasks name the same dependencies?
pub(super) fn same_names(one: &ListedTask, other: &ListedTask) -> bool {
    let names = |task: &ListedTask| task.named.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    names(one) == names(other)
}

pub(super) fn no_task(files: &[ReadFile]) -> Option<Problem> {
    let file = files.first()?;
    let sentence = match file.form {
        TaskForm::Markdown => "has no task: write each as `### TASK-001: What is to be done`",
        TaskForm::Prd => "has no task: `userStories` is empty",
        TaskForm::FrontMatter => "has no task",
    };
    Some(Problem {
        kind: ProblemKind::NoTask,
        file: file.name.clone(),
        line: None,
        sentence: sentence.to_owned(),
    })
}
