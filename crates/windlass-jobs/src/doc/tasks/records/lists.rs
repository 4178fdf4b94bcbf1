//! Lists of records: which are read, and which hold work that nobody would see.

use serde_json::value::RawValue;
use windlass_core::values::TaskState;

use super::members::Members;
use super::state::state;
use super::{CRITERIA, DEPENDENCIES, ID, Records, TITLE};
use crate::doc::text::quoted;

/// What a list of records is called, in a document and in a record: in a document the first counts.
const LISTS: &[&str] = &[
    "userStories",
    "user_stories",
    "stories",
    "features",
    "units",
    "phases",
    "tasks",
    "subtasks",
    "epics",
    "items",
    "issues",
    "todos",
    "requirements",
];

/// Those that hold tasks of a record whatever these say of themselves; others may hold anything.
const SURE: &[&str] = &["subtasks", "tasks", "stories", "userStories"];

/// So many levels of what is not read are looked into.
const DEEPEST: usize = 6;

/// Lists of a record that tell of others, which are there themselves.
const OF_OTHERS: &[&str] = &["dependents", "related", "comments", "history"];

fn list(value: &RawValue) -> Option<Vec<&RawValue>> {
    value.get().starts_with('[').then(|| serde_json::from_str(value.get()).ok()).flatten()
}

fn holds_objects(list: &[&RawValue]) -> bool {
    list.iter().any(|raw| raw.get().starts_with('{'))
}

fn holds_states(list: &[&RawValue]) -> bool {
    let says = |members: Members<'_>| members.has_state() || !members.nested().is_empty();
    list.iter().any(|raw| Members::of(raw.get()).is_some_and(says))
}

/// Does a record of a list have a list of tasks of its own?
fn hold_tasks(records: &[&RawValue]) -> bool {
    let of = |members: Members<'_>| {
        SURE.iter().any(|name| members.first(&[name]).and_then(list).is_some_and(|list| holds_objects(&list)))
    };
    records.iter().any(|raw| Members::of(raw.get()).is_some_and(of))
}

/// Is there a list of objects by one of the names?
pub(in crate::doc::tasks) fn has_records(members: &Members<'_>) -> bool {
    LISTS.iter().any(|name| members.first(&[name]).and_then(list).is_some_and(|list| holds_objects(&list)))
}

/// Does a list hold a record that is called something, says how far it is, and is not done?
fn holds_open_work(value: &RawValue) -> bool {
    let is_open = |raw: &&RawValue| {
        Members::of(raw.get()).is_some_and(|members| {
            members.first(TITLE).is_some() && state(&members).is_some_and(|state| state != TaskState::Done)
        })
    };
    list(value).is_some_and(|list| list.iter().any(is_open))
}

/// Does a list whose name says that it is one of tasks hold something that is called something and not done?
fn holds_records_not_done(value: &RawValue) -> bool {
    let is_open = |raw: &&RawValue| {
        Members::of(raw.get()).is_some_and(|members| {
            members.first(TITLE).is_some()
                && members.first(ID).is_some()
                && state(&members) != Some(TaskState::Done)
        })
    };
    list(value).is_some_and(|list| list.iter().any(is_open))
}

/// The lists within a value that hold open work, each with the keys that lead to it: `phases.tasks`.
fn open_work_within<'a>(key: &str, value: &'a RawValue, deepest: usize) -> Vec<(String, &'a RawValue)> {
    let last = key.rsplit('.').next().unwrap_or(key);
    if holds_open_work(value) || SURE.contains(&last) && holds_records_not_done(value) {
        return vec![(key.to_owned(), value)];
    }
    let records = list(value).unwrap_or_else(|| vec![value]);
    let left = records.into_iter().filter_map(|raw| Members::of(raw.get()));
    let left = left.filter(|members| deepest > 0 && state(members) != Some(TaskState::Done));
    let of_others = [CRITERIA, DEPENDENCIES, OF_OTHERS].concat();
    let mut found: Vec<(String, &RawValue)> = Vec::new();
    for (name, value) in left.flat_map(|members| members.0) {
        if !of_others.contains(&name.as_str()) {
            let within = open_work_within(&format!("{key}.{name}"), value, deepest - 1);
            found.extend(
                within
                    .into_iter()
                    .filter(|(name, _)| found.iter().all(|(known, _)| known != name))
                    .collect::<Vec<_>>(),
            );
        }
    }
    found
}

impl<'a> Members<'a> {
    /// The key of the list of a document, and the list: however it is called, where its records have tasks.
    fn main_list(&self) -> Option<(&str, Vec<&'a RawValue>)> {
        let found = || LISTS.iter().filter_map(|name| Some((*name, list(self.first(&[name])?)?)));
        let others = self.0.iter().filter_map(|(name, value)| Some((name.as_str(), list(value)?)));
        let with_tasks = |(_, list): &(&str, Vec<&RawValue>)| hold_tasks(list);
        found()
            .find(|(_, list)| holds_objects(list))
            .or_else(|| others.clone().find(with_tasks))
            .or_else(|| found().next())
    }

    /// The list that a record calls `tasks`.
    pub(in crate::doc::tasks) fn tasks(&self) -> Option<Vec<&'a RawValue>> {
        list(self.first(&["tasks"])?)
    }

    /// The lists of records in a record. What says nothing of how far it is has nothing but its lists.
    pub(super) fn nested(&self) -> Vec<Vec<&'a RawValue>> {
        let is_container = !self.has_state();
        let found = LISTS.iter().filter_map(|name| Some((name, list(self.first(&[name])?)?)));
        let counts = |(name, list): &(&&str, Vec<&RawValue>)| {
            holds_objects(list) && (is_container || SURE.contains(*name) || holds_states(list))
        };
        found.filter(counts).map(|(_, list)| list).collect()
    }

    /// The key of a list in a record that is not read, and holds open work.
    pub(super) fn unread(&self) -> Option<&str> {
        let known = [LISTS, CRITERIA, DEPENDENCIES, OF_OTHERS].concat();
        let others = self.0.iter().filter(|(key, _)| !known.contains(&key.as_str()));
        others.into_iter().find(|(_, value)| holds_open_work(value)).map(|(key, _)| key.as_str())
    }
}

impl<'a> Records<'a> {
    /// The list of a document that is a list, or has one.
    pub(in crate::doc::tasks) fn document(&mut self) {
        let text = self.text;
        if text.trim_start().starts_with('[') {
            return match serde_json::from_str::<Vec<&RawValue>>(text) {
                Ok(list) => self.list(&list, super::Around::default()),
                Err(error) => self.no_json(&error),
            };
        }
        match serde_json::from_str::<Members<'_>>(text) {
            Ok(members) => match members.main_list() {
                Some((key, list)) => {
                    self.legend(&members);
                    self.list(&list, super::Around::default());
                    self.unread_lists(&members, &[key]);
                }
                None => self.wrapped(&members),
            },
            Err(error) => self.no_json(&error),
        }
    }

    /// The list of a document that is one object around the document: `{"prd": {"userStories": […]}}`.
    fn wrapped(&mut self, members: &Members<'a>) {
        let inner = members.0.iter().filter_map(|(key, value)| Some((key, Members::of(value.get())?)));
        let mut found = inner.filter(|(_, inner)| has_records(inner));
        let (Some((key, inner)), None) = (found.next(), found.next()) else {
            return self.fault(None, no_list(members));
        };
        if let Some((name, list)) = inner.main_list() {
            self.list(&list, super::Around::default());
            self.unread_lists(&inner, &[name]);
            self.unread_lists(members, &[key]);
        }
    }

    /// Open work of a document beside the lists that are read is named: else all would be done without it.
    pub(in crate::doc::tasks) fn unread_lists(&mut self, members: &Members<'a>, read: &[&str]) {
        let beside = read.first().copied().unwrap_or_default();
        for key in read {
            let mut given = members.0.iter().filter(|(name, _)| name == key).map(|(_, value)| *value);
            if let Some(again) = given.nth(1) {
                let line = self.line_of(again);
                self.fault(Some(line), format!("has `{}` twice: put both into one list", quoted(key)));
            }
        }
        for (key, value) in members.0.iter().filter(|(key, _)| !read.contains(&key.as_str())) {
            if LISTS.contains(&key.as_str()) && holds_records_not_done(value) {
                self.unread_list(value, key, beside);
            } else {
                for (name, value) in open_work_within(key, value, DEEPEST) {
                    self.unread_list(value, &name, beside);
                }
            }
        }
    }

    fn unread_list(&mut self, value: &RawValue, key: &str, read: &str) {
        let line = self.line_of(value);
        let sentence =
            format!("has open work in `{}` beside `{}`: put both into one list", quoted(key), quoted(read));
        self.fault(Some(line), sentence);
    }
}

/// What is said of a document without a list that is known.
fn no_list(members: &Members<'_>) -> String {
    let named =
        members.0.iter().find(|(key, value)| LISTS.contains(&key.as_str()) && value.get().starts_with('{'));
    if let Some((key, _)) = named {
        return format!("has `{}` as an object: make a list of it, each with an `id`", quoted(key));
    }
    let lists = members.0.iter().filter(|(_, value)| value.get().starts_with('['));
    match lists.map(|(key, _)| quoted(key)).next() {
        Some(key) => format!("has no list of `userStories`; if its tasks are in `{key}`, call that `tasks`"),
        None => "has no list of `userStories`".to_owned(),
    }
}
