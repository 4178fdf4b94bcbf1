//! Tasks as JSON objects: what all forms that are JSON have in common. A key may have several names; one table has them all.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_core::values::TaskState;

use super::criteria::Criterion;
use super::source::Reading;
use super::task::{Insertion, StatePlace, Task};
use super::{protection, status, words};
use crate::doc::lines::Lines;
use crate::doc::text::{one_line, quoted, without_mark};
use crate::doc::{Problem, ProblemKind};

/// What a record may be called by.
const ID: &[&str] = &["id", "key", "taskId", "storyId"];
const TITLE: &[&str] = &["title", "name", "summary", "story", "description"];
const DESCRIPTION: &[&str] = &["description", "user_visible_behavior", "details", "body"];
const CRITERIA: &[&str] = &[
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
const DEPENDENCIES: &[&str] = &["dependsOn", "dependencies", "depends_on", "blockedBy", "blocked_by"];
/// Where its state is, the first that is there: what is true or false goes before words, which say more than that.
const TICK: &[&str] = &["passes"];
const STATUS: &[&str] = &["status", "state"];
const OTHER_TICK: &[&str] = &["completed", "complete", "done", "passed"];
/// Lists of records, in a document and in a record.
pub(super) const LISTS: &[&str] = &[
    "userStories",
    "user_stories",
    "stories",
    "features",
    "units",
    "phases",
    "tasks",
    "epics",
    "items",
    "issues",
];
pub(super) const NESTED: &[&str] = &["subtasks", "tasks", "stories", "userStories"];

/// An object's members, in their order.
pub(super) struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfObject;
        impl<'de> Visitor<'de> for OfObject {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(OfObject).map(Members)
    }
}

impl<'a> Members<'a> {
    /// The object's; `None` where it is none.
    pub fn of(text: &'a str) -> Option<Members<'a>> {
        serde_json::from_str(text).ok()
    }

    /// The first member that is there of these names.
    pub fn first(&self, names: &[&str]) -> Option<&'a RawValue> {
        names.iter().find_map(|name| self.0.iter().find(|(key, _)| key == name)).map(|(_, value)| *value)
    }

    /// The first list that is there of these names.
    pub fn list(&self, names: &[&str]) -> Option<Vec<&'a RawValue>> {
        names.iter().find_map(|name| serde_json::from_str(self.first(&[name])?.get()).ok())
    }

    /// The text of the first member that is there and says something.
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| text(self.first(&[name])?))
    }

    /// Is a name given twice that means something?
    fn is_given_twice(&self) -> bool {
        let known = [ID, TICK, STATUS, OTHER_TICK, DEPENDENCIES, TITLE].concat();
        known.iter().any(|name| self.0.iter().filter(|(key, _)| key == name).count() > 1)
    }

    /// Does it say how far it is?
    pub fn has_state(&self) -> bool {
        self.first(&[TICK, STATUS, OTHER_TICK].concat()).is_some()
    }
}

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
    /// What the ids of the list begin with.
    pub prefix: &'p str,
    /// The task that it is nested in.
    pub parent: Option<usize>,
    /// What the list belongs to, for people.
    pub section: &'p str,
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
        let id = if is_number(&members) { format!("{}{id}", around.prefix) } else { id };
        let nested = members.list(NESTED).filter(|list| !list.is_empty());
        let parent = if nested.is_some() && !members.has_state() {
            None
        } else {
            Some(self.task(raw, &members, &id, around))
        };
        if let Some(nested) = nested {
            let title = members.text(TITLE).unwrap_or_default();
            let prefix = format!("{id}.");
            self.list(&nested, Around { prefix: &prefix, parent, section: &title });
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
        if let Some(value) = members.first(&["priority"]) {
            self.priority(&mut task, value);
        }
        self.state(&mut task, members);
        for name in DEPENDENCIES {
            let Some(value) = members.first(&[name]) else { continue };
            let line = self.line_of(value);
            task.named.extend(dependencies(value, around.prefix).into_iter().map(|name| (name, line)));
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

    fn state(&mut self, task: &mut Task, members: &Members<'a>) {
        let word = members.first(STATUS).filter(|value| value.get().starts_with('"'));
        let Some(value) = members.first(TICK).or(word).or(members.first(OTHER_TICK)) else {
            return self.no_state(task, members);
        };
        let start = self.mark + self.start_of(value);
        let line = self.line_of(value);
        if value.get().starts_with('"') {
            let inner = value.get().trim_matches('"');
            task.place = StatePlace::Word(start + 1..start + 1 + inner.len());
            match status::state_of(inner) {
                Some(state) => task.row.state = state,
                None => self.unknown(task, line, inner, "write pending, in-progress or done"),
            }
            return;
        }
        task.place = StatePlace::Word(start..start + value.get().len());
        match value.get() {
            "true" => task.row.state = TaskState::Done,
            "false" => {}
            word => {
                let key = members.0.iter().find(|(_, member)| std::ptr::eq(*member, value));
                let key = key.map_or("passes", |(key, _)| key.as_str());
                let (id, word) = (quoted(&task.row.id.0), quoted(word));
                let sentence = format!("{id} has `{key}` {word}: write true or false");
                task.row.unclear = Some(format!("its `{key}` is {word}, which is neither true nor false"));
                self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
            }
        }
        self.compare(task, members.first(STATUS), line);
    }

    /// Where a tick and a word are both there they may not say the opposite of one another.
    fn compare(&mut self, task: &mut Task, status: Option<&RawValue>, line: usize) {
        let Some(word) = status.and_then(text) else { return };
        let says_done = status::state_of(&word) == Some(TaskState::Done);
        if says_done && task.row.state != TaskState::Done && task.row.unclear.is_none() {
            let id = quoted(&task.row.id.0);
            let sentence =
                format!("{id} is called `{}` and does not pass: make both say the same", quoted(&word));
            task.row.unclear = Some(format!("its status is `{}` and it does not pass", quoted(&word)));
            self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
        }
    }

    fn unknown(&mut self, task: &mut Task, line: usize, word: &str, advice: &str) {
        let (id, word) = (quoted(&task.row.id.0), quoted(word));
        task.row.unclear = Some(format!("its status `{word}` is none"));
        let sentence = format!("{id} has the status `{word}`: {advice}");
        self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
    }

    /// It is open, and its state would stand after what it is called by.
    fn no_state(&self, task: &mut Task, members: &Members<'a>) {
        let Some(beside) = members.first(ID).or(members.first(TITLE)) else { return };
        let at = self.mark + self.start_of(beside) + beside.get().len();
        let before = ", \"passes\": ".to_owned();
        task.place = StatePlace::Missing(vec![Insertion { at, before, after: String::new() }]);
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

fn is_called(raw: &RawValue) -> bool {
    Members::of(raw.get()).is_some_and(|members| members.has_state() && members.first(TITLE).is_some())
}

/// The word of a state in place of a former one: true or false, or a status.
pub(super) fn word(file: &super::ReadFile, state: TaskState, former: &str) -> String {
    match former {
        "" | "true" | "false" | "null" => (state == TaskState::Done).to_string(),
        former
            if former
                .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '[' | '{')) =>
        {
            (state == TaskState::Done).to_string()
        }
        former => {
            let hyphens = ["not-started", "in-progress"].iter().any(|word| file.text.contains(word));
            if hyphens || former.contains('-') {
                return status::word(&file.about.words, state, former);
            }
            status::word(&file.about.words.hyphenated(), state, &former.replace('_', "-")).replace('-', "_")
        }
    }
}

/// What a word in a place means.
pub(super) fn state_of(word: &str) -> Option<TaskState> {
    match word {
        "true" => Some(TaskState::Done),
        "false" => Some(TaskState::Open),
        word => status::state_of(word),
    }
}

/// What is read again where a state was written in place of a former word: true and false say only whether it is done.
pub(super) fn kept(state: TaskState, former: &str) -> TaskState {
    let is_word = former.starts_with(char::is_alphabetic) && !matches!(former, "true" | "false" | "null");
    if state == TaskState::Done || is_word { state } else { TaskState::Open }
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
fn dependencies(value: &RawValue, prefix: &str) -> Vec<String> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(value.get()) else {
        return text(value).map(|text| words::dependencies(&text)).unwrap_or_default();
    };
    items.into_iter().filter_map(|item| dependency(item, prefix)).collect()
}

fn dependency(item: &RawValue, prefix: &str) -> Option<String> {
    if let Some(members) = Members::of(item.get()) {
        // Of the links that beads has only what blocks has to be done before.
        let blocks = members.text(&["type"]).is_none_or(|kind| kind == "blocks");
        return members.text(&["depends_on_id", "id"]).filter(|_| blocks);
    }
    let name = text(item)?;
    Some(if item.get().starts_with('"') { name } else { format!("{prefix}{name}") })
}

/// What a value names: a list, or a text with some.
fn names(value: &RawValue, of_text: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(names) => names.into_iter().filter_map(text).collect(),
        Err(_) => text(value).map(|text| of_text(&text)).unwrap_or_default(),
    }
}
