//! The words of notifications. Times are UTC: the core knows no other.

use std::time::Duration;

use jiff::Timestamp;

use crate::values::{Items, JobStatus, Verdict};

/// A job's name in a title, in characters.
const LONGEST_NAME: usize = 60;

/// What it is about, then what happened: one line.
pub(super) fn title(name: &str, happened: &str) -> String {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = name.chars().take(LONGEST_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    if short.is_empty() { happened.to_owned() } else { format!("{short}: {happened}") }
}

/// `3/50`, or `3` without a limit.
pub(super) fn of(number: u32, most: Option<u32>) -> String {
    most.map_or_else(|| number.to_string(), |most| format!("{number}/{most}"))
}

/// `35/60 items (+5) - Migrated the endpoints ✅ Complete!`, as far as there is something to say.
pub(super) fn progress(standing: &JobStatus, before: Option<&JobStatus>) -> String {
    let items = standing.items.map(|items| counted(items, before.and_then(|before| before.items)));
    let summary = Some(standing.summary.trim().to_owned()).filter(|summary| !summary.is_empty());
    let mut text = items.into_iter().chain(summary).collect::<Vec<_>>().join(" - ");
    if standing.complete {
        text.push_str(if text.is_empty() { "✅ Complete!" } else { " ✅ Complete!" });
    }
    text
}

fn counted(items: Items, before: Option<Items>) -> String {
    let Items { done, total } = items;
    let was = before.map_or(0, |before| before.done);
    match (done.cmp(&was), before) {
        (std::cmp::Ordering::Greater, Some(_)) => format!("{done}/{total} items (+{})", done - was),
        (std::cmp::Ordering::Less, Some(_)) => format!("{done}/{total} items (-{})", was - done),
        _ => format!("{done}/{total} items"),
    }
}

/// What the runner made of an iteration.
pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Worked => "made progress",
        Verdict::Idle => "made no progress",
        Verdict::Failed => "failed",
        Verdict::ClaimAccepted => "says that the job is done, and nothing refutes it",
        Verdict::ClaimRefused => "says that the job is done; a check refuses it",
        Verdict::ClaimUnsupported => "says that the job is done; nothing shows it",
    }
}

/// `2h 5m`, `3m 20s`, `12s`.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (hours, minutes, _) => format!("{hours}h {minutes}m"),
    }
}

/// `2026-11-22 03:05 UTC`.
pub(super) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// `1 iteration`, `3 iterations`.
pub(super) fn iterations(number: u32) -> String {
    if number == 1 { "1 iteration".to_owned() } else { format!("{number} iterations") }
}
