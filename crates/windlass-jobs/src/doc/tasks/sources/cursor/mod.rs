//! Cursor's plans: a Markdown file whose front matter holds `todos`, each with an id, its content and a status.

mod todos;

use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use super::Boxes;
use crate::doc::ProblemKind;
use crate::doc::tasks::task::StatePlace;
use crate::doc::tasks::{AboutForm, FileRole, Place, ReadFile, Reading, Task, TaskSource, spelling};
use crate::doc::text::ends_in;

/// Plans whose front matter holds `todos`.
#[derive(Clone, Copy, Debug)]
pub struct Cursor;

impl TaskSource for Cursor {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "cursor",
            summary: "Cursor's plans: `todos` in the front matter, each with `id`, `content`, `status` and `dependencies`",
            no_task: "has no task: its `todos` are empty",
            ..AboutForm::USUAL
        }
    }

    fn recognises(&self, name: &str, text: &str) -> bool {
        let found = todos::read(&Arc::from(name), text);
        !(found.tasks.is_empty() && found.problems.is_empty())
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "md")).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, role: FileRole, text: &str) -> Reading {
        let mut found = todos::read(name, text);
        let boxes = Boxes.read(name, role, text).tasks;
        let open = || boxes.iter().filter(|task| task.is_box() && task.row.state != TaskState::Done);
        if let Some(first) = open().next().filter(|_| !found.tasks.is_empty()) {
            let sentence = format!(
                "is the first of {} open boxes beside the `todos` above, which are what is worked through: tick them, or make todos of them",
                open().count()
            );
            found.problems.push(first.problem(ProblemKind::UnknownStatus, sentence));
            found.tasks.extend(open().map(unclear));
        }
        found
    }

    /// Its own words; what has another one is spelled as elsewhere, where that can be told from these.
    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        let own = match (state, former) {
            (TaskState::Open, "completed" | "in_progress") => "pending",
            (TaskState::Done, "pending" | "in_progress" | "") => "completed",
            (TaskState::InProgress, "pending" | "completed" | "") => "in_progress",
            (state, former) => {
                let word = spelling::word(&file.about.words, state, former, Some('_'))?;
                return Some(word).filter(|word| word != "completed");
            }
        };
        Some(own.to_owned())
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!("Then set the `status` of {id} at the top of `{file}` to `completed`.")
    }
}

/// A box beside the todos: an open task that nobody works on, so that the list is not done.
fn unclear(of_box: &Task) -> Task {
    let at = of_box.block.start;
    let mut task = Task::new(&of_box.file, of_box.line, at..at);
    task.row.id = TaskId(format!("L{}", of_box.line));
    task.row.title.clone_from(&of_box.row.title);
    task.row.unclear = Some("it is a box beside the todos".to_owned());
    task.place = StatePlace::Unclear;
    task
}
