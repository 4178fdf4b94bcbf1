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

/// The splice that brings a task of this file to a state, and changes nothing else of what is read there.
pub(super) fn splice(file: &ReadFile, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
    let splice = |range, text: String| Splice { file: file.name.clone(), range, text };
    let unchanged = |at: usize| Ok(splice(at..at, String::new()));
    let unwritable = || task.row.unclear.clone().map_or(Unwritable::NoPlace, Unwritable::Unclear);
    let former = match &task.place {
        StatePlace::Word(range) => file.text.get(range.clone()).unwrap_or_default(),
        StatePlace::Missing(_) | StatePlace::Unclear => "",
    };
    let is_there = file.form.kept(state, former) == file.form.kept(task.row.state, former);
    let word = || file.form.word(file, state, former);
    let candidates: Vec<Splice> = match &task.place {
        StatePlace::Word(range) if is_there && file.form.state_of(former) == Some(task.row.state) => {
            return unchanged(range.start);
        }
        StatePlace::Missing(_) if is_there => return unchanged(task.block.start),
        StatePlace::Unclear if is_there && task.row.unclear.is_none() => return unchanged(task.block.start),
        StatePlace::Word(range) => word().map(|word| splice(range.clone(), word)).into_iter().collect(),
        StatePlace::Missing(places) => {
            let put = |place: &Insertion| {
                let text = format!("{}{}{}", place.before, word()?, place.after);
                Some(splice(place.at..place.at, text))
            };
            places.iter().filter_map(put).collect()
        }
        StatePlace::Unclear => Vec::new(),
    };
    let kept = file.form.kept(state, former);
    let safe = candidates.into_iter().find(|splice| changes_only(file, splice, task, kept));
    safe.ok_or_else(unwritable)
}

/// Is this one task in that state after a splice, and everything else as it was?
fn changes_only(file: &ReadFile, splice: &Splice, task: &Task, state: TaskState) -> bool {
    let Some(mut after) = file.after(splice) else { return false };
    let mut before = file.read_again();
    // By its place: a task may have no id of its own.
    let Some(at) = before.iter().position(|known| known.block.start == task.block.start) else {
        return false;
    };
    let (Some(known), Some(now)) = (before.get_mut(at), after.get_mut(at)) else { return false };
    known.row.state = state;
    // A word that is none is replaced by one that is; nothing becomes unclear.
    if now.row.unclear.is_none() {
        known.row.unclear = None;
    }
    is_same(&before, &after)
}

/// Do two readings say the same of the same tasks, wherever these stand?
pub(super) fn is_same(before: &[Task], after: &[Task]) -> bool {
    let same = |(one, other): (&Task, &Task)| {
        one.row == other.row
            && one.dependencies_as_written().eq(other.dependencies_as_written())
            && says(one).eq(says(other))
    };
    before.len() == after.len() && before.iter().zip(after).all(same)
}

/// What has to hold of a task, wherever it stands.
fn says(task: &Task) -> impl Iterator<Item = (&str, bool)> {
    task.criteria.iter().map(|one| (one.text.as_str(), one.holds))
}
