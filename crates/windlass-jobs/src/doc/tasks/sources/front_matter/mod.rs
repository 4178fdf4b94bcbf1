//! A task in a file of its own: fields in front matter, then what is to be done.

mod add;
mod matter;
mod settings;

use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use self::matter::{Entry, Matter, scalar};
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{
    AboutForm, CheckedTask, Complexity, Criterion, FileRole, Layout, Place, ReadFile, Reading, Refused,
    StateWords, Task, TaskSource, criteria, protection, spelling, words,
};
use crate::doc::text::{base_name, ends_in, stem, without_mark};
use crate::doc::{Problem, ProblemKind, Splice};

/// A folder with a Markdown file per task, its fields in front matter.
#[derive(Clone, Copy, Debug)]
pub struct FrontMatter;

impl TaskSource for FrontMatter {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "front_matter",
            summary: "a file per task, its fields in front matter",
            usual_places: &["tasks"],
            other_places: &["backlog/tasks", ".claude/tasks"],
            // Where Backlog.md moves tasks.
            put_away: &["completed", "archive/tasks"],
            settings: Some("config.yml"),
            no_task: "has no task",
            adds: true,
            layout: Layout::FilePerTask,
            ..AboutForm::USUAL
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        let base = base_name(name);
        let is_put_away = base.starts_with(['.', '_']) || base.eq_ignore_ascii_case("README.md");
        let role = if place == Place::Alone { FileRole::OneOfFolder } else { FileRole::Part };
        (ends_in(name, "md") && !is_put_away).then_some(role)
    }

    /// A file by itself is a task of its folder where it says so above, and is no list by what stands below: by boxes it is
    /// one, but in a folder of tasks.
    fn recognises(&self, name: &str, text: &str) -> bool {
        let is_in_tasks = name.rsplit(['/', '\\']).nth(1) == Some("tasks");
        let is_task = || is_task(text) && (is_in_tasks || !text.contains("- ["));
        text.trim_start_matches('\u{feff}').starts_with("---") && is_task()
    }

    fn looks_like(&self, beginning: &[u8]) -> bool {
        let text = String::from_utf8_lossy(beginning);
        let found = read(&Arc::from(""), &text, &StateWords::default());
        let begins = text.trim_start_matches('\u{feff}').starts_with("---");
        begins && !(found.tasks.is_empty() && found.problems.is_empty())
    }

    fn read(&self, name: &Arc<str>, role: FileRole, text: &str) -> Reading {
        self.read_with(name, role, text, &StateWords::default())
    }

    fn own_words(&self, settings: &str) -> StateWords {
        settings::words(settings)
    }

    fn read_with(&self, name: &Arc<str>, role: FileRole, text: &str, own: &StateWords) -> Reading {
        let mut found = read(name, text, own);
        if role == FileRole::OneOfFolder {
            found = Reading::default();
            let kind = ProblemKind::Malformed;
            let sentence = "is one task of a list: its folder is the list".to_owned();
            found.problems.push(Problem { kind, file: name.clone(), line: None, sentence });
        }
        if role == FileRole::PutAway {
            found.problems.clear();
            for task in &mut found.tasks {
                (task.row.state, task.row.unclear, task.place) = (TaskState::Done, None, StatePlace::Unclear);
                task.named.clear();
            }
        }
        found
    }

    /// Backlog.md has words of its own in its configuration; without one these are the usual ones.
    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        if !file.own.is_empty() {
            return file.own.of(state).map(str::to_owned);
        }
        let is_backlog = file.text.contains("\ncreated_date:") || file.text.contains("\nassignee:");
        if !is_backlog {
            return spelling::word(&file.about.words, state, former, None);
        }
        match (state, former) {
            (TaskState::Open, "In Progress" | "Done") => Some("To Do".to_owned()),
            (TaskState::Done, "To Do" | "In Progress") => Some("Done".to_owned()),
            (TaskState::InProgress, "To Do" | "Done") => Some("In Progress".to_owned()),
            // What has another word has it again.
            (TaskState::Done, former) if former.starts_with(char::is_uppercase) => {
                spelling::other_done(&StateWords::default(), former).or_else(|| Some("Done".to_owned()))
            }
            (state, former) => spelling::word(&file.about.words, state, former, None),
        }
    }

    fn claim(&self, _id: &TaskId, file: &str) -> String {
        format!("Then set `status: done` at the top of `{file}`.")
    }

    fn add(&self, file: &ReadFile, _last: Option<&Task>, task: &CheckedTask) -> Result<Splice, Refused> {
        Ok(add::add(file, task))
    }
}

/// What shows that front matter is a task's.
const KEYS: [&str; 10] = [
    "id",
    "status",
    "priority",
    "dependencies",
    "depends_on",
    "dependson",
    "depends-on",
    "protected",
    "verification",
    "breaking",
];

/// Does front matter say that this is a task, and how far it is?
fn is_task(text: &str) -> bool {
    let (_, mark) = without_mark(text);
    let says = |matter: &Matter<'_>, name: &str| {
        matter.entries.iter().any(|entry| entry.key.eq_ignore_ascii_case(name))
    };
    matter::read(text, mark).is_ok_and(|matter| says(&matter, "id") && says(&matter, "status"))
}

fn read(name: &Arc<str>, text: &str, own: &StateWords) -> Reading {
    let (_, mark) = without_mark(text);
    let mut found = Reading::default();
    let matter = match matter::read(text, mark) {
        Ok(matter) => matter,
        Err((line, sentence)) => {
            // Notes are no task; what is called as tasks are, or begins as one does, may be.
            let is_called_so =
                words::is_id(stem(name)) || text.get(mark..).is_some_and(|text| text.starts_with("---"));
            let kind = if is_called_so { ProblemKind::Unseen } else { ProblemKind::NotATask };
            found.problems.push(Problem { kind, file: name.clone(), line: Some(line), sentence });
            return found;
        }
    };
    // Front matter of something else is no task.
    let says = |entry: &Entry<'_>| KEYS.contains(&entry.key.to_lowercase().as_str());
    let is_foreign =
        |entry: &Entry<'_>| !["title", "description", "type"].contains(&entry.key.to_lowercase().as_str());
    if matter.entries.iter().any(is_foreign) && !matter.entries.iter().any(says) {
        return found;
    }
    let body = text.get(matter.body..).unwrap_or_default();
    let mut task = Task::new(name, 1, 0..text.len());
    stem(name).clone_into(&mut task.row.id.0);
    task.place = StatePlace::Missing(vec![missing(text, matter.end)]);
    for entry in &matter.entries {
        if entry.key.eq_ignore_ascii_case("status") {
            status(&mut task, text, entry, own, &mut found.problems);
        }
        take(&mut task, text, entry, &mut found.problems);
    }
    if task.row.title.is_empty() {
        task.row.title = title(body).unwrap_or_else(|| task.row.id.0.clone());
    }
    // That it breaks something may be said before what it is called.
    if task.row.breaking.as_deref() == Some("") {
        task.row.breaking = Some(task.row.title.clone());
    }
    if task.description.is_empty() {
        body.trim().clone_into(&mut task.description);
    }
    let lines_before =
        memchr::memchr_iter(b'\n', text.get(..matter.body).unwrap_or_default().as_bytes()).count();
    task.criteria.extend(criteria::of_block(body, 1 + lines_before));
    found.tasks.push(task);
    found
}

fn take(task: &mut Task, text: &str, entry: &Entry<'_>, problems: &mut Vec<Problem>) {
    let value = || entry.items.join(" ");
    let some = || Some(value()).filter(|value| !value.is_empty());
    match entry.key.to_lowercase().replace(['-', ' '], "_").as_str() {
        "id" => task.row.id.0 = some().unwrap_or_else(|| task.row.id.0.clone()),
        "title" => task.row.title = value(),
        "priority" if !value().is_empty() => {
            problems.extend(task.take_priority(&value(), entry.line));
        }
        "dependencies" | "depends_on" | "dependson" => {
            let names = entry.items.iter().flat_map(|item| words::dependencies(item));
            task.named.extend(names.map(|name| (name, entry.line)));
        }
        "type" => task.row.kind = words::kind(&value()),
        "breaking" => task.row.breaking = words::breaking(&value(), &task.row.title),
        "agent" => task.row.agent = words::agent(&value()),
        "requires" => task.row.requires = words::requires(&value()),
        "description" => task.description = entry.items.join("\n"),
        "verification" | "success_criteria" | "acceptance_criteria" => {
            task.verification = some().map(|_| entry.items.join("\n"));
            let listed = entry.items.iter().filter_map(|item| Criterion::new(item, entry.line));
            task.criteria.extend(listed);
        }
        "complexity" => task.complexity = Complexity::read(&value()),
        "files" => task.touches.clone_from(&entry.items),
        "protected" => {
            let source = text.get(entry.value.clone()).unwrap_or_default();
            let list = source.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
            let patterns = match list {
                Some(list) => protection::split(list).map(scalar).collect(),
                None => entry.items.iter().flat_map(|item| protection::of_text(item)).collect(),
            };
            protection::take(task, patterns, entry.line, problems);
        }
        _ => {}
    }
}

fn status(task: &mut Task, text: &str, entry: &Entry<'_>, own: &StateWords, problems: &mut Vec<Problem>) {
    let start = entry.value.start;
    let word = text.get(entry.value.clone()).unwrap_or_default();
    let bare = word.trim_matches(['"', '\'']);
    if let Some(state) = own.meaning(bare) {
        let start = start + (word.len() - word.trim_start_matches(['"', '\'']).len());
        (task.place, task.row.state) = (StatePlace::Word(start..start + bare.len()), state);
        return;
    }
    let before = if text.get(..start).is_some_and(|text| text.ends_with(':')) { "   " } else { "  " };
    let empty = Insertion { at: start, before: before.to_owned(), after: String::new() };
    let source = text.get(entry.value.clone()).unwrap_or_default();
    problems.extend(task.take_status((source, start), entry.line, empty));
}

/// A line for a status at the end of the front matter.
fn missing(text: &str, end: usize) -> Insertion {
    let crlf = text.get(..end).is_some_and(|before| before.ends_with("\r\n"));
    let after = if crlf { "\r\n" } else { "\n" };
    Insertion { at: end, before: "status:  ".to_owned(), after: after.to_owned() }
}

/// The first heading of a text.
fn title(body: &str) -> Option<String> {
    let line = body.lines().find(|line| line.starts_with('#'))?;
    let title = line.trim_start_matches('#').trim().trim_end_matches('#').trim();
    (!title.is_empty()).then(|| title.to_owned())
}
