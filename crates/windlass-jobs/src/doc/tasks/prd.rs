//! snarktank's `prd.json`.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_core::values::{TaskRow, TaskState};

use super::file::{Found, without_mark};
use super::problem::{self, Problem, ProblemKind};
use super::task::{Insertion, ListedTask, StatePlace};
use super::{protection, words};
use crate::doc::plan::lines::Lines;

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, rename = "userStories")]
    stories: Option<Vec<&'a RawValue>>,
}

/// A story; what each field holds is looked at by itself.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Story<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    title: Option<&'a RawValue>,
    description: Option<&'a RawValue>,
    priority: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "given")]
    passes: Option<&'a RawValue>,
    depends_on: Option<&'a RawValue>,
    dependencies: Option<&'a RawValue>,
    r#type: Option<&'a RawValue>,
    breaking: Option<&'a RawValue>,
    verification: Option<&'a RawValue>,
    acceptance_criteria: Option<&'a RawValue>,
    protected: Option<&'a RawValue>,
}

/// Any value, also `null`: what is there is no place to write it a second time.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

struct Reader<'a> {
    name: &'a Arc<str>,
    text: &'a str,
    mark: usize,
    lines: Lines<'a>,
    found: Found,
}

/// Reads a file. All ranges are of the text as it is, a byte order mark included.
pub(super) fn read(name: &Arc<str>, text: &str) -> Found {
    let (bare, mark) = without_mark(text);
    let mut reader = Reader { name, text: bare, mark, lines: Lines::of(bare), found: Found::default() };
    match serde_json::from_str::<Document<'_>>(bare) {
        Ok(_) if !bare.trim_start().starts_with('{') => {
            reader.fault(Some(1), "is no JSON of this form: it is no object".to_owned());
        }
        Ok(Document { stories: Some(stories) }) => stories.into_iter().for_each(|story| reader.story(story)),
        Ok(Document { stories: None }) => {
            reader.fault(None, "has no list of `userStories`".to_owned());
        }
        Err(error) => reader.fault(Some(error.line()), format!("is no JSON of this form: {error}")),
    }
    reader.found
}

impl<'a> Reader<'a> {
    fn fault(&mut self, line: Option<usize>, sentence: String) {
        let problem = Problem { kind: ProblemKind::Malformed, file: self.name.clone(), line, sentence };
        self.found.problems.push(problem);
    }

    /// Where a value begins in the text without its mark.
    fn start_of(&self, value: &RawValue) -> usize {
        value.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr())
    }

    fn story(&mut self, raw: &'a RawValue) {
        let start = self.start_of(raw);
        let line = self.lines.line_of(start);
        // A list would be taken for a structure without names.
        let is_object = raw.get().starts_with('{');
        let Some(story) = serde_json::from_str::<Story<'a>>(raw.get()).ok().filter(|_| is_object) else {
            return self.fault(Some(line), "is no story: a story is an object, each key once".to_owned());
        };
        let (Some(id), Some(id_value)) = (story.id.and_then(text), story.id) else {
            return self.fault(Some(line), "is a story without an `id`".to_owned());
        };
        let mut task = ListedTask {
            file: self.name.clone(),
            line,
            block: self.mark + start..self.mark + start + raw.get().len(),
            description: story.description.and_then(text).unwrap_or_default(),
            verification: story.verification.or(story.acceptance_criteria).and_then(lines),
            ..ListedTask::default()
        };
        task.row.title = story.title.and_then(text).map_or_else(|| id.clone(), |title| one_line(&title));
        task.row.id.0 = id;
        task.row.kind = story.r#type.and_then(text).and_then(|kind| words::kind(&kind));
        task.row.breaking =
            story.breaking.and_then(text).and_then(|what| words::breaking(&what, &task.row.title));
        task.row.priority = TaskRow::USUAL_PRIORITY;
        self.take_priority(&mut task, story.priority);
        self.take_state(&mut task, story.passes, id_value);
        for value in [story.depends_on, story.dependencies].into_iter().flatten() {
            let line = self.lines.line_of(self.start_of(value));
            task.named.extend(names(value).into_iter().map(|name| (name, line)));
        }
        if let Some(value) = story.protected {
            let line = self.lines.line_of(self.start_of(value));
            protection::take(&mut task, patterns(value), line, &mut self.found.problems);
        }
        self.found.tasks.push(task);
    }

    fn take_priority(&mut self, task: &mut ListedTask, value: Option<&RawValue>) {
        let Some((value, word)) = value.and_then(|value| Some((value, text(value)?))) else { return };
        if let Some(priority) = words::priority(&word) {
            task.row.priority = priority;
        } else {
            let line = self.lines.line_of(self.start_of(value));
            let sentence = problem::unknown_priority(&task.row.id.0, &word);
            self.problem(task, ProblemKind::UnknownPriority, line, sentence);
        }
    }

    fn take_state(&mut self, task: &mut ListedTask, value: Option<&RawValue>, id: &RawValue) {
        let Some(value) = value else {
            let at = self.mark + self.start_of(id) + id.get().len();
            let before = ", \"passes\": ".to_owned();
            task.place = StatePlace::Missing(vec![Insertion { at, before, after: String::new() }]);
            return;
        };
        let start = self.start_of(value);
        task.place = StatePlace::Word(self.mark + start..self.mark + start + value.get().len());
        match value.get() {
            "true" => task.row.state = TaskState::Done,
            "false" => {}
            _ => {
                let line = self.lines.line_of(start);
                let id = problem::quoted(&task.row.id.0);
                let word = problem::quoted(value.get());
                let sentence = format!("{id} has `passes` {word}: write true or false");
                task.row.unclear = Some(format!("its `passes` is {word}, which is neither true nor false"));
                self.problem(task, ProblemKind::UnknownStatus, line, sentence);
            }
        }
    }

    fn problem(&mut self, task: &ListedTask, kind: ProblemKind, line: usize, sentence: String) {
        self.found.problems.push(Problem { line: Some(line), ..task.problem(kind, sentence) });
    }
}

/// Where the list of stories begins, after its bracket.
pub(super) fn start_of_stories(text: &str) -> Option<usize> {
    #[derive(Deserialize)]
    struct Outer<'a> {
        #[serde(borrow, rename = "userStories")]
        stories: &'a RawValue,
    }
    let (bare, _) = without_mark(text);
    let stories = serde_json::from_str::<Outer<'_>>(bare).ok()?.stories.get();
    stories.starts_with('[').then(|| stories.as_ptr().addr().saturating_sub(text.as_ptr().addr()) + 1)
}

/// A value as text: a string's own, any other as it is written. `None` for nothing.
fn text(value: &RawValue) -> Option<String> {
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

/// The tasks that a value names: a list of ids, or a text with some.
fn names(value: &RawValue) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(names) => names.into_iter().filter_map(text).collect(),
        Err(_) => text(value).map(|text| words::dependencies(&text)).unwrap_or_default(),
    }
}

/// The patterns that a value names: a list of them, or a text with some.
fn patterns(value: &RawValue) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(patterns) => patterns.into_iter().filter_map(text).collect(),
        Err(_) => text(value).map(|text| protection::of_text(&text)).unwrap_or_default(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
