//! What the guard holds against the work: the agent may put it right.

use std::fmt::Write as _;

use super::{PromptParts, without_signal};
use crate::fact::{Purpose, SuspicionKind};

/// So many findings are named.
const MOST: usize = 12;

/// The longest of them, in characters.
const LONGEST: usize = 300;

/// The section, or nothing. Whoever judges the work is told nothing of how to do it.
pub(super) fn section(parts: &PromptParts<'_>) -> String {
    if parts.held.is_empty() || parts.purpose == Purpose::Verify {
        return String::new();
    }
    let mut text =
        "\n## What the guard holds against the work\n\nNo claim is accepted while this stands:\n\n"
            .to_owned();
    for found in parts.held.iter().take(MOST) {
        let line: String = format!("`{}`: {}", found.path, found.sentence)
            .chars()
            .filter(|char| !char.is_control())
            .collect();
        let line: String = line.chars().take(LONGEST).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {line}");
    }
    let more = parts.held.len().saturating_sub(MOST);
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
    let undone = parts.held.iter().any(|found| found.kind == SuspicionKind::Undone);
    let stands = parts.held.iter().any(|found| found.kind != SuspicionKind::Undone);
    text.push('\n');
    if stands {
        text.push_str(
            "Put it right: bring back what was there, and make the checks pass by the work itself. Where the job really asks \
             for it, leave it as it is, say why, and claim again: a person will decide.\n",
        );
    }
    if undone {
        text.push_str(
            "Protected files are the runner's: work without changing them. Where the job cannot be done so, say which one \
             would have to change and how.\n",
        );
    }
    without_signal(&text, &parts.plan.job.completion_signal)
}
