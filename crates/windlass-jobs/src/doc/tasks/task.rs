//! One task, and where its state is written.

use std::ops::Range;
use std::sync::Arc;

use strum::{EnumString, IntoStaticStr};
use windlass_core::values::{TaskId, TaskRow};

use super::criteria::Criterion;
use super::status::Status;
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// A task as it was read, in whatever form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// What a run has to know of it. In a plan its id is its number (`1.2`, `P1.2`), and empty where it has none.
    pub row: TaskRow,
    /// What its file says is to be done; empty where it says nothing. [`TaskList::source`](super::TaskList::source) has all.
    pub description: String,
    /// How its file says that it is to be verified.
    pub verification: Option<String>,
    /// Its file, as the file was named.
    pub file: Arc<str>,
    /// Its line, from 1.
    pub line: usize,
    /// The heading it stands below; empty where there is none.
    pub section: Arc<str>,
    /// What shows that it is done, as its file says; empty where it says nothing.
    pub criteria: Vec<Criterion>,
    /// How hard it is said to be.
    pub complexity: Option<Complexity>,
    /// The files it is said to touch.
    pub touches: Vec<String>,
    /// The specs it names, or else what it is nested in or stands below names, as written.
    pub refs: Arc<[String]>,
    /// The numbers of the sections that it stands in, the innermost first: who waits for one waits for all that stands in it.
    pub within: Arc<[String]>,
    /// The index of the task that it is nested in.
    pub parent: Option<usize>,
    /// What only a plan says of it.
    pub plan: Option<InPlan>,
    /// Its text in the file's bytes.
    pub(in crate::doc) block: Range<usize>,
    pub(in crate::doc) place: StatePlace,
    /// The dependencies as they are written, each with its line.
    pub(in crate::doc) named: Vec<(String, usize)>,
    pub(in crate::doc) file_index: usize,
}

/// What only a plan says of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlan {
    /// How it is written.
    pub item: Item,
    /// The priority of its section (`Priority 1` comes before `Priority 2`).
    pub priority: Option<u32>,
    /// It may be left out: it comes after all others.
    pub optional: bool,
    /// Does it stand in the cross-cutting section of a folder's `README.md`? It needs no spec.
    pub cross_cutting: bool,
    /// Where its outermost list item begins, or its heading.
    pub(in crate::doc) outer: usize,
}

/// What a task of a plan is in Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A list item with a box.
    Box,
    /// A heading with a number.
    Heading,
    /// A line that begins with the bold name of a task.
    Line,
}

/// How hard a task is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
pub enum Complexity {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
}

impl Complexity {
    /// By the first word of what is said of it; claude-loop says small and large.
    pub(super) fn read(value: &str) -> Option<Complexity> {
        let word = value.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty())?;
        match word.to_lowercase().as_str() {
            "small" => Some(Complexity::Low),
            "large" => Some(Complexity::High),
            word => word.parse().ok(),
        }
    }
}

/// Where a task's state is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doc) enum StatePlace {
    /// The word itself, in the file's bytes; of a box the byte within its brackets, of a heading the mark at its end, which may
    /// be empty.
    Word(Range<usize>),
    /// Several words that say the same, in their order: all of them are changed.
    Words(Vec<Range<usize>>),
    /// Nowhere: where it could be, the best place first.
    Missing(Vec<Insertion>),
    /// Among words that are somebody's: nobody can say which of them is the state.
    Unclear,
}

/// A place for a word, and what has to stand around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doc) struct Insertion {
    pub at: usize,
    pub before: String,
    pub after: String,
}

impl StatePlace {
    /// Where its words stand.
    pub(in crate::doc) fn words(&self) -> &[Range<usize>] {
        match self {
            StatePlace::Word(only) => std::slice::from_ref(only),
            StatePlace::Words(all) => all,
            StatePlace::Missing(_) | StatePlace::Unclear => &[],
        }
    }
}

impl Default for StatePlace {
    fn default() -> StatePlace {
        StatePlace::Missing(Vec::new())
    }
}

impl Task {
    /// One that begins here.
    pub(super) fn new(file: &Arc<str>, line: usize, block: Range<usize>) -> Task {
        let row = TaskRow { priority: TaskRow::USUAL_PRIORITY, ..TaskRow::default() };
        Task { row, file: file.clone(), line, block, ..Task::default() }
    }

    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Its id or number, where it has one.
    pub fn id(&self) -> Option<&TaskId> {
        Some(&self.row.id).filter(|id| !id.0.is_empty())
    }

    /// Is it a list item with a box, in a plan?
    pub fn is_box(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.item == Item::Box)
    }

    /// Is it a heading, in a plan?
    pub fn is_heading(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.item == Item::Heading)
    }

    /// Is it a line with a bold name, in a plan?
    pub fn is_line(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.item == Item::Line)
    }

    /// Does it cut across all features of a plan?
    pub fn is_cross_cutting(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.cross_cutting)
    }

    /// What has to be done before it, as its file names it.
    pub fn dependencies_as_written(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    /// Where its text stands in its file's bytes.
    pub const fn block(&self) -> &Range<usize> {
        &self.block
    }

    pub(in crate::doc) fn problem(&self, kind: ProblemKind, sentence: String) -> Problem {
        self.problem_at(self.line, kind, sentence)
    }

    /// A problem of it in a line of its own file.
    pub(in crate::doc) fn problem_at(&self, line: usize, kind: ProblemKind, sentence: String) -> Problem {
        Problem { kind, file: self.file.clone(), line: Some(line), sentence }
    }

    /// Takes in what stands where its status is to be, in a line: `source`, which begins at `start`. What is wrong with it is
    /// given back.
    pub(super) fn take_status(
        &mut self,
        (source, start): (&str, usize),
        line: usize,
        empty: Insertion,
    ) -> Option<Problem> {
        let here = |range: &Range<usize>| start + range.start..start + range.end;
        let (place, word) = match Status::read(source) {
            Status::Known(range, state) => {
                (self.place, self.row.state) = (StatePlace::Word(here(&range)), state);
                return None;
            }
            Status::Empty => (StatePlace::Missing(vec![empty]), ""),
            Status::Foreign(range) => (StatePlace::Word(here(&range)), source.get(range).unwrap_or_default()),
            // What follows in the same line is another field.
            Status::Unclear(range) => {
                let word = source.get(range).unwrap_or_default();
                (StatePlace::Unclear, word.split(" | **").next().unwrap_or_default())
            }
        };
        self.place = place;
        self.row.unclear = (!word.is_empty()).then(|| format!("its status `{}` is none", quoted(word)));
        let has = match quoted(word).as_str() {
            "" => "a status without a word".to_owned(),
            word => format!("the status `{word}`"),
        };
        let sentence = format!("{} has {has}: write pending, in-progress or done", quoted(&self.row.id.0));
        Some(self.problem_at(line, ProblemKind::UnknownStatus, sentence))
    }

    /// Takes in a word for its priority, in a line. What is wrong with it is given back.
    pub(super) fn take_priority(&mut self, word: &str, line: usize) -> Option<Problem> {
        let Some(priority) = super::words::priority(word) else {
            let (id, word) = (quoted(&self.row.id.0), quoted(word));
            let sentence = format!("{id} has the priority `{word}`: write high, medium, low or a number");
            return Some(self.problem_at(line, ProblemKind::UnknownPriority, sentence));
        };
        self.row.priority = priority;
        None
    }
}
