//! Headings that begin with a box: `## [ ] What is to be done`.

use std::ops::Range;

use windlass_core::values::TaskState;

use super::reader::Reader;
use super::settle::Step;
use super::state::any_box_at;
use crate::doc::tasks::task::StatePlace;

/// The box of a heading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticked {
    /// Where its bracket stands.
    at: usize,
    /// How long its sign is, in bytes.
    sign: usize,
    state: TaskState,
}

impl Ticked {
    /// Where the heading's text goes on.
    pub(super) const fn end(&self) -> usize {
        self.at + self.sign + 2
    }
}

/// The box that the heading in this place begins with. One with a sign that means nothing is none, and is named.
pub(super) fn find(text: &str, heading: &Range<usize>) -> Option<Ticked> {
    let source = text.get(heading.clone())?.strip_prefix('#')?;
    let at = heading.end - source.trim_start_matches(['#', ' ', '\t']).len();
    let sign = any_box_at(text, at).filter(|sign| !sign.optional)?;
    Some(Ticked { at, sign: sign.sign, state: sign.state? })
}

impl Reader<'_> {
    /// This task is a heading with a box: the box says how far it is.
    pub(super) fn tick(&mut self, index: usize, ticked: Ticked) {
        let (Some(task), Some(own)) = (self.tasks.get_mut(index), self.own.get_mut(index)) else { return };
        let sign = self.base + ticked.at + 1;
        task.place = StatePlace::Word(sign..sign + ticked.sign);
        task.row.state = ticked.state;
        (own.is_shown, own.step) = (true, Step::No);
        self.boxes.insert(ticked.at);
    }
}
