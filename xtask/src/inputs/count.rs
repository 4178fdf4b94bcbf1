//! Counting tasks in another way than Windlass does, cheaply: what differs is looked at by a person.

use std::path::Path;

use serde_json::Value;

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// What looks like a task.
    pub total: u64,
    /// What of it looks done.
    pub done: u64,
}

/// Counts what looks like tasks in a file of this name.
pub fn of(name: &str, text: &str) -> Count {
    let ends_in = |ending: &str| Path::new(name).extension().is_some_and(|last| last == ending);
    if ends_in("jsonl") {
        return sum(text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .map(|value| of_object(&value)));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) if ends_in("json") => within(&value),
        _ if text.starts_with("---") => Count { total: 1, done: u64::from(text.contains("\nstatus: Done")) },
        _ => boxes(text),
    }
}

fn sum(counts: impl Iterator<Item = Count>) -> Count {
    counts
        .fold(Count::default(), |all, one| Count { total: all.total + one.total, done: all.done + one.done })
}

/// Every object with a state, however deep.
fn within(value: &Value) -> Count {
    match value {
        Value::Array(items) => sum(items.iter().map(within)),
        Value::Object(members) => sum(members.values().map(within).chain([of_object(value)])),
        _ => Count::default(),
    }
}

fn of_object(value: &Value) -> Count {
    let has_name = ["id", "title", "description", "name"].iter().any(|key| value.get(key).is_some());
    let state =
        ["passes", "status", "completed", "done"].iter().find_map(|key| value.get(key)).filter(|_| has_name);
    let done = |state: &Value| {
        state == &Value::Bool(true)
            || ["done", "completed", "closed", "complete"].iter().any(|word| state == word)
    };
    state.map_or(Count::default(), |state| Count { total: 1, done: u64::from(done(state)) })
}

/// Lines that begin with a box, outside of fences.
fn boxes(text: &str) -> Count {
    let mut fenced = false;
    let mut count = Count::default();
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let after =
            line.trim_start_matches(|letter: char| letter.is_ascii_digit() || "-*+.)".contains(letter));
        let is_item = !fenced && after.len() < line.len();
        let bytes = after.trim_start().as_bytes();
        if let [b'[', state, b']', ..] = bytes
            && is_item
        {
            count.total += 1;
            count.done += u64::from(matches!(state, b'x' | b'X'));
        }
    }
    count
}
