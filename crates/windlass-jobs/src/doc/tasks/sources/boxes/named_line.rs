//! Lines that begin with the bold name of a task, `**T001** What is to be done ✅`: tasks where a file has no other.

use super::heading::{self, Holds};
use super::reader::Reader;
use super::settle::Own;
use crate::doc::tasks::Item;
use crate::doc::tasks::task::StatePlace;

impl Reader<'_> {
    /// Takes in a line that begins here, where it is one. Below a heading of phases or tasks it may be a task.
    pub(super) fn named_line(&mut self, at: usize, plain: &str) {
        let start = at.saturating_sub(2);
        let is_bold = matches!(self.text.get(start..at), Some("**" | "__"));
        let is_work = self.headings.last().is_some_and(|open| open.counts && open.holds == Holds::Work);
        let is_outer = self.items.len() <= 1 && self.items.iter().all(Option::is_none);
        if !(is_bold && is_work && is_outer) {
            return;
        }
        let title = heading::read(plain);
        let (state, is_done) = (title.state, title.is_done());
        let Some(id) = title.id.filter(|_| title.task) else { return };
        self.end_named_line(start);
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.split(['\n', '\r']).next().unwrap_or_default().trim_end();
        let mark = start + heading::unmarked(line).len()..start + line.len();
        let (base, end) = (self.base, self.text.len());
        // Done without a mark at its end: what says so stands within its text.
        let place = if is_done && mark.is_empty() {
            StatePlace::Unclear
        } else {
            StatePlace::Word(base + mark.start..base + mark.end)
        };
        let mut task = self.new_task(start, base + start..base + end, place, Item::Line);
        task.row.state = state;
        (task.row.id.0, task.row.title) = (id, title.text);
        let section = self.open_sections.last().copied().unwrap_or_default();
        self.tasks.push(task);
        self.own.push(Own { section, is_task: true, ..Own::default() });
        self.named_line = Some(self.tasks.len() - 1);
        self.latest = self.named_line;
    }

    /// What belongs to the latest such line is over.
    pub(super) fn end_named_line(&mut self, at: usize) {
        if let Some(task) = self.named_line.take().and_then(|index| self.tasks.get_mut(index)) {
            task.block.end = self.base + at;
        }
    }
}
