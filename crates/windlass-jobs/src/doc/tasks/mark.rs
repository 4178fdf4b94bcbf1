//! A change of one task's state, and of nothing else.

use windlass_core::values::TaskState;

use super::file::ReadFile;
use super::task::{Insertion, StatePlace, Task};
use crate::doc::Splice;

/// Why the state of a task cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// There is no task of this id.
    NoTask,
    /// A person has to mend first what stands there: why, as the end of a sentence.
    Unclear(String),
    /// There is no place or no word for it that would leave all else as it is.
    NoPlace,
}

/// The splice that brings a task of this file to a state.
pub(super) fn splice(file: &ReadFile, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
    let splice = |range, text: String| Splice { file: file.name.clone(), range, text };
    let unchanged = |at: usize| Ok(splice(at..at, String::new()));
    let unwritable = || task.row.unclear.clone().map_or(Unwritable::NoPlace, Unwritable::Unclear);
    let former = match &task.place {
        StatePlace::Word(range) => file.text.get(range.clone()).unwrap_or_default(),
        StatePlace::Missing(_) | StatePlace::Unclear => "",
    };
    let is_there = file.form.kept(state, former) == file.form.kept(task.row.state, former);
    match &task.place {
        StatePlace::Word(range) => {
            if is_there && file.form.state_of(former) == Some(task.row.state) {
                return unchanged(range.start);
            }
            let word = file.form.word(file, state, former).ok_or_else(unwritable)?;
            Ok(splice(range.clone(), word))
        }
        StatePlace::Missing(_) if is_there => unchanged(task.block.start),
        StatePlace::Missing(places) => {
            let put = |place: &Insertion| {
                let word = file.form.word(file, state, "")?;
                let text = format!("{}{word}{}", place.before, place.after);
                Some(splice(place.at..place.at, text))
            };
            let safe = places.iter().filter_map(put).find(|splice| changes_only(file, splice, task, state));
            safe.ok_or_else(unwritable)
        }
        StatePlace::Unclear if is_there && task.row.unclear.is_none() => unchanged(task.block.start),
        StatePlace::Unclear => Err(unwritable()),
    }
}

/// Is this one task in that state after a splice, and everything else as it was?
fn changes_only(file: &ReadFile, splice: &Splice, task: &Task, state: TaskState) -> bool {
    let Some(after) = file.after(splice) else { return false };
    let mut before = file.read_again();
    let first = before.iter_mut().find(|before| before.row.id == task.row.id);
    if let Some(first) = first {
        first.row.state = file.form.kept(state, "");
        first.row.unclear = None;
    }
    is_same(&before, &after)
}

/// Do two readings say the same of the same tasks, wherever these stand?
pub(super) fn is_same(before: &[Task], after: &[Task]) -> bool {
    let same = |(one, other): (&Task, &Task)| {
        one.row == other.row && one.dependencies_as_written().eq(other.dependencies_as_written())
    };
    before.len() == after.len() && before.iter().zip(after).all(same)
}
