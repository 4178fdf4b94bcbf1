//! snarktank's `prd.json`.

mod add;

use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_core::values::{TaskId, TaskState};

use crate::doc::lines::Lines;
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{
    CheckedTask, FileRole, Place, ReadFile, Reading, Refused, Task, TaskSource, protection, words,
};
use crate::doc::text::{ends_in, one_line, quoted, without_mark};
use crate::doc::{Problem, ProblemKind, Splice};

/// snarktank's `prd.json`.
#[derive(Clone, Copy, Debug)]
pub struct Prd;

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
    found: Reading,
}

impl TaskSource for Prd {
    fn name(&self) -> &'static str {
        "prd"
    }

    fn usual_places(&self) -> &'static [&'static str] {
        &["prd.json"]
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "json")).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let (bare, mark) = without_mark(text);
        let mut reader = Reader { name, text: bare, mark, lines: Lines::of(bare), found: Reading::default() };
        match serde_json::from_str::<Document<'_>>(bare) {
            Ok(_) if !bare.trim_start().starts_with('{') => {
                reader.fault(Some(1), "is not JSON of this form: it is not an object".to_owned());
            }
            Ok(Document { stories: Some(stories) }) => {
                for story in stories {
                    reader.story(story);
                }
            }
            Ok(Document { stories: None }) => reader.fault(None, "has no list of `userStories`".to_owned()),
            Err(error) => reader.fault(Some(error.line()), format!("is not JSON of this form: {error}")),
        }
        reader.found
    }

    fn no_task(&self, _role: FileRole) -> &'static str {
        "has no task: `userStories` is empty"
    }

    fn kept(&self, state: TaskState) -> TaskState {
        if state == TaskState::Done { TaskState::Done } else { TaskState::Open }
    }

    fn state_of(&self, word: &str) -> Option<TaskState> {
        match word {
            "true" => Some(TaskState::Done),
            "false" => Some(TaskState::Open),
            _ => None,
        }
    }

    fn word(&self, state: TaskState, _former: &str) -> Option<String> {
        Some((state == TaskState::Done).to_string())
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!("Then set `passes` of {id} in `{file}` to `true`.")
    }

    fn add(&self, file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Result<Splice, Refused> {
        add::add(file, last, task).ok_or_else(|| file.no_place())
    }

    fn id_zero(&self) -> &'static str {
        "US-000"
    }

    fn usual_priority(&self, tasks: &[Task]) -> u8 {
        tasks.iter().map(|task| task.row.priority).max().unwrap_or(0).saturating_add(1)
    }
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
            return self.fault(Some(line), "is not a story: a story is an object, each key once".to_owned());
        };
        let (Some(id), Some(id_value)) = (story.id.and_then(text), story.id) else {
            return self.fault(Some(line), "is a story without an `id`".to_owned());
        };
        let block = self.mark + start..self.mark + start + raw.get().len();
        let mut task = Task {
            description: story.description.and_then(text).unwrap_or_default(),
            verification: story.verification.or(story.acceptance_criteria).and_then(lines),
            ..Task::new(self.name, line, block)
        };
        task.row.title = story.title.and_then(text).map_or_else(|| id.clone(), |title| one_line(&title));
        task.row.id.0 = id;
        task.row.kind = story.r#type.and_then(text).and_then(|kind| words::kind(&kind));
        task.row.breaking =
            story.breaking.and_then(text).and_then(|what| words::breaking(&what, &task.row.title));
        if let Some((value, word)) = story.priority.and_then(|value| Some((value, text(value)?))) {
            let line = self.lines.line_of(self.start_of(value));
            self.found.problems.extend(task.take_priority(&word, line));
        }
        self.take_state(&mut task, story.passes, id_value);
        for value in [story.depends_on, story.dependencies].into_iter().flatten() {
            let line = self.lines.line_of(self.start_of(value));
            task.named.extend(names(value, words::dependencies).into_iter().map(|name| (name, line)));
        }
        if let Some(value) = story.protected {
            let line = self.lines.line_of(self.start_of(value));
            protection::take(&mut task, names(value, protection::of_text), line, &mut self.found.problems);
        }
        self.found.tasks.push(task);
    }

    fn take_state(&mut self, task: &mut Task, value: Option<&RawValue>, id: &RawValue) {
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
                let id = quoted(&task.row.id.0);
                let word = quoted(value.get());
                let sentence = format!("{id} has `passes` {word}: write true or false");
                task.row.unclear = Some(format!("its `passes` is {word}, which is neither true nor false"));
                self.found.problems.push(task.problem_at(line, ProblemKind::UnknownStatus, sentence));
            }
        }
    }
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

/// What a value names: a list, or a text with some.
fn names(value: &RawValue, of_text: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(names) => names.into_iter().filter_map(text).collect(),
        Err(_) => text(value).map(|text| of_text(&text)).unwrap_or_default(),
    }
}
