//! What is wrong with a list of tasks, in sentences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::doc::problem::NAMED;

/// Something that is wrong with a list of tasks.
pub type Problem = crate::doc::problem::Problem<ProblemKind>;

/// What kind of problem a [`Problem`] is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A file cannot be read.
    Unreadable,
    /// A file is not UTF-8.
    NotUtf8,
    /// The list is too long, or has too many tasks.
    TooLong,
    /// A file nests too deeply.
    TooDeep,
    /// A file is not written in its form: no JSON, no front matter, a story without an id.
    Malformed,
    /// There is no task.
    NoTask,
    /// Two tasks have the same id.
    DuplicateId,
    /// A task depends on itself.
    SelfDependency,
    /// Tasks wait for one another.
    Cycle,
    /// A task depends on one that is not there.
    UnknownDependency,
    /// A status is none of those there are.
    UnknownStatus,
    /// A priority is none of those there are.
    UnknownPriority,
    /// A pattern of protected files is none.
    BadPattern,
    /// A task has a field twice.
    DoubleField,
    /// A status stands below a heading that is no task.
    NotATask,
}

impl ProblemKind {
    /// Can the list not be worked with at all?
    pub const fn is_grave(self) -> bool {
        use ProblemKind::{Malformed, NoTask, NotUtf8, TooDeep, TooLong, Unreadable};
        matches!(self, Unreadable | NotUtf8 | TooLong | TooDeep | Malformed | NoTask)
    }

    /// Can a file not be read?
    pub const fn is_unreadable(self) -> bool {
        self.is_grave() && !matches!(self, ProblemKind::NoTask)
    }
}

/// Puts the gravest first, and makes some of a thousand of the same kind.
pub(super) fn shorten(problems: &mut Vec<Problem>) {
    let mut of_kind: BTreeMap<ProblemKind, usize> = BTreeMap::new();
    problems.sort_by_key(|problem| problem.kind);
    problems.retain(|problem| {
        let count = of_kind.entry(problem.kind).or_default();
        *count += 1;
        *count <= NAMED
    });
    for (kind, count) in of_kind.into_iter().filter(|(_, count)| *count > NAMED) {
        if let Some(last) = problems.iter_mut().rfind(|problem| problem.kind == kind) {
            let _ = write!(last.sentence, " (and {} more of this kind)", count - NAMED);
        }
    }
}

/// Some of a text, in one line, as it can be quoted in a sentence.
pub(super) fn quoted(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|letter| !letter.is_control()).take(80).collect()
}

/// The sentence on a status that is none.
pub(super) fn unknown_status(id: &str, word: &str) -> String {
    let id = quoted(id);
    match quoted(word).as_str() {
        "" => format!("{id} has a status without a word: write pending, in-progress or done"),
        word => format!("{id} has the status `{word}`: write pending, in-progress or done"),
    }
}

/// The sentence on a priority that is none.
pub(super) fn unknown_priority(id: &str, word: &str) -> String {
    format!("{} has the priority `{}`: write high, medium, low or a number", quoted(id), quoted(word))
}
