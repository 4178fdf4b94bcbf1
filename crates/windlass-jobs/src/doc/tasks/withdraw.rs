//! A status that was put where a file had none, taken out again: a task that never said how far it is says nothing again.

use std::ops::Range;

use windlass_core::values::TaskState;

use super::file::ReadFile;
use super::spelling;
use super::task::{StatePlace, Task};
use crate::doc::Splice;

/// What stands before a word that was put in, and hardly before one that a person wrote. Every form puts it there.
const BEFORE: &str = "  ";

/// The splice that takes out the status of a task that is done, where it was put in. What was put in is told from what a person
/// wrote by the blanks before its word (two where a line or a member was put in, three where only the word was missing), or by
/// the sign of an empty cell. What is left is a text in which marking the task as done gives exactly the present bytes.
pub(super) fn splice(file: &ReadFile, task: &Task) -> Option<Splice> {
    let StatePlace::Word(word) = &task.place else { return None };
    let written = file.text.get(word.clone()).filter(|word| matches!(*word, "done" | "true"))?;
    if task.row.state != TaskState::Done || !may_be_put_in(file, word.start) {
        return None;
    }
    let index = file.read_again().iter().position(|known| known.block.start == task.block.start)?;
    let all = insertions(&file.text, word, written);
    let splices = all.into_iter().map(|range| Splice { file: file.name.clone(), range, text: String::new() });
    splices.into_iter().find(|splice| is_put_in(file, splice, index))
}

/// Another word for what is done in place of the one of this splice, where that would be taken out again, although a word for
/// what is open stands there now.
pub(super) fn other_word(file: &ReadFile, task: &Task, splice: &Splice) -> Option<Splice> {
    let former = file.text.get(splice.range.clone())?;
    let others = file.about.words.without(former);
    if splice.text != "done" || !may_be_put_in(file, splice.range.start) {
        return None;
    }
    let (after, tasks) = file.changed(splice)?;
    let marked = tasks.iter().find(|known| known.block.start == task.block.start)?;
    self::splice(&after, marked)?;
    let text = spelling::other_done(&others, former)?;
    Some(Splice { text, ..splice.clone() })
}

/// Can a word that begins here have been put in? Whoever marks a task asks: of nearly all the answer costs nothing.
fn may_be_put_in(file: &ReadFile, word: usize) -> bool {
    file.text.get(..word).is_some_and(|before| before.ends_with(BEFORE))
}

/// What an insertion around a word may have been: a member of an object, the line that it stands in, with the lines that
/// keep it apart, or the word alone. By what stands around it, it is one of these, or two.
fn insertions(text: &str, word: &Range<usize>, written: &str) -> Vec<Range<usize>> {
    let begin = text.get(..word.start).unwrap_or_default();
    if written == "true" {
        return begin.rfind(',').map(|comma| comma..word.end).into_iter().collect();
    }
    let blanks = begin.len() - begin.trim_end_matches(' ').len();
    if blanks > BEFORE.len() {
        // The value began behind its colon, or a blank later.
        return [BEFORE.len() + 1, BEFORE.len()].map(|blanks| word.start - blanks..word.end).into();
    }
    let next = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        at + rest.find('\n').map_or(rest.len(), |end| end + 1)
    };
    let before = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.len() - before.strip_suffix("\r\n").or(before.strip_suffix('\n')).map_or(0, str::len)
    };
    let is_blank = |line: Range<usize>| text.get(line).is_some_and(|line| line.trim().is_empty());
    let line = begin.rfind('\n').map_or(0, |end| end + 1);
    let apart = line - before(line);
    let end = next(word.end);
    let is_last = end == word.end;
    let line_before = text.get(..apart).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1)..apart;
    vec![match () {
        // Behind the heading that the text ended with.
        () if is_last => apart - before(apart)..end,
        // Before a field, or at the end of front matter.
        () if !is_blank(end..next(end)) => line..end,
        // Behind a heading that a blank line follows, or behind one that text follows.
        () if line > 0 && is_blank(line_before) => apart..end,
        () => line..next(end),
    }]
}

/// Is a task one without a status after this splice, and marking it as done gives back what stood there?
fn is_put_in(file: &ReadFile, splice: &Splice, index: usize) -> bool {
    let Some((before, tasks)) = file.changed(splice) else { return false };
    let Some(task) = tasks.get(index) else { return false };
    let is_without = task.row.state == TaskState::Open && matches!(task.place, StatePlace::Missing(_));
    let marked = || before.form.mark(&before, task, TaskState::Done).ok()?.apply(before.text.as_bytes());
    is_without && marked().is_some_and(|bytes| bytes == file.text.as_bytes())
}
