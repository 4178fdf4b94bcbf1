//! What is wrong with a list of tasks or a plan, in sentences.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use serde::Serialize;

use super::text::cut;

/// So many problems of a kind are named one by one.
pub(super) const NAMED: usize = 20;

/// The longest line that a run is told of a problem, in characters.
const LINE: usize = 200;

/// Something that is wrong with a document. It reads `tasks.md:12: depends on TASK-9, which is not a task of this list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind of problem it is.
    pub kind: ProblemKind,
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The line, from 1; `None` where it is the whole file.
    pub line: Option<usize>,
    /// What is wrong, as the end of a sentence that begins with the place.
    pub sentence: String,
}

/// What kind of problem a [`Problem`] is; of those of a task list, the gravest first.
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
    /// There is no task, or a file of a plan is empty.
    NoTask,
    /// A file that a plan's index names is not there.
    MissingFile,
    /// Two tasks have the same id.
    DuplicateId,
    /// Two tasks of a plan's file have the same number.
    SameNumber,
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
    /// There is nothing but boxes that say what has to hold.
    OnlyCriteria,
    /// A pattern of protected files is none.
    BadPattern,
    /// A task has a field twice.
    DoubleField,
    /// Open work may stand there, which is no task as it is written.
    Unseen,
    /// A status stands below a heading that is not a task.
    NotATask,
    /// A task names no spec.
    NoSpec,
    /// A task names a spec that is not there.
    UnknownSpec,
    /// A document is empty, or a part of it is.
    Empty,
    /// A document ends in the middle of something.
    CutOff,
    /// A part of a document is not there.
    MissingPart,
    /// Words of the form stand where something is to be said.
    Placeholder,
    /// Two requirements have the same id.
    SameRequirement,
    /// A document refers to no requirement of the PRD, or not to this one.
    UnnamedRequirement,
    /// It refers to a requirement that is not in the PRD.
    UnknownRequirement,
    /// A file is not below the project's folder.
    OutsideProject,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.file, self.sentence),
            None => write!(formatter, "{} {}", self.file, self.sentence),
        }
    }
}

impl ProblemKind {
    /// Can the list not be worked with at all?
    pub const fn is_grave(self) -> bool {
        self.is_unreadable() || matches!(self, ProblemKind::NoTask)
    }

    /// Is it something that only a person can decide, while the rest can be worked off?
    pub const fn is_doubt(self) -> bool {
        matches!(self, ProblemKind::UnknownStatus | ProblemKind::OnlyCriteria)
    }

    /// May there be open work that no task of the list is? Then not all is done before somebody has said what it is.
    pub const fn hides_work(self) -> bool {
        matches!(self, ProblemKind::Unseen)
    }

    /// Can a file not be read?
    pub const fn is_unreadable(self) -> bool {
        use ProblemKind::{Malformed, NotUtf8, TooDeep, TooLong, Unreadable};
        matches!(self, Unreadable | NotUtf8 | TooLong | TooDeep | Malformed)
    }
}

/// The first of them, in one line, and how many more there are; `None` where nothing is wrong.
pub(super) fn first_of(problems: &[Problem]) -> Option<String> {
    let (first, others) = problems.split_first()?;
    let rest = if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
    Some(cut(&first.to_string(), LINE - rest.len()) + &rest)
}

/// Of a thousand problems of a kind some are left, and how many more there are.
pub(super) fn shorten(problems: &mut Vec<Problem>) {
    let mut of_kind: BTreeMap<ProblemKind, usize> = BTreeMap::new();
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
