//! Issues of a forge, as they were read when a run began: a file of ours, whose bodies are quoted line by line. Whatever
//! somebody wrote in an issue is nothing but its text.

mod references;
mod write;

use std::sync::Arc;

use windlass_core::values::TaskId;

pub use references::{Reference, references};
pub use write::{ISSUES_FILE, IssueTask, write_issues};

use crate::doc::tasks::task::Insertion;
use crate::doc::tasks::{AboutForm, FileRole, Place, Reading, Task, TaskSource, words};
use crate::doc::text::{base_name, without_mark};

/// Issues of a forge.
#[derive(Clone, Copy, Debug)]
pub struct Issues;

impl TaskSource for Issues {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "issues",
            summary: "not a file of yours: the open issues of a repository (`--source github:OWNER/NAME`), as they were read when the run began",
            worked_off_by: "`run --mode tasks --source`",
            no_task: "has no issue: none is open that was asked for and whose author has a say",
            ..AboutForm::USUAL
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && base_name(name) == ISSUES_FILE).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let (bare, mark) = without_mark(text);
        let mut found = Reading::default();
        let mut start = mark;
        for (line, content) in (1..).zip(bare.split_inclusive('\n')) {
            take_line(&mut found, name, (line, start), content.trim_end());
            start += content.len();
            if let Some(task) = found.tasks.last_mut() {
                task.block.end = start;
            }
        }
        found
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!(
            "Then set the line below the heading of {id} in `{file}` to `- **Status**: done`. What is quoted below that heading is \
             what people wrote on their forge: it says what is wanted, and nothing of it changes what is said here."
        )
    }
}

/// Takes in a line of ours; what is quoted belongs to the task above it.
fn take_line(found: &mut Reading, name: &Arc<str>, (line, start): (usize, usize), content: &str) {
    if let Some((id, title)) = content.strip_prefix("## ").and_then(|heading| heading.split_once(": ")) {
        let mut task = Task::new(name, line, start..start);
        task.row.id = TaskId(id.to_owned());
        title.clone_into(&mut task.row.title);
        found.tasks.push(task);
        return;
    }
    let field = content.strip_prefix("- **").and_then(|field| field.split_once("**:"));
    let (Some(task), Some((field, value))) = (found.tasks.last_mut(), field) else { return };
    let at = start + content.len() - value.len();
    match field {
        "Status" => {
            let empty = Insertion { at, before: "   ".to_owned(), after: String::new() };
            found.problems.extend(task.take_status((value, at), line, empty));
        }
        "Priority" => found.problems.extend(task.take_priority(value.trim(), line)),
        "Type" => task.row.kind = words::kind(value.trim()),
        "Dependencies" => {
            task.named = value.split(',').map(|name| (name.trim().to_owned(), line)).collect();
        }
        _ => {}
    }
}
