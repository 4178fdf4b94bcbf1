//! `principles.yaml`: 18 values in two layers (seed 004). Read strictly, since an agent decides by it all night; changed
//! value by value, so that what a person wrote stays.

mod outline;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

use windlass_core::principles::Principles;

pub use read::read;
pub use write::{change, with_blanks, written};

/// The longest file, in bytes: no sound one has more than two thousand.
pub const LONGEST: usize = 64 * 1024;

/// What a file of principles says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrinciplesFile {
    /// The values, and where they come from.
    pub principles: Principles,
    /// The format's version, as it is written: `2.3`.
    pub version: String,
    /// The day it was made: `YYYY-MM-DD`.
    pub created_at: String,
}

/// What is wrong with a file of principles, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The line, from 1; `None` where it is about the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub text: String,
}

impl Problem {
    fn whole(text: impl Into<String>) -> Problem {
        Problem { line: None, text: text.into() }
    }

    fn at(line: usize, text: impl Into<String>) -> Problem {
        Problem { line: Some(line), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
