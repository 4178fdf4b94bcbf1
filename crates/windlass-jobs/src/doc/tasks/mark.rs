//! A change of one task's state, and of nothing else.

use std::fmt;
use std::ops::Range;

use windlass_core::values::TaskState;
use windlass_core::words::quoted;

use super::file::ReadFile;
use super::task::{Insertion, StatePlace, Task};
use super::withdraw;
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
    /// Another program keeps the states, and is told by this command.
    ByCommand(StateCommand),
}

/// The command by which the program that keeps the tasks is told a state, from the folder that it keeps them in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCommand {
    /// The program, looked up in `PATH`.
    pub program: &'static str,
    /// The folder that it keeps its files in, below the one where it is told.
    pub folder: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl fmt::Display for StateCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument.as_ref())))
    }
}

/// The splice that brings a task of this file to a state, and changes nothing else of what is read there.
pub(super) fn splice(file: &ReadFile, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
    let splice = |range, text: String| Splice { file: file.name.clone(), range, text };
    let unchanged = |at: usize| Ok(splice(at..at, String::new()));
    let unwritable = || task.row.unclear.clone().map_or(Unwritable::NoPlace, Unwritable::Unclear);
    let text = |range: &Range<usize>| file.text.get(range.clone()).unwrap_or_default();
    let is_kept = |former: &str| file.form.kept(state, former) == file.form.kept(task.row.state, former);
    let says_so = |former: &str| {
        let state = file.own.meaning(former).or_else(|| file.form.state_of(former));
        let state = state.map(|state| file.form.kept(state, former));
        state == Some(file.form.kept(task.row.state, former))
    };
    let ranges = task.place.words();
    let is_there = if ranges.is_empty() { is_kept("") } else { ranges.iter().map(text).all(is_kept) };
    let candidates: Vec<Splice> = match &task.place {
        StatePlace::Word(_) | StatePlace::Words(_) if is_there && ranges.iter().map(text).all(says_so) => {
            return unchanged(ranges.first().map_or(task.block.start, |first| first.start));
        }
        StatePlace::Missing(_) if is_there => return unchanged(task.block.start),
        StatePlace::Unclear if is_there && task.row.unclear.is_none() => return unchanged(task.block.start),
        StatePlace::Word(_) | StatePlace::Words(_) => {
            let taken_out = (state == TaskState::Open).then(|| withdraw::splice(file, task)).flatten();
            let word = rewritten(file, ranges, state).map(|(range, words)| splice(range, words));
            let other = word.as_ref().and_then(|word| withdraw::other_word(file, task, word));
            taken_out.into_iter().chain(other).chain(word).collect()
        }
        StatePlace::Missing(places) => {
            let put = |place: &Insertion| {
                let word = file.form.word(file, state, "")?;
                let text = format!("{}{word}{}", place.before, place.after);
                Some(splice(place.at..place.at, text))
            };
            places.iter().filter_map(put).collect()
        }
        StatePlace::Unclear => Vec::new(),
    };
    // Of several words one may say less than the others.
    let kept = |former: &str| file.form.kept(state, former);
    let kept = match ranges {
        [] => kept(""),
        ranges if ranges.iter().map(text).any(|former| kept(former) == state) => state,
        _ => TaskState::Open,
    };
    let safe = candidates.into_iter().find(|splice| changes_only(file, splice, task, kept));
    safe.ok_or_else(unwritable)
}

/// All of a task's words for a state, with what stands between them as it is, and where that goes.
fn rewritten(file: &ReadFile, ranges: &[Range<usize>], state: TaskState) -> Option<(Range<usize>, String)> {
    let whole = ranges.first()?.start..ranges.last()?.end;
    let mut text = String::new();
    let mut from = whole.start;
    for range in ranges {
        text.push_str(file.text.get(from..range.start)?);
        text.push_str(&file.form.word_at(file, state, range)?);
        from = range.end;
    }
    Some((whole, text))
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
    // What was unclear in a plan before somebody said that it is done is so again where it is taken back.
    let is_taken_back = task.plan.is_some() && state == TaskState::Open;
    if now.row.unclear.is_none() || is_taken_back {
        known.row.unclear.clone_from(&now.row.unclear);
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
