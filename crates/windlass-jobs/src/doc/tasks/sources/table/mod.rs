//! Tables with a column of ids: each row is a task.

mod beside;
mod column;
mod reader;

use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

pub(in crate::doc) use self::beside::open_rows;
use super::Boxes;
use crate::doc::tasks::file::too_deep;
use crate::doc::tasks::{AboutForm, FileRole, Place, ReadFile, Reading, Task, TaskSource, spelling, status};
use crate::doc::text::ends_in;

/// What marks a row as done that has no status, before its id.
const MARKS: [&str; 3] = ["✅ ", "✔ ", PUT_IN];

/// What is written where the file has none, and in an empty cell: no sign for what is open becomes this one.
const PUT_IN: &str = "✔\u{fe0f} ";

/// Rows with an id, and a status or a mark.
#[derive(Clone, Copy, Debug)]
pub struct Table;

impl TaskSource for Table {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "table",
            summary: "a row per task: a column `ID`, or `Task` where nothing else is a task, and a `Status`, or a mark before the ids that are done (`✅ T1`); only where nothing has a box",
            no_task: "has no task: write each as a row with an `ID` and a `Status`",
            ..AboutForm::USUAL
        }
    }

    fn recognises(&self, name: &str, text: &str) -> bool {
        may_have_table(text) && {
            let name = Arc::from(name);
            let tasks = self.read(&name, FileRole::Single, text).tasks;
            // A table without ids may tell of what stands elsewhere.
            let has_ids = !tasks.iter().any(|task| task.row.id.0 == format!("L{}", task.line));
            let is_other = |task: &Task| !has_ids || task.is_box();
            !tasks.is_empty() && !Boxes.read(&name, FileRole::Single, text).tasks.iter().any(is_other)
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        let is_other = ends_in(name, "json") || ends_in(name, "jsonl");
        (place == Place::Alone && !is_other).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        too_deep(name, text).unwrap_or_else(|| reader::read(name, text))
    }

    fn state_of(&self, word: &str) -> Option<TaskState> {
        if word.trim().is_empty() { Some(TaskState::Open) } else { status::state_of(word.trim()) }
    }

    /// Where nothing is what says that a task is open, it can only be done or open.
    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        if !former.is_empty() && !MARKS.contains(&former) {
            return spelling::word(&file.about.words, state, former, None);
        }
        match state {
            TaskState::Open => Some(String::new()),
            TaskState::Done => {
                let own = file.about.words.of(state).filter(|word| MARKS.contains(word));
                Some(own.unwrap_or(PUT_IN).to_owned())
            }
            TaskState::InProgress => None,
        }
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!(
            "Then mark the row {id} in `{file}` as the others are that are done: by its status, or with `✅` before its id where there is none."
        )
    }
}

/// Could there be a table? The line below its head is written so.
fn may_have_table(text: &str) -> bool {
    ["|-", "| -", "|:", "| :"]
        .iter()
        .any(|line| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some())
}
