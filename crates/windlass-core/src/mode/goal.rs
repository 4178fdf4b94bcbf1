//! A free goal (seed 004): claimed by a phrase on a line of its own, in several iterations in a row.

use crate::fact::{CallReport, Class};

/// The phrase counts on a line of its own in a result that is no error. Tool results, the agent's other words and
/// files are never looked at; the prompt names the phrase within a sentence only, so that its echo is no claim.
pub(super) fn claims(signal: &str, report: &CallReport) -> bool {
    let stands_alone = |text: &String| text.lines().any(|line| line.trim() == signal);
    report.class == Class::Success && !signal.is_empty() && report.results.iter().any(stands_alone)
}
