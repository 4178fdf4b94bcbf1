//! The state of a task that another program keeps: that program is told.

use std::ffi::OsStr;
use std::path::Path;

use windlass_core::values::{TaskId, TaskState};
use windlass_host::process::{Command, Output};
use windlass_jobs::doc::tasks::StateCommand;

use super::TasksError;
use super::read::read_tasks;

/// Does the file say so now?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// It does.
    Now,
    /// The program has it, and has not written the file yet.
    Later,
}

/// Tells the program that keeps the task of a file, in the folder that holds the file's own; 60 s long.
///
/// # Errors
/// It is not installed, the file lies nowhere where it keeps some, or it fails.
pub fn tell_state(
    directory: &Path,
    place: &Path,
    id: &TaskId,
    state: TaskState,
    command: StateCommand,
) -> Result<Exported, TasksError> {
    let kept = place.parent().filter(|folder| folder.ends_with(command.folder)).and_then(Path::parent);
    let Some(kept) = kept else {
        return Err(TasksError::ByCommand { id: id.clone(), place: place.to_owned(), command });
    };
    let told = Command::new(command.program)
        .arguments(&command.arguments)
        .directory(directory.join(kept))
        .environment("NO_COLOR", Some(OsStr::new("1")))
        .run();
    match told {
        Ok(output) if output.succeeded() => Ok(exported(directory, place, id, state)),
        Ok(output) => Err(TasksError::CommandFailed { why: complaint(&output), command }),
        Err(error) if error.is_not_found() => {
            Err(TasksError::ByCommand { id: id.clone(), place: place.to_owned(), command })
        }
        Err(error) => Err(TasksError::CommandFailed { why: error.to_string(), command }),
    }
}

fn exported(directory: &Path, place: &Path, id: &TaskId, state: TaskState) -> Exported {
    let found = read_tasks(directory, place);
    let is_written = found.list.task(id).is_some_and(|task| task.row.state == state);
    if is_written { Exported::Now } else { Exported::Later }
}

/// The first line of its complaint, or else how it ended.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr.bytes);
    match said.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => line.to_owned(),
        None => output.ended.in_words(),
    }
}
