//! The files of a list of tasks or of a plan, read within bounds.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::nesting;
use windlass_core::values::TaskState;

use super::mark::Unwritable;
use super::source::{PlanNotes, Reading, StateWords, TaskForm};
use super::task::Task;
use super::{LONGEST_LIST, MOST_TASKS, unread};
use crate::doc::text::ends_in;
use crate::doc::{Problem, ProblemKind, Splice};

/// A file of a list, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFile {
    /// As people name it: its path from the project's folder.
    pub name: String,
    /// How it is written.
    pub form: TaskForm,
    /// What it is in its list.
    pub role: FileRole,
    /// Its bytes, or so many that it is seen to be too long; or why it cannot be read, as the end of a sentence that
    /// begins with the file (`is a folder`).
    pub content: Result<Vec<u8>, String>,
    /// What its list calls states, where that is said in a file of its own.
    pub own: StateWords,
}

impl TaskFile {
    /// A file that is the whole list.
    pub fn alone(name: &str, form: TaskForm, content: Result<Vec<u8>, String>) -> TaskFile {
        TaskFile { name: name.to_owned(), form, role: FileRole::Single, content, own: StateWords::default() }
    }
}

/// What a file is in its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRole {
    /// The whole list.
    #[default]
    Single,
    /// The `README.md` of a plan's folder: only its cross-cutting section holds tasks; its links give the order of the others.
    Index,
    /// One file of a folder: a feature of a plan, or a task.
    Part,
    /// A task that was put away when it was done, in a folder of its own.
    PutAway,
    /// One task by itself, whose list is the folder that it lies in.
    OneOfFolder,
}

/// A file of a list, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// As people name it.
    pub name: Arc<str>,
    /// How it is written.
    pub form: TaskForm,
    /// What it is in its list.
    pub role: FileRole,
    /// All of it, a byte order mark included; empty where it cannot be read.
    pub text: String,
    /// What its list calls states.
    pub own: StateWords,
    pub(in crate::doc) criteria: Vec<Task>,
    pub(in crate::doc) about: PlanNotes,
}

impl ReadFile {
    /// All its tasks as they are written, and what has to hold beside them.
    pub(super) fn read_again(&self) -> Vec<Task> {
        all_of(self.form.read_with(&self.name, self.role, &self.text, &self.own))
    }

    /// The same after a splice, which need not be one of its own bytes' file; `None` where that is not text.
    pub(super) fn after(&self, splice: &Splice) -> Option<Vec<Task>> {
        let text = String::from_utf8(splice.apply(self.text.as_bytes())?).ok()?;
        Some(all_of(self.form.read_with(&splice.file, self.role, &text, &self.own)))
    }

    /// It and its tasks after a splice of its own bytes; `None` where that is not text.
    pub(super) fn changed(&self, splice: &Splice) -> Option<(ReadFile, Vec<Task>)> {
        let text = String::from_utf8(splice.apply(self.text.as_bytes())?).ok()?;
        let file = TaskFile {
            name: self.name.to_string(),
            form: self.form,
            role: self.role,
            content: Ok(text.into_bytes()),
            own: self.own.clone(),
        };
        let mut room = LONGEST_LIST;
        Some(read(file, &mut room, &mut Vec::new()))
    }
}

fn all_of(reading: Reading) -> Vec<Task> {
    let Reading { mut tasks, criteria, .. } = reading;
    // What is open of a task that is done is among the task's own.
    let own: HashSet<usize> = tasks.iter().flat_map(|task| &task.criteria).map(|one| one.line).collect();
    tasks.extend(criteria.into_iter().filter(|one| !own.contains(&one.line)));
    tasks
}

/// All files of a list, its tasks in the order of the files and in theirs, and what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Contents {
    pub files: Vec<ReadFile>,
    pub tasks: Vec<Task>,
    /// What has to hold beside them.
    pub criteria: Vec<Task>,
    pub problems: Vec<Problem>,
}

impl Contents {
    /// Reads all files; together they are as long as one list may be.
    pub fn read(files: Vec<TaskFile>) -> Contents {
        let mut contents = Contents::default();
        let mut room = LONGEST_LIST;
        let read = files.into_iter().map(|file| read(file, &mut room, &mut contents.problems));
        let mut read: Vec<(ReadFile, Vec<Task>)> = read.collect();
        if let Some(form) = read.first().map(|(file, _)| file.form) {
            form.order(&mut read);
        }
        for (file, tasks) in read {
            let file_index = contents.files.len();
            let criteria = file.criteria.iter().cloned().map(|one| Task { file_index, ..one });
            contents.criteria.extend(criteria);
            contents.take(tasks);
            contents.files.push(file);
        }
        contents
    }

    fn take(&mut self, tasks: Vec<Task>) {
        let (before, file_index) = (self.tasks.len(), self.files.len());
        let room = MOST_TASKS.saturating_sub(before);
        if let Some(first) = tasks.get(room) {
            let sentence = format!("is one task more than the {MOST_TASKS} that a list may have");
            self.problems.push(first.problem(ProblemKind::TooLong, sentence));
        }
        self.tasks.extend(tasks.into_iter().take(room).map(|task| {
            let parent = task.parent.map(|parent| parent + before);
            Task { parent, file_index, ..task }
        }));
    }

    /// The text of a task: its heading and all below it, its list item, its story, its file.
    pub fn source(&self, task: &Task) -> &str {
        let text = self.files.get(task.file_index).map_or("", |file| &file.text);
        text.get(task.block.clone()).unwrap_or_default()
    }

    /// What has to change for a task of these to be in a state.
    pub fn mark(&self, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
        let file = self.files.get(task.file_index).ok_or(Unwritable::NoTask)?;
        file.form.mark(file, task, state)
    }
}

fn read(file: TaskFile, room: &mut usize, problems: &mut Vec<Problem>) -> (ReadFile, Vec<Task>) {
    let TaskFile { name, form, role, content, own } = file;
    let name: Arc<str> = Arc::from(name);
    let (mut found, text) = match text(content, room) {
        Ok(text) => (form.read_with(&name, role, &text, &own), text),
        Err((kind, line, sentence)) => {
            let problem = Problem { kind, file: name.clone(), line, sentence };
            (Reading { problems: vec![problem], ..Reading::default() }, String::new())
        }
    };
    problems.extend(found.problems);
    for task in found.tasks.iter().filter(|task| task.row.unclear.is_none()) {
        for range in task.place.words() {
            found.about.words.see(task.row.state, text.get(range.clone()).unwrap_or_default());
        }
    }
    (ReadFile { name, form, role, text, own, criteria: found.criteria, about: found.about }, found.tasks)
}

type Fault = (ProblemKind, Option<usize>, String);

fn text(content: Result<Vec<u8>, String>, room: &mut usize) -> Result<String, Fault> {
    let bytes = content.map_err(|why| (ProblemKind::Unreadable, None, why))?;
    let Some(left) = room.checked_sub(bytes.len()) else {
        let sentence = "is longer than a list of tasks may be, which is 16 MiB".to_owned();
        return Err((ProblemKind::TooLong, None, sentence));
    };
    *room = left;
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let sentence = "is UTF-16: save it as UTF-8".to_owned();
        return Err((ProblemKind::NotUtf8, Some(1), sentence));
    }
    if let Some(line) = conflict(&bytes) {
        let sentence = "holds a merge that was not settled: choose what counts between its marks".to_owned();
        return Err((ProblemKind::Malformed, Some(line), sentence));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', error.as_bytes().get(..valid).unwrap_or_default()).count();
        (ProblemKind::NotUtf8, Some(line), "is not UTF-8".to_owned())
    })
}

/// The line of the first mark of a merge that nobody has settled.
fn conflict(bytes: &[u8]) -> Option<usize> {
    const MARKS: [&[u8]; 3] = [b"<<<<<<< ", b"=======", b">>>>>>> "];
    memchr::memmem::find(bytes, b"<<<<<<< ")?;
    let (mut found, mut first) = (0, None);
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if MARKS.get(found).is_some_and(|mark| line.starts_with(mark)) {
            found += 1;
            first = first.or(Some(index + 1));
        }
    }
    first.filter(|_| found == MARKS.len())
}

/// What is read of a text that nests deeper than anybody reads.
pub(super) fn too_deep(name: &Arc<str>, text: &str) -> Option<Reading> {
    let line = Some(nesting::too_deep(text)?);
    let sentence = format!("nests deeper than {} levels", nesting::DEEPEST);
    let problem = Problem { kind: ProblemKind::TooDeep, file: name.clone(), line, sentence };
    Some(Reading { problems: vec![problem], ..Reading::default() })
}

/// Does a text say nothing?
pub(in crate::doc) fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter == '\u{feff}')
}

/// The problem of a list without any task: of its index, or else of its first file.
pub(in crate::doc) fn no_task(files: &[ReadFile]) -> Option<Problem> {
    let named = files.iter().find(|file| file.role == FileRole::Index).or_else(|| files.first())?;
    let prose = files.iter().map(|file| file.about.prose.len()).sum::<usize>();
    let is_text = !ends_in(&named.name, "json") && !ends_in(&named.name, "jsonl");
    let seen = || unread::seen(&named.text).filter(|_| is_text && named.role == FileRole::Single);
    let sentence = named.form.no_task(named.role).to_owned();
    let sentence = if is_blank(&named.text) {
        sentence.replacen("has no task: write each", "is empty: write each task", 1)
    } else if prose > 0 {
        format!("{sentence}; its {prose} headings with numbers are prose, unless they stand below `## Tasks`")
    } else {
        seen().map_or(sentence, |seen| format!("has no task: {seen}"))
    };
    Some(Problem { kind: ProblemKind::NoTask, file: named.name.clone(), line: None, sentence })
}
