//! Backlog.md's `config.yml`: what the states of its tasks are called.

use windlass_core::values::TaskState;

use super::matter;
use crate::doc::tasks::{StateWords, status};

/// How words begin that say that nobody can go on; such a state is not in progress.
const STUCK: [&str; 5] = ["blocked", "on hold", "waiting", "paused", "deferred"];

/// The words of `statuses`: as Backlog.md has it the first is of what is open, the last of what is done, and those between
/// are of what is in progress.
pub(super) fn words(settings: &str) -> StateWords {
    let fenced = format!("---\n{settings}\n---\n");
    let mut words = StateWords::default();
    let Ok(read) = matter::read(&fenced, 0) else { return words };
    let Some(entry) = read.entries.iter().find(|entry| entry.key == "statuses") else { return words };
    let last = entry.items.len().saturating_sub(1);
    for (index, word) in entry.items.iter().enumerate() {
        let is_stuck = STUCK.iter().any(|stuck| word.to_lowercase().starts_with(stuck));
        match index {
            0 => words.see(TaskState::Open, word),
            index if index == last => words.see(TaskState::Done, word),
            _ if is_stuck => {}
            _ => words.see(status::state_of(word).unwrap_or(TaskState::InProgress), word),
        }
    }
    words
}
