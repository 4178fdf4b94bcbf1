//! Counting tasks in other ways than Windlass does, cheaply: what none of them confirms is looked at by a person.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::Value;

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// What looks like a task: boxes, objects with a state, files with front matter.
    pub total: u64,
    /// What of it looks done.
    pub done: u64,
    /// What else may be the tasks of such a file: lines that are named alike, objects of lists that are called alike.
    pub others: Vec<u64>,
}

/// Counts what looks like tasks in a file of this name; of a folder of tasks in `place`, each file with front matter is one.
pub fn of(name: &str, text: &str, place: Place) -> Count {
    let ends_in = |ending: &str| Path::new(name).extension().is_some_and(|last| last == ending);
    if ends_in("jsonl") {
        return sum(text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .map(|value| of_object(&value)));
    }
    match (serde_json::from_str::<Value>(text), place) {
        (Ok(value), _) if ends_in("json") => Count { others: lists(&value), ..within(&value) },
        // One task, or a text that says something of itself before its tasks.
        _ if text.starts_with("---\n") => {
            let text_of_it = of_markdown(text);
            let others = text_of_it.others.into_iter().chain([text_of_it.total]).collect();
            Count { others, ..one(text.contains("\nstatus: Done")) }
        }
        // What lies beside the tasks of a folder and has no front matter is none of them, and is said.
        (_, Place::InFolder) => Count::default(),
        (_, Place::Alone) => of_markdown(text),
    }
}

/// Where a file lies.
#[derive(Clone, Copy)]
pub enum Place {
    /// It is tried by itself.
    Alone,
    /// Its folder is.
    InFolder,
}

fn one(done: bool) -> Count {
    Count { total: 1, done: u64::from(done), others: Vec::new() }
}

/// All of them together.
pub fn sum(counts: impl Iterator<Item = Count>) -> Count {
    counts.fold(Count::default(), |mut all, one| {
        all.others.extend(one.others);
        Count { total: all.total + one.total, done: all.done + one.done, ..all }
    })
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
    state.map_or(Count::default(), |state| one(done(state)))
}

/// How many objects are in lists of each name: those without a state are open.
fn lists(value: &Value) -> Vec<u64> {
    let mut found = BTreeMap::new();
    count_lists("", value, &mut found);
    found.into_values().collect()
}

fn count_lists<'a>(name: &'a str, value: &'a Value, found: &mut BTreeMap<&'a str, u64>) {
    match value {
        Value::Array(items) => {
            *found.entry(name).or_default() += items.iter().filter(|item| item.is_object()).count() as u64;
            for item in items {
                count_lists(name, item, found);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                count_lists(name, value, found);
            }
        }
        _ => {}
    }
}

/// Lines that begin with a box, outside of fences and comments, and lines that are named alike: `### T1: Title`,
/// `**T001** Title`, `| T1 | Title |`.
fn of_markdown(text: &str) -> Count {
    let mut hidden = false;
    let mut count = Count::default();
    let mut named: BTreeMap<(String, String), HashSet<&str>> = BTreeMap::new();
    // Numbered headings without a box below them: each is a task beside the boxes of the others.
    let mut bare = 0;
    let mut last_is_numbered = false;
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("```")
            || line.starts_with("~~~")
            || line.starts_with("<!--")
            || line.ends_with("-->")
        {
            let is_whole = line.starts_with("<!--") && line.ends_with("-->");
            hidden = !(hidden || is_whole);
        }
        if hidden {
            continue;
        }
        if let Some(done) = ticked(line) {
            count.total += 1;
            count.done += u64::from(done);
            last_is_numbered = false;
        } else if let Some((begin, letters, id)) = name(line) {
            named.entry((begin.to_owned(), letters.to_owned())).or_default().insert(id);
        }
        if line.starts_with('#') {
            bare += u64::from(last_is_numbered);
            let title = line.trim_start_matches(['#', ' ']);
            last_is_numbered = title.split_once('.').is_some_and(|(one, two)| {
                is_number(one) && two.starts_with(|first: char| first.is_ascii_digit())
            });
        }
    }
    count.others = named.into_values().map(|ids| ids.len() as u64).collect();
    count.others.push(count.total + bare + u64::from(last_is_numbered));
    count
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The box that a line begins with, and whether it is ticked. `[P]` says that something may be done beside others.
fn ticked(line: &str) -> Option<bool> {
    let after = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || "-*+.)".contains(letter));
    match after.trim_start().as_bytes() {
        [b'[', b'P' | b'0'..=b'9', b']', ..] => None,
        [b'[', state, b']', ..] if after.len() < line.len() => Some(matches!(state, b'x' | b'X')),
        _ => None,
    }
}

/// What a line with a number in its name begins with, the letters before that number, and all of the name.
fn name(line: &str) -> Option<(&str, &str, &str)> {
    let signs = |letter: char| "#*|-✅ ".contains(letter);
    let text = line.trim_start_matches(signs);
    let begin = line.get(..line.len() - text.len()).filter(|begin| begin.contains(['#', '*', '|']))?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-. ".contains(letter);
    let digit = text.find(|letter: char| letter.is_ascii_digit()).filter(|at| *at <= 12)?;
    let letters = text.get(..digit).filter(|letters| letters.chars().all(is_name))?;
    let number = text.get(digit..)?;
    let end = number
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '.'))
        .unwrap_or(number.len());
    Some((begin.trim_end(), letters, text.get(..digit + end)?))
}
