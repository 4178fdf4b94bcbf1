//! A line that says how far a task is: `**Status**: done`.

use std::ops::Range;

use pulldown_cmark::HeadingLevel;
use windlass_core::values::TaskState;

use super::reader::Reader;
use super::settle::Step;
use crate::doc::ProblemKind;
use crate::doc::tasks::status::{self, Status};
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{Task, beside, stuck};
use crate::doc::text::quoted;

/// What between parentheses is surely a status. `(new)` and `(open)` say what kind of thing it is.
const REMARKS: [&str; 11] = [
    "in-progress",
    "wip",
    "doing",
    "done",
    "complete",
    "completed",
    "finished",
    "implemented",
    "todo",
    "not-started",
    "pending",
];

impl Reader<'_> {
    /// Takes in such a line, which begins here, of a task: of a heading it is its state. A box says that itself.
    pub(super) fn status(&mut self, target: Option<usize>, at: Option<usize>) {
        let Some(at) = at else { return };
        let Some(index) = target else { return self.status_of_section(at) };
        let rest = self.text.get(at..).unwrap_or_default();
        let Some((name, value)) = rest.lines().next().unwrap_or_default().split_once(':') else { return };
        let (start, line) = (self.base + at + name.len() + 1, self.lines.line_of(at));
        if self.tasks.get(index).is_some_and(Task::is_box) {
            return self.status_of_box(index, (value, start), line);
        }
        let (Some(task), Some(own)) = (self.tasks.get_mut(index), self.own.get_mut(index)) else { return };
        if own.status_line.is_some() || Status::read(value) == Status::Empty {
            return;
        }
        (own.status_line, own.is_shown) = (Some(line), own.step != Step::Stage);
        let heading = (task.row.state == TaskState::Done).then(|| task.place.clone());
        let nowhere = Insertion { at: start, before: String::new(), after: String::new() };
        own.doubt = task.take_status((value, start), line, nowhere);
        if own.doubt.is_none() && task.row.state == TaskState::Done {
            let section = self.sections.get_mut(own.section);
            if let Some(section) = section {
                section.done.get_or_insert_with(|| (line, task.row.title.clone()));
            }
        }
        let Some(heading) = heading else { return };
        if task.row.state != TaskState::Done && own.doubt.is_none() {
            let why = "its heading says that it is done, and its status does not".to_owned();
            let id = quoted(&task.row.id.0);
            let sentence = format!(
                "{id} has a heading that says that it is done, and another status: change one of them"
            );
            own.doubt = Some(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
            (task.row.unclear, task.place) = (Some(why), StatePlace::Unclear);
        } else if own.doubt.is_none() {
            let both: Vec<_> = heading.words().iter().chain(task.place.words()).cloned().collect();
            let is_written = !heading.words().is_empty();
            task.place = if is_written { StatePlace::Words(both) } else { StatePlace::Unclear };
        }
    }

    /// Takes in the state in brackets that a heading ends with: `Parser [IN PROGRESS]`, `Parser (in progress)`.
    pub(super) fn state_in_brackets(&mut self, task: &mut Task, heading: &Range<usize>) {
        let source = self.text.get(heading.clone()).unwrap_or_default();
        let line = source.lines().next().unwrap_or_default().trim_end_matches(['#', ' ', '\t']);
        let brackets = [('[', ']'), ('(', ')')];
        let Some((open, close)) = brackets.into_iter().find(|(_, close)| line.ends_with(*close)) else {
            return;
        };
        let Some(within) = line.strip_suffix(close).and_then(|line| line.rsplit_once(open)) else { return };
        let is_status = open == '[' || REMARKS.iter().any(|word| status::is_word(within.1, word));
        let start = self.base + heading.start + within.0.len() + 1;
        let title = task.row.title.rsplit_once(open).map(|(title, _)| title.trim_end().to_owned());
        match Status::read(within.1) {
            Status::Known(range, state) if is_status && range == (0..within.1.len()) => {
                (task.place, task.row.state) = (StatePlace::Word(start..start + range.end), state);
                task.row.title = title.unwrap_or_default();
            }
            _ if stuck::stuck(line).is_some() || stuck::is_stuck_title(within.1) => {
                let word = quoted(within.1);
                let sentence =
                    format!("has the status `{word}`: write `[TODO]`, `[IN PROGRESS]` or `[DONE]`");
                task.row.unclear = Some(format!("its status `{word}` is none"));
                task.place = StatePlace::Word(start..start + within.1.len());
                task.row.title = title.unwrap_or_default();
                self.problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
            }
            _ => {}
        }
    }

    /// A status that stands in no task: of a section, or of the whole file, that is done.
    fn status_of_section(&mut self, at: usize) {
        let rest = self.text.get(at..).unwrap_or_default();
        let Some((_, value)) = rest.lines().next().unwrap_or_default().split_once(':') else { return };
        if !matches!(Status::read(value), Status::Known(_, TaskState::Done)) {
            return;
        }
        let line = self.lines.line_of(at);
        if self.headings.last().is_none_or(|heading| heading.level == HeadingLevel::H1) {
            self.said_of_whole
                .get_or_insert_with(|| (line, rest.lines().next().unwrap_or_default().to_owned()));
        } else if let Some(section) =
            self.open_sections.last().and_then(|index| self.sections.get_mut(*index))
        {
            section.done.get_or_insert_with(|| (line, value.trim().to_owned()));
        }
    }

    /// A status of a box, which begins here: both are its state, unless they say different things.
    fn status_of_box(&mut self, index: usize, (value, start): (&str, usize), line: usize) {
        let (Some(task), Some(own)) = (self.tasks.get_mut(index), self.own.get_mut(index)) else { return };
        let Status::Known(range, state) = Status::read(value) else { return };
        let is_done = |state| state == TaskState::Done;
        if task.row.unclear.is_some() {
            return;
        }
        if is_done(state) == is_done(task.row.state) {
            let word = start + range.start..start + range.end;
            if let StatePlace::Word(of_box) = &task.place {
                task.place = StatePlace::Words(vec![of_box.clone(), word]);
            }
            if task.row.state == TaskState::Open {
                task.row.state = state;
            }
            return;
        }
        let word = quoted(value.trim());
        let sentence = format!(
            "says of the box of line {} `{word}`, which its box does not: change one of them",
            task.line
        );
        own.doubt = Some(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
        task.row.unclear = Some("its box and its status do not agree".to_owned());
        task.place = StatePlace::Unclear;
    }
}

/// The line of front matter that says that all of its file is done, and its number.
pub(super) fn said_in_matter(text: &str) -> Option<(usize, String)> {
    let matter = text.get(..beside::after_matter(text))?;
    let says_done = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let is_status = matches!(key.trim_end().to_lowercase().as_str(), "status" | "state");
        (is_status && status::state_of(value.trim().trim_matches(['"', '\''])) == Some(TaskState::Done))
            .then_some(())
    };
    let mut lines = matter.lines().enumerate();
    lines.find_map(|(index, line)| says_done(line).map(|()| (index + 1, line.trim_end().to_owned())))
}
