//! Writing one state, or one task more.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_core::values::{TaskId, TaskState};
use windlass_jobs::doc::Splice;
use windlass_jobs::doc::tasks::{LONGEST_LIST, Layout, NewTask, TaskList, Unwritable};

use super::read::read_tasks;
use super::{FoundTasks, TasksError};
use windlass_host::file::{Made, lock_within};
use windlass_host::tree::{Attributes, TreePath, at};

/// How often a file is read anew that somebody else wrote meanwhile.
const TRIES: usize = 10;

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
    let mut lock = None;
    for _ in 0..TRIES {
        let FoundTasks { list, .. } = readable(directory, place)?;
        let (former, splice) = settable(&list, place, id, state)?;
        if splice.is_empty() {
            return Ok(Written::AsItWas);
        }
        let path = at(directory).join(&*splice.file);
        if apply_alone(&mut lock, &path, list.text(&splice.file), &splice)? == SpliceOutcome::Done {
            return Ok(Written::Changed { former });
        }
    }
    Err(TasksError::Changed(place.to_owned()))
}

/// Replaces a file of a list, in one step, if it still holds what the list has of it.
pub(crate) fn replace_text(
    directory: &Path,
    list: &TaskList,
    name: &str,
    text: String,
) -> Result<(), TasksError> {
    let before = list.text(name);
    let splice = Splice { file: name.into(), range: 0..before.len(), text };
    match apply_alone(&mut None, &at(directory).join(name), before, &splice)? {
        SpliceOutcome::Done => Ok(()),
        SpliceOutcome::Changed => Err(TasksError::Changed(name.into())),
    }
}

/// The state that a task has, and what has to change for another one.
///
/// # Errors
/// There is no such task, or its state cannot be written.
pub fn settable(
    list: &TaskList,
    place: &Path,
    id: &TaskId,
    state: TaskState,
) -> Result<(TaskState, Splice), TasksError> {
    let (id, place) = (id.clone(), place.to_owned());
    let Some(task) = list.task(&id) else { return Err(TasksError::NoTask { id, place }) };
    match list.set_state(&id, state) {
        Ok(splice) => Ok((task.row.state, splice)),
        Err(Unwritable::Unclear(why)) => Err(TasksError::Unclear { id, place, why }),
        Err(Unwritable::ByCommand(command)) => Err(TasksError::ByCommand { id, place, command }),
        Err(Unwritable::NoPlace | Unwritable::NoTask) => Err(TasksError::NoPlace { id, place }),
    }
}

/// Adds a task: at the end of its file's tasks, or as a file of its own.
///
/// # Errors
/// It is refused, or the system refuses. All is as it was then.
pub fn add_task(directory: &Path, place: &Path, task: &NewTask) -> Result<TaskId, TasksError> {
    let mut lock = None;
    for _ in 0..TRIES {
        let found = readable(directory, place)?;
        let addition = found.list.addition(task)?;
        let path = at(directory).join(&*addition.splice.file);
        if found.list.form().about().layout == Layout::FilePerTask {
            let permissions = usual_permissions(&found, directory);
            return match path.create_new(addition.splice.text.as_bytes(), permissions)? {
                Made::Anew => Ok(addition.id),
                Made::WasThere => Err(TasksError::InTheWay(PathBuf::from(&*addition.splice.file))),
            };
        }
        let before = found.list.text(&addition.splice.file);
        if apply_alone(&mut lock, &path, before, &addition.splice)? == SpliceOutcome::Done {
            return Ok(addition.id);
        }
    }
    Err(TasksError::Changed(place.to_owned()))
}

/// So long another of our processes is waited for that writes the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether it is done.
const POLL: Duration = Duration::from_millis(5);

/// Keeps others of our processes from writing the same file meanwhile: between a last look and the replacing of a file nobody
/// else's change may come.
struct Lock {
    _file: File,
}

impl Lock {
    /// `None` where it cannot be had: then the last look is all that protects.
    fn take(path: &TreePath) -> Option<Lock> {
        let target = path.resolved().ok()?;
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let file = target.open().ok()?;
            let is_ours = lock_within(&file, PATIENCE, POLL).ok()?;
            // Who had it before has put another file in its place.
            let there = target.look().ok().flatten()?;
            if is_ours && Attributes::of(&file).is_ok_and(|locked| locked.inode == there.inode) {
                return Some(Lock { _file: file });
            }
        }
        None
    }
}

/// Those of the file beside which it is made.
fn usual_permissions(found: &FoundTasks, directory: &Path) -> u32 {
    let beside = found.list.files().next().map(|name| at(directory).join(name));
    let found = beside.and_then(|path| path.look_through().ok().flatten());
    found.map_or(0o644, |found| found.mode & 0o666)
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
enum SpliceOutcome {
    Done,
    /// The file is not what was read of it.
    Changed,
}

/// Replaces the file in one step, if it still holds `before`, while no other process of ours does the same. Where it was
/// changed before the lock was taken, the lock stays, so that the next try is the last.
fn apply_alone(
    lock: &mut Option<Lock>,
    path: &TreePath,
    before: &str,
    splice: &Splice,
) -> Result<SpliceOutcome, TasksError> {
    let held = lock.take();
    let was_held = held.is_some();
    let taken = held.or_else(|| Lock::take(path));
    let outcome = apply(path, before, splice)?;
    // A change under a lock is by a process that is not ours, which may have put another file there.
    *lock = taken.filter(|_| !was_held);
    Ok(outcome)
}

/// Replaces the file in one step, if it still holds `before`.
fn apply(path: &TreePath, before: &str, splice: &Splice) -> Result<SpliceOutcome, TasksError> {
    let Some(after) = splice.apply(before.as_bytes()) else { return Ok(SpliceOutcome::Changed) };
    let target = path.resolved().map_err(|error| path.failed("find", error))?;
    let prepared = match target.prepare_like(&after) {
        // Somebody has put another file in its place since it was found.
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(SpliceOutcome::Changed),
        prepared => prepared?,
    };
    if target.read_beginning(LONGEST_LIST)?.as_deref() != Some(before.as_bytes()) {
        return Ok(SpliceOutcome::Changed);
    }
    prepared.put_in_place()?;
    target.parent().map_or(Ok(()), |folder| folder.sync_folder())?;
    Ok(SpliceOutcome::Done)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use windlass_git::testing::Scratch;

    #[test]
    fn of_twenty_who_write_at_once_nothing_is_lost() {
        let scratch = Scratch::plain();
        let tasks = (1..=20).fold(String::new(), |tasks, number| {
            tasks + &format!("### TASK-{number:03}: x\n- **Status**: pending\n\n")
        });
        scratch.write("tasks.md", &tasks);
        std::thread::scope(|scope| {
            for number in 1..=20 {
                let (top, id) = (&scratch.top, TaskId(format!("TASK-{number:03}")));
                scope.spawn(move || set_state(top, Path::new("tasks.md"), &id, TaskState::Done).unwrap());
            }
        });
        let written = fs::read_to_string(scratch.top.join("tasks.md")).unwrap();
        assert_eq!(written, tasks.replace("pending", "done"));
    }

    #[test]
    fn what_somebody_else_wrote_meanwhile_is_kept() {
        let scratch = Scratch::plain();
        scratch.write("tasks.md", "as somebody else left it");
        let splice = Splice { file: "tasks.md".into(), range: 0..2, text: "new".to_owned() };
        let path = scratch.top.join("tasks.md");
        assert_eq!(apply(&at(&path), "old text", &splice).unwrap(), SpliceOutcome::Changed);
        assert_eq!(fs::read_to_string(&path).unwrap(), "as somebody else left it");
        assert_eq!(fs::read_dir(&scratch.top).unwrap().count(), 1, "nothing is left beside it");
        assert_eq!(apply(&at(&path), "as somebody else left it", &splice).unwrap(), SpliceOutcome::Done);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new somebody else left it");
    }
}
