//! One task of a list, and where its state is written.

use std::ops::Range;
use std::sync::Arc;

use windlass_core::values::{TaskRow, TaskState};

use super::file::{ReadFile, TaskForm};
use super::problem::{Problem, ProblemKind, quoted, unknown_status};
use super::status::Status;
use crate::doc::Splice;

/// A task as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedTask {
    /// What a run has to know of it.
    pub row: TaskRow,
    /// What its file says is to be done; empty where it says nothing. [`TaskList::source`](super::TaskList::source) has all.
    pub description: String,
    /// How its file says that it is to be verified.
    pub verification: Option<String>,
    /// Its file, as the file was named.
    pub file: Arc<str>,
    /// Its line, from 1.
    pub line: usize,
    /// Its text in the file's bytes.
    pub(super) block: Range<usize>,
    pub(super) place: StatePlace,
    /// The dependencies as they are written, each with its line.
    pub(super) named: Vec<(String, usize)>,
    pub(super) file_index: usize,
}

/// Where a task's state is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatePlace {
    /// The word itself, in the file's bytes.
    Word(Range<usize>),
    /// Nowhere: where it could be, the best place first.
    Missing(Vec<Insertion>),
    /// Among words that are somebody's: nobody can say which of them is the state.
    Unclear,
}

/// A place for a word, and what has to stand around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Insertion {
    pub at: usize,
    pub before: String,
    pub after: String,
}

impl Default for StatePlace {
    fn default() -> StatePlace {
        StatePlace::Missing(Vec::new())
    }
}

impl ListedTask {
    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Where its text stands in its file's bytes.
    pub const fn block(&self) -> &Range<usize> {
        &self.block
    }

    pub(super) fn problem(&self, kind: ProblemKind, sentence: String) -> Problem {
        Problem { kind, file: self.file.clone(), line: Some(self.line), sentence }
    }

    /// Takes in what stands where its status is to be: `source`, which begins at `start`. What is wrong with it is given back.
    pub(super) fn take_status(&mut self, source: &str, start: usize, empty: Insertion) -> Option<Problem> {
        let here = |range: &Range<usize>| start + range.start..start + range.end;
        let (place, word) = match Status::read(source) {
            Status::Known(range, state) => {
                (self.place, self.row.state) = (StatePlace::Word(here(&range)), state);
                return None;
            }
            Status::Empty => (StatePlace::Missing(vec![empty]), ""),
            Status::Foreign(range) => (StatePlace::Word(here(&range)), source.get(range).unwrap_or_default()),
            Status::Unclear(range) => (StatePlace::Unclear, source.get(range).unwrap_or_default()),
        };
        self.place = place;
        self.row.unclear = (!word.is_empty()).then(|| format!("its status `{}` is none", quoted(word)));
        Some(self.problem(ProblemKind::UnknownStatus, unknown_status(&self.row.id.0, word)))
    }

    /// The splice that brings it to that state, where one is safe.
    pub(super) fn splice(
        &self,
        file: &ReadFile,
        state: TaskState,
        is_safe: impl Fn(&Splice) -> bool,
    ) -> Option<Splice> {
        let splice = |range: Range<usize>, text: String| Splice { file: self.file.clone(), range, text };
        let is_there = match file.form {
            TaskForm::Prd => (state == TaskState::Done) == (self.row.state == TaskState::Done),
            TaskForm::Markdown | TaskForm::FrontMatter => state == self.row.state,
        };
        match &self.place {
            StatePlace::Word(range) => {
                let former = file.text.get(range.clone())?;
                let is_known = super::status::state_of(file.form, former) == Some(self.row.state);
                if is_there && is_known {
                    return Some(splice(range.start..range.start, String::new()));
                }
                Some(splice(range.clone(), word(file.form, state, former)))
            }
            StatePlace::Missing(places) => {
                if is_there {
                    return Some(splice(self.block.start..self.block.start, String::new()));
                }
                let put = |place: &Insertion| {
                    let text = format!("{}{}{}", place.before, word(file.form, state, ""), place.after);
                    splice(place.at..place.at, text)
                };
                places.iter().map(put).find(is_safe)
            }
            StatePlace::Unclear => {
                let is_sure = is_there && self.row.unclear.is_none();
                is_sure.then(|| splice(self.block.start..self.block.start, String::new()))
            }
        }
    }
}

/// A state's word, with capital letters where the former one had them.
fn word(form: TaskForm, state: TaskState, former: &str) -> String {
    let word = match (form, state) {
        (TaskForm::Prd, TaskState::Done) => return "true".to_owned(),
        (TaskForm::Prd, _) => return "false".to_owned(),
        (_, TaskState::Open) => "pending",
        (_, TaskState::InProgress) => "in-progress",
        (_, TaskState::Done) => "done",
    };
    let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
    let letters = || former.chars().filter(|letter| letter.is_alphabetic());
    if letters().count() > 1 && letters().all(char::is_uppercase) {
        return word.to_uppercase();
    }
    let capital = former.starts_with(char::is_uppercase);
    if capital { format!("{}{rest}", first.to_uppercase()) } else { word.to_owned() }
}
