//! Writing one state, or one task more.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::doc::tasks::{LONGEST_LIST, NewTask, Splice, TaskForm};
use windlass_core::fact::{TaskId, TaskState};

use super::read::read_tasks;
use super::{FoundTasks, TasksError};
use crate::file::{AtPath as _, Made, Replacement, create_new, read_beginning, sync_folder};

/// How often a file is read anew that somebody else wrote meanwhile.
const TRIES: usize = 5;

/// What became of writing a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// The file says so now.
    Changed {
        /// What it said before.
        former: TaskState,
    },
    /// The file said so already, or has no word for it.
    AsItWas,
}

/// Writes the state of a task: its word and no other byte, in one step; a link is followed, permissions and owner stay. The
/// file is read anew, and once more before it is replaced: what somebody else wrote meanwhile is kept.
///
/// # Errors
/// There is no such task, its state cannot be written, or the system refuses. The file is as it was then.
pub fn set_state(
    directory: &Path,
    place: &Path,
    id: &TaskId,
    state: TaskState,
) -> Result<Written, TasksError> {
    for _ in 0..TRIES {
        let FoundTasks { list, .. } = readable(directory, place)?;
        let no_task = || TasksError::NoTask { id: id.clone(), place: place.to_owned() };
        let former = list.task(id).ok_or_else(no_task)?.row.state;
        let no_place = || TasksError::NoPlace { id: id.clone(), place: place.to_owned() };
        let splice = list.set_state(id, state).ok_or_else(no_place)?;
        if splice.is_empty() {
            return Ok(Written::AsItWas);
        }
        let text = list.text(&splice.file);
        if apply(&directory.join(&*splice.file), text, &splice)? == Outcome::Done {
            return Ok(Written::Changed { former });
        }
    }
    Err(TasksError::Changed(place.to_owned()))
}

/// Adds a task: at the end of its file's tasks, or as a file of its own.
///
/// # Errors
/// It is refused, or the system refuses. All is as it was then.
pub fn add_task(directory: &Path, place: &Path, task: &NewTask) -> Result<TaskId, TasksError> {
    for _ in 0..TRIES {
        let found = readable(directory, place)?;
        let addition = found.list.addition(task)?;
        let path = directory.join(&*addition.splice.file);
        if found.form() == TaskForm::FrontMatter {
            return match create_new(
                &path,
                addition.splice.text.as_bytes(),
                usual_permissions(&found, directory),
            )? {
                Made::Anew => Ok(addition.id),
                Made::WasThere => Err(TasksError::InTheWay(PathBuf::from(&*addition.splice.file))),
            };
        }
        if apply(&path, found.list.text(&addition.splice.file), &addition.splice)? == Outcome::Done {
            return Ok(addition.id);
        }
    }
    Err(TasksError::Changed(place.to_owned()))
}

/// Those of the file beside which it is made.
fn usual_permissions(found: &FoundTasks, directory: &Path) -> u32 {
    let beside = found.list.files().next().map(|(name, _)| directory.join(name));
    let mode = beside.and_then(|path| fs::metadata(path).ok()).map(|metadata| metadata.mode() & 0o666);
    mode.unwrap_or(0o644)
}

fn readable(directory: &Path, place: &Path) -> Result<FoundTasks, TasksError> {
    let found = read_tasks(directory, place);
    if found.list.is_missing() {
        return Err(TasksError::NotThere(place.to_owned()));
    }
    match found.list.problems().iter().find(|problem| problem.kind.is_unreadable()) {
        Some(problem) if found.list.tasks().is_empty() => Err(TasksError::Unreadable(problem.clone())),
        _ => Ok(found),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    /// The file is not what was read of it.
    Changed,
}

/// Replaces the file in one step, if it still holds `before`.
fn apply(path: &Path, before: &str, splice: &Splice) -> Result<Outcome, TasksError> {
    let Some(after) = splice.apply(before.as_bytes()) else { return Ok(Outcome::Changed) };
    let target = fs::canonicalize(path).at("find", path)?;
    let metadata = fs::metadata(&target).at("look at", &target)?;
    let replacement = Replacement::write(&target, &after, metadata.mode() & 0o7777)?;
    let file = replacement.file()?;
    // Root may change somebody else's file, which stays theirs; nobody else can, and need not.
    let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
    file.sync_data().at("sync", &target)?;
    if read_beginning(&target, LONGEST_LIST)?.as_deref() != Some(before.as_bytes()) {
        return Ok(Outcome::Changed);
    }
    replacement.put_in_place()?;
    sync_folder(target.parent().unwrap_or(Path::new("/")))?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn what_somebody_else_wrote_meanwhile_is_kept() {
        let scratch = Scratch::plain();
        scratch.write("tasks.md", "as somebody else left it");
        let splice = Splice { file: "tasks.md".into(), range: 0..2, text: "new".to_owned() };
        let path = scratch.top.join("tasks.md");
        assert_eq!(apply(&path, "old text", &splice).unwrap(), Outcome::Changed);
        assert_eq!(fs::read_to_string(&path).unwrap(), "as somebody else left it");
        assert_eq!(fs::read_dir(&scratch.top).unwrap().count(), 1, "nothing is left beside it");
        assert_eq!(apply(&path, "as somebody else left it", &splice).unwrap(), Outcome::Done);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new somebody else left it");
    }
}
