//! What an agent is told: the system prompt, which stays the same from iteration to iteration, and the user's prompt.

mod goal;
mod notes;
#[cfg(test)]
mod tests;

use crate::fact::{CheckOutcome, CheckResult};
use crate::run::{Mode, RunPlan, TurnKey};

pub use notes::{NOTES_LITTLE, NOTES_USUAL, Notes};

/// The longest goal, in bytes. Claude Code takes 10 MB on standard input, but refuses about 5 MB as too long for its
/// context; a goal beyond this is a mistake.
pub const LONGEST_GOAL: usize = 1024 * 1024;

/// The longest AGENTS.md that is passed on, in bytes.
pub const LONGEST_AGENTS_FILE: usize = 64 * 1024;

/// What a prompt is made of.
#[derive(Clone, Debug)]
pub struct PromptParts<'a> {
    /// The run.
    pub plan: &'a RunPlan,
    /// Which attempt of which iteration.
    pub turn: TurnKey,
    /// What the person wants, word for word.
    pub goal: &'a str,
    /// The notes of earlier iterations; `None` when there is no such file yet.
    pub notes: Option<Notes>,
    /// The checks that refused the latest claim.
    pub refused: Vec<FailedCheck<'a>>,
    /// The project's AGENTS.md.
    pub agents_file: Option<&'a str>,
}

/// A check that failed, and the end of what it printed.
#[derive(Clone, Debug)]
pub struct FailedCheck<'a> {
    /// The command.
    pub command: &'a str,
    /// How it ended.
    pub outcome: &'a CheckOutcome,
    /// The end of its output.
    pub tail: String,
    /// It failed before the first iteration as well.
    pub failed_before: bool,
}

/// The two texts of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// For `--append-system-prompt-file`: byte for byte the same in every iteration of a run, so that it is cached.
    pub system: String,
    /// For standard input.
    pub user: String,
}

/// Composes the prompt of a work call.
#[must_use]
pub fn compose(parts: &PromptParts<'_>) -> Prompt {
    match parts.plan.job.mode {
        Mode::Goal => goal::compose(parts),
    }
}

/// Does the goal itself hold the completion phrase on a line of its own? Its echo would then be a claim.
#[must_use]
pub fn holds_signal(text: &str, signal: &str) -> bool {
    text.lines().any(|line| line.trim() == signal)
}

/// Text from files and commands, in which the completion phrase must not stand on a line of its own.
fn without_signal(text: &str, signal: &str) -> String {
    if !holds_signal(text, signal) {
        return text.to_owned();
    }
    let lines = text.lines().map(|line| if line.trim() == signal { "(the completion phrase)" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// How a check ended, in words.
#[must_use]
pub fn result_in_words(result: CheckResult) -> String {
    match result {
        CheckResult::Passed => "passed".to_owned(),
        CheckResult::Failed(code) => format!("failed with exit code {code}"),
        CheckResult::Signalled(signal) => format!("was ended by signal {signal}"),
        CheckResult::TimedOut => "took longer than its timeout".to_owned(),
        CheckResult::Lost => "could not be run".to_owned(),
    }
}
