//! `progress.md`: the journal of a task file, for people (format in part E3).
//!
//! It is written from what the run knows and read for nothing but history: what a run did is in its own journal.
//!
//! ```text
//! # Progress Log
//!
//! ## Summary
//! - **Total Tasks**: 6
//! - **Completed**: 2
//! - **Remaining**: 4
//! - **Last Updated**: 2026-03-01T12:00:00.000Z
//!
//! ## Iteration Log
//!
//! ### Iteration 3 - 2026-03-01T12:00:00.000Z
//! - **Task Attempted**: TASK-002
//! - **Task Completed**: none
//! …
//! ```
//!
//! Reading is tolerant: `DevLoop` wrote numbers as its machine's language has them, left fields out, and put error messages
//! between fences that could hold fences themselves. What stands between fences is never an entry. Writing keeps every
//! byte but the values of the summary.

mod fields;
mod number;
mod outline;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;

use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};
use windlass_core::values::{Cost, Spent, Tokens};

pub use write::with_entry;

/// The longest journal that is read or added to, in bytes.
pub const LONGEST_PROGRESS: usize = 16 * 1024 * 1024;

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
pub enum ProgressExit {
    /// Its task is done.
    Success,
    /// It failed, or its claim was refused.
    Error,
    /// It made progress, and its task is not done.
    Partial,
    /// It was cut off.
    Interrupted,
}

/// An iteration, as it is to be written. Texts may hold anything: what could be taken for something else is made harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressEntry {
    /// The run: `r-…`. With `iteration` it says which entry this is.
    pub run: String,
    /// The iteration of the run, from 1.
    pub iteration: u32,
    /// When it ended.
    pub time: Timestamp,
    /// The task it worked on.
    pub attempted: Option<String>,
    /// The task that is done with it.
    pub completed: Option<String>,
    /// What was done, in a line.
    pub summary: String,
    /// How long it took, in whole seconds.
    pub seconds: u64,
    /// How it ended.
    pub exit: ProgressExit,
    /// What all its calls used.
    pub tokens: Tokens,
    /// What all its calls cost, and what of that is an estimate.
    pub cost: Spent,
    /// What went wrong.
    pub error: Option<ProgressError>,
}

/// What went wrong in an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgressError {
    /// In a word: `task_failure`, `usage_limit`.
    pub kind: String,
    /// The message, of any number of lines; empty where there is none.
    pub detail: String,
}

/// The values of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressSummary {
    /// Tasks in all.
    pub total: u64,
    /// Tasks that are done.
    pub completed: u64,
    /// Now.
    pub updated: Timestamp,
}

/// A journal as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The entries, in the order of the file.
    pub entries: Vec<ReadEntry>,
    /// The line, from 1, of a fence that is never closed: what is below it cannot be told from an error message.
    pub open_fence: Option<usize>,
}

/// An entry as it was read; what it does not say, or not in a form that is known, is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadEntry {
    /// The number in its heading.
    pub number: u64,
    /// The line of its heading, from 1.
    pub line: usize,
    /// When.
    pub time: Option<Timestamp>,
    /// The task it worked on.
    pub attempted: Option<String>,
    /// The task that was done with it.
    pub completed: Option<String>,
    /// What was done.
    pub summary: Option<String>,
    /// How long it took, in seconds.
    pub seconds: Option<u64>,
    /// How it ended.
    pub exit: Option<ProgressExit>,
    /// The tokens by kind; those that are not named are 0.
    pub tokens: Option<Tokens>,
    /// All tokens, as written: older journals name only some kinds.
    pub tokens_total: Option<u64>,
    /// What it cost.
    pub cost: Option<Cost>,
    /// What went wrong, in a word.
    pub error_kind: Option<String>,
    /// The message.
    pub error_detail: Option<String>,
    /// The run and its iteration.
    pub run: Option<(String, u32)>,
}

/// What a journal comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgressTotals {
    /// Entries.
    pub iterations: u64,
    /// The tasks that were done, each once: a journal may name one many times.
    pub completed: BTreeSet<String>,
    /// All tokens.
    pub tokens: u64,
    /// All that was spent.
    pub cost: Cost,
    /// The time it took, in seconds.
    pub seconds: u64,
}

impl Progress {
    /// Reads a journal, or whatever else these bytes are.
    pub fn parse(bytes: &[u8]) -> Progress {
        read::progress(bytes)
    }

    /// What it comes to, from its entries alone: the summary's own numbers may be inflated by repetitions.
    pub fn totals(&self) -> ProgressTotals {
        let mut totals = ProgressTotals::default();
        for entry in &self.entries {
            totals.iterations += 1;
            totals.completed.extend(entry.completed.clone());
            totals.tokens = totals.tokens.saturating_add(entry.all_tokens());
            totals.cost += entry.cost.unwrap_or_default();
            totals.seconds = totals.seconds.saturating_add(entry.seconds.unwrap_or_default());
        }
        totals
    }
}

impl ReadEntry {
    /// All its tokens: what it says, or what its kinds add up to.
    pub fn all_tokens(&self) -> u64 {
        self.tokens_total.unwrap_or_else(|| self.tokens.unwrap_or_default().total())
    }
}
