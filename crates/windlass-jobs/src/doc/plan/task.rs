//! One task of a plan.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

pub use windlass_core::values::TaskState;

use crate::doc::Splice;

/// A task as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it is called to be done, in one line, without its box, number and references.
    pub text: String,
    /// How far it is.
    pub state: TaskState,
    /// How it is written.
    pub form: Form,
    /// Its file, as the file was named.
    pub file: Arc<str>,
    /// Its line, from 1.
    pub line: usize,
    /// Where its state is written in the file's bytes: the one byte within the brackets, or what stands for *done* at the
    /// end of a heading (empty where nothing does).
    pub marker: Range<usize>,
    /// Its list item with all that is nested in it, or its heading with its section, in the file's bytes.
    pub block: Range<usize>,
    /// Its number: `1.2`, `P1.2`.
    pub id: Option<String>,
    /// The heading it stands below; empty where there is none.
    pub section: Arc<str>,
    /// The priority of its section (`Priority 1` comes before `Priority 2`).
    pub priority: Option<u32>,
    /// The specs it names, or else what it is nested in or stands below names, as written.
    pub refs: Arc<[String]>,
    /// The numbers or texts of tasks that have to be done before it, as written.
    pub dependencies: Vec<String>,
    /// How hard it is said to be.
    pub complexity: Option<Complexity>,
    /// The files it is said to touch.
    pub touches: Vec<String>,
    /// Does it stand in the cross-cutting section of a folder's `README.md`? It needs no spec.
    pub cross_cutting: bool,
    /// The index of the task that it is nested in.
    pub parent: Option<usize>,
    /// Where its outermost list item begins, or its heading.
    pub(super) outer: usize,
    pub(super) file_index: usize,
    pub(super) heading: usize,
}

/// How a task is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list item with a box.
    Box,
    /// A heading with a number.
    Heading,
}

/// How hard a task is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
}

impl Complexity {
    pub(super) fn read(value: &str) -> Option<Complexity> {
        let word = value.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty())?;
        [("low", Complexity::Low), ("medium", Complexity::Medium), ("high", Complexity::High)]
            .into_iter()
            .find_map(|(name, complexity)| word.eq_ignore_ascii_case(name).then_some(complexity))
    }

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Complexity::Low => "low",
            Complexity::Medium => "medium",
            Complexity::High => "high",
        }
    }
}

impl Task {
    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// What has to change in its file's bytes for it to be in that state. `None` for a heading in progress, which cannot be
    /// written.
    pub fn mark(&self, state: TaskState) -> Option<Splice> {
        let splice = |range, text: &str| Splice { file: self.file.clone(), range, text: text.to_owned() };
        let replacement = match (self.form, state) {
            _ if state == self.state => {
                return Some(splice(self.marker.start..self.marker.start, ""));
            }
            (Form::Box, TaskState::Open) => " ",
            (Form::Box, TaskState::InProgress) => "~",
            (Form::Box, TaskState::Done) => "x",
            (Form::Heading, TaskState::Open) => "",
            (Form::Heading, TaskState::Done) => " ✅",
            (Form::Heading, TaskState::InProgress) => return None,
        };
        Some(splice(self.marker.clone(), replacement))
    }
}
