//! What is wrong with a document, in sentences.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// So many problems of a kind are named one by one.
pub(super) const NAMED: usize = 20;

/// Something that is wrong with a document. It reads `tasks.md:12: depends on TASK-9, which is no task of this list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem<Kind> {
    /// What kind of problem it is.
    pub kind: Kind,
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The line, from 1; `None` where it is the whole file.
    pub line: Option<usize>,
    /// What is wrong, as the end of a sentence that begins with the place.
    pub sentence: String,
}

impl<Kind> fmt::Display for Problem<Kind> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.file, self.sentence),
            None => write!(formatter, "{} {}", self.file, self.sentence),
        }
    }
}
