//! Tasks as JSON objects: what all forms that are JSON have in common. A key may have several names; one table has them all.

mod legend;
mod lists;
mod members;
mod state;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::criteria::Criterion;
use super::source::Reading;
use super::task::Task;
use super::{protection, words};
use crate::doc::lines::Lines;
use crate::doc::text::{one_line, without_mark};
use crate::doc::{Problem, ProblemKind};

pub(super) use lists::has_records;
pub(super) use members::Members;
pub(super) use state::{ONLY_TICK, OTHER_TICK, TICK, kept, state_of, word};

/// What a record may be called by.
pub(super) const ID: &[&str] = &["id", "key", "taskId", "storyId"];
pub(super) const TITLE: &[&str] =
    &["title", "name", "summary", "story", "description", "content", "subject", "text", "task"];
const DESCRIPTION: &[&str] = &["description", "user_visible_behavior", "details", "body"];
pub(super) const CRITERIA: &[&str] = &[
    "acceptanceCriteria",
    "acceptance_criteria",
    "acceptance",
    "successCriteria",
    "success_criteria",
    "criteria",
    "steps",
];
const VERIFICATION: &[&str] =
    &["verification", "testStrategy", "test_strategy", "verification_command", "test"];
const DEPENDENCIES: &[&str] = &[
    "dependsOn",
    "dependencies",
    "depends_on",
    "depends",
    "deps",
    "blockedBy",
    "blocked_by",
    "prerequisites",
    "needs",
];
/// Reads the records of a document.
pub(super) struct Records<'a> {
    name: &'a Arc<str>,
    pub text: &'a str,
    mark: usize,
    lines: Lines<'a>,
    /// What a record is called in a sentence: `story`.
    noun: &'static str,
    pub found: Reading,
    /// The priorities that are numbers, with the tasks that have them.
    numbers: Vec<(usize, f64)>,
}

/// Whom a record stands in.
#[derive(Clone, Copy, Default)]
pub(super) struct Around<'p> {
    /// What all ids of the document's list begin with.
    pub tag: &'p str,
    /// What the ids of this list begin with, the tag included.
    pub prefix: &'p str,
    /// The ids of this list as they are written, where it stands in a record.
    pub beside: Option<&'p HashSet<String>>,
    /// The task that it is nested in.
    pub parent: Option<usize>,
    /// What the list belongs to, for people.
    pub section: &'p str,
}

impl Around<'_> {
    /// An id as the whole list has it: numbers count within their own list, also those of subtasks that are written as texts.
    fn whole(&self, id: &str, is_number: bool) -> String {
        let is_text_with_number =
            (self.parent.is_some() || !self.tag.is_empty()) && id.bytes().all(|byte| byte.is_ascii_digit());
        let before = if is_number || is_text_with_number { self.prefix } else { self.tag };
        format!("{before}{id}")
    }

    /// The task that a name means in this list: one beside it, or else one of the whole list.
    fn meant(&self, name: &str, is_number: bool) -> String {
        if self.beside.is_some_and(|beside| beside.contains(name)) {
            self.whole(name, is_number)
        } else if name.contains(':') {
            name.to_owned()
        } else {
            format!("{}{name}", self.tag)
        }
    }
}

impl<'a> Records<'a> {
    pub fn new(name: &'a Arc<str>, text: &'a str, noun: &'static str) -> Records<'a> {
        let (bare, mark) = without_mark(text);
        let found = Reading::default();
        Records { name, text: bare, mark, lines: Lines::of(bare), noun, found, numbers: Vec::new() }
    }

    pub fn fault(&mut self, line: Option<usize>, sentence: String) {
        let problem = Problem { kind: ProblemKind::Malformed, file: self.name.clone(), line, sentence };
        self.found.problems.push(problem);
    }

    /// What is said of a text that is not JSON at all.
    pub fn no_json(&mut self, error: &serde_json::Error) {
        self.fault(Some(error.line()), format!("is not JSON of this form: {error}"));
    }

    /// The records of a list.
    pub fn list(&mut self, list: &[&'a RawValue], around: Around<'_>) {
        let has_id =
            |raw: &&RawValue| Members::of(raw.get()).is_some_and(|members| members.text(ID).is_some());
        let none_has_id = !list.iter().any(has_id) && list.iter().any(|raw| is_called(raw));
        let called = |(index, raw): (usize, &&RawValue)| {
            if none_has_id { Some((index + 1).to_string()) } else { Members::of(raw.get())?.text(ID) }
        };
        let is_nested = around.prefix != around.tag;
        let beside = is_nested.then(|| list.iter().enumerate().filter_map(called).collect());
        let around = Around { beside: beside.as_ref(), ..around };
        for (index, raw) in list.iter().enumerate() {
            let place = none_has_id.then(|| (index + 1).to_string());
            self.record(raw, place, around);
        }
    }

    /// The line that a value begins in.
    pub fn line_of(&mut self, value: &RawValue) -> usize {
        let at = self.start_of(value);
        self.lines.line_of(at)
    }

    /// Where a value begins in the text without its mark.
    fn start_of(&self, value: &RawValue) -> usize {
        value.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr())
    }

    fn record(&mut self, raw: &'a RawValue, place: Option<String>, around: Around<'_>) {
        let line = self.line_of(raw);
        let noun = self.noun;
        let Some(members) = Members::of(raw.get()).filter(|members| !members.is_given_twice()) else {
            return self.fault(Some(line), format!("is not a {noun}: a {noun} is an object, each key once"));
        };
        let Some(id) = members.text(ID).or(place) else {
            return self.fault(Some(line), format!("is a {noun} without an `id`"));
        };
        let id = around.whole(&id, is_number(&members));
        let nested = members.nested();
        let parent = if !nested.is_empty() && !members.has_state() {
            None
        } else {
            Some(self.task(raw, &members, &id, around))
        };
        let title = members.text(TITLE).unwrap_or_default();
        let prefix = format!("{id}.");
        for list in nested {
            self.list(&list, Around { prefix: &prefix, parent, section: &title, ..around });
        }
    }

    fn task(&mut self, raw: &'a RawValue, members: &Members<'a>, id: &str, around: Around<'_>) -> usize {
        let start = self.mark + self.start_of(raw);
        let line = self.line_of(raw);
        let mut task = Task {
            description: members.text(DESCRIPTION).unwrap_or_default(),
            verification: members.first(VERIFICATION).or(members.first(CRITERIA)).and_then(lines),
            criteria: members.first(CRITERIA).map(|list| self.criteria(list)).unwrap_or_default(),
            section: Arc::from(one_line(around.section)),
            parent: around.parent,
            ..Task::new(self.name, line, start..start + raw.get().len())
        };
        task.row.title = members.text(TITLE).map_or_else(|| id.to_owned(), |title| one_line(&title));
        id.clone_into(&mut task.row.id.0);
        task.row.kind = members.text(&["type"]).and_then(|kind| words::kind(&kind));
        let breaking = members.text(&["breaking"]);
        task.row.breaking = breaking.and_then(|what| words::breaking(&what, &task.row.title));
        task.row.agent = members.text(&["agent"]).and_then(|name| words::agent(&name));
        let required = members.first(&["requires"]).and_then(lines);
        task.row.requires = required.map(|labels| words::requires(&labels)).unwrap_or_default();
        if let Some(value) = members.first(&["priority"]) {
            self.priority(&mut task, value);
        }
        self.state(&mut task, members);
        for name in DEPENDENCIES {
            let Some(value) = members.first(&[name]) else { continue };
            let line = self.line_of(value);
            task.named.extend(dependencies(value, around).into_iter().map(|name| (name, line)));
        }
        if let Some(value) = members.first(&["protected"]) {
            let line = self.line_of(value);
            protection::take(&mut task, names(value, protection::of_text), line, &mut self.found.problems);
        }
        self.found.tasks.push(task);
        self.found.tasks.len() - 1
    }

    fn criteria(&mut self, list: &RawValue) -> Vec<Criterion> {
        let items: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
        let mut criterion = |item: &RawValue| {
            let line = self.line_of(item);
            text(item).and_then(|text| Criterion::new(&text, line))
        };
        items.into_iter().filter_map(&mut criterion).collect()
    }

    fn priority(&mut self, task: &mut Task, value: &RawValue) {
        let Some(word) = text(value) else { return };
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => {
                self.numbers.push((self.found.tasks.len(), number));
                // A cast of a float stays within the byte.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
                let whole = number as u8;
                task.row.priority = whole;
            }
            _ => {
                let line = self.line_of(value);
                self.found.problems.extend(task.take_priority(&word, line));
            }
        }
    }

    /// All that was read. Where priorities are fractions their order counts, and not what they are.
    pub fn finish(mut self) -> Reading {
        if self.numbers.iter().any(|(_, number)| number.fract() != 0.0) {
            let mut order: Vec<f64> = self.numbers.iter().map(|(_, number)| *number).collect();
            order.sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
            order.dedup();
            for (index, number) in &self.numbers {
                let rank = order.partition_point(|known| known < number) + 1;
                if let Some(task) = self.found.tasks.get_mut(*index) {
                    task.row.priority = u8::try_from(rank).unwrap_or(u8::MAX);
                }
            }
        }
        self.found
    }
}

/// Is the record's id a number, which means something only in its own list?
fn is_number(members: &Members<'_>) -> bool {
    members.first(ID).is_none_or(|id| !id.get().starts_with('"'))
}

/// Is it called something, and a task or a list of some?
fn is_called(raw: &RawValue) -> bool {
    Members::of(raw.get()).is_some_and(|members| {
        members.first(TITLE).is_some() && (members.has_state() || !members.nested().is_empty())
    })
}

/// A value as text: a string's own, any other as it is written. `None` for nothing.
pub(super) fn text(value: &RawValue) -> Option<String> {
    let text = serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned());
    let text = text.trim();
    (!text.is_empty() && text != "null").then(|| text.to_owned())
}

/// A value as text, a list as lines.
fn lines(value: &RawValue) -> Option<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(items) => {
            let items: Vec<String> = items.into_iter().filter_map(text).collect();
            (!items.is_empty()).then(|| items.join("\n"))
        }
        Err(_) => text(value),
    }
}

/// The tasks that a value names: those of its own list by their numbers.
fn dependencies(value: &RawValue, around: Around<'_>) -> Vec<String> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(value.get()) else {
        let names = text(value).map(|text| words::dependencies(&text)).unwrap_or_default();
        return names.iter().map(|name| around.meant(name, false)).collect();
    };
    items.into_iter().filter_map(|item| dependency(item, around)).collect()
}

fn dependency(item: &RawValue, around: Around<'_>) -> Option<String> {
    if let Some(members) = Members::of(item.get()) {
        // Of the links that beads has only what blocks has to be done before.
        let blocks = members.text(&["type"]).is_none_or(|kind| kind == "blocks");
        return members.text(&["depends_on_id", "id"]).filter(|_| blocks);
    }
    let name = text(item)?;
    Some(around.meant(&name, !item.get().starts_with('"')))
}

/// What a value names: a list, or a text with some.
fn names(value: &RawValue, of_text: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(names) => names.into_iter().filter_map(text).collect(),
        Err(_) => text(value).map(|text| of_text(&text)).unwrap_or_default(),
    }
}
