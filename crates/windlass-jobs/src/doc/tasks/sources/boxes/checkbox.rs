//! A list item with a box: a task, or what has to hold.

use std::ops::Range;

use windlass_core::values::TaskState;

use super::heading::Holds;
use super::reader::Reader;
use super::state::BoxSign;
use crate::doc::ProblemKind;
use crate::doc::tasks::task::StatePlace;
use crate::doc::tasks::{FileRole, Item, Task};
use crate::doc::text::quoted;

impl Reader<'_> {
    /// Takes in the box of this list item, which stands here.
    pub(super) fn take_box(&mut self, item: &Range<usize>, at: usize, sign: BoxSign) {
        let state = sign.state.unwrap_or_default();
        let heading = self.headings.last();
        let tagged = self.tagged.holds(at);
        let counts = heading.as_ref().map_or(self.role != FileRole::Index, |heading| heading.counts);
        if !counts || tagged == Holds::Aside {
            let aside = tagged.max(heading.map_or(Holds::Anything, |heading| heading.holds)) == Holds::Aside;
            self.about.set_aside += u64::from(aside && state != TaskState::Done);
            return;
        }
        let parent = self.items.iter().rev().nth(1).copied().flatten();
        let is_criterion = self.criteria_from.is_some()
            || tagged == Holds::Criteria
            || heading.as_ref().is_some_and(|heading| heading.holds == Holds::Criteria);
        let marker = self.base + at + 1..self.base + at + 1 + sign.sign;
        let block = self.base + item.start..self.base + item.end;
        let mut task = self.new_task(at, block, StatePlace::Word(marker), Item::Box);
        (task.row.state, task.parent) = (state, parent);
        if let Some(plan) = &mut task.plan {
            plan.optional = sign.optional;
        }
        if sign.state.is_none() {
            self.unknown_sign(&mut task, at, sign);
        }
        if is_criterion {
            task.parent = None;
            let owner = parent.or(self.headings.iter().rev().find_map(|heading| heading.task));
            self.criteria.push((task, owner));
            self.naming = Some(usize::MAX);
            return;
        }
        let index = self.push(task);
        if let Some(own) = self.own.get_mut(index) {
            let number = self.text.get(item.start..at).unwrap_or_default().trim().strip_suffix(['.', ')']);
            own.list_number =
                number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned);
        }
        if let Some(scope) = self.items.last_mut() {
            *scope = Some(index);
        }
        self.naming = Some(index);
        self.latest = Some(index);
    }

    /// A box with a sign that means nothing: the task is open, and is not worked on before somebody has said what it is.
    fn unknown_sign(&mut self, task: &mut Task, at: usize, sign: BoxSign) {
        let shown = quoted(self.text.get(at..at + 2 + sign.sign).unwrap_or_default());
        task.row.unclear = Some(format!("its box `{shown}` is none"));
        let sentence = format!("has the box `{shown}`: write `[ ]`, `[~]` or `[x]`");
        self.problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}
