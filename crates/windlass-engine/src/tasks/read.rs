//! Reading tasks, whatever lies in their place.

use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::tasks::natural;
use windlass_jobs::doc::tasks::{LONGEST_LIST, TaskFile, TaskForm, TaskList};

use super::FoundTasks;
use crate::document::{self, Content};
use windlass_host::file::FileError;
use windlass_host::tree::{TreePath, at};

/// So many files a folder of tasks may have.
const MOST_FILES: usize = 50_000;

/// Reads the tasks of a place: a file, or a folder with a file per task. Never fails: what cannot be read is named by
/// [`TaskList::problems`], and no file at all is [`TaskList::is_missing`].
pub fn read_tasks(directory: &Path, place: &Path) -> FoundTasks {
    let files = files(directory, place);
    let mark = mark_of(&files);
    let list = parsed(files, &mark);
    FoundTasks { place: place.to_owned(), list, mark: mark.chars().take(16).collect() }
}

/// So many lists are remembered.
const REMEMBERED: usize = 2;

/// Most often a file is read again before anybody has changed it, and to understand 50,000 tasks takes a fifth of a second.
static LATEST: Mutex<VecDeque<(String, Arc<TaskList>)>> = Mutex::new(VecDeque::new());

fn parsed(files: Vec<TaskFile>, mark: &str) -> Arc<TaskList> {
    let latest = || LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    // The same bytes are read otherwise as a file of a folder than by themselves.
    let forms: Vec<TaskForm> = files.iter().map(|file| file.form).collect();
    let is_it = |known: &str, list: &TaskList| {
        known == mark && list.files().map(|(_, form)| form).eq(forms.iter().copied())
    };
    if let Some((_, list)) = latest().iter().find(|(known, list)| is_it(known, list)) {
        return Arc::clone(list);
    }
    let list = Arc::new(TaskList::parse(files));
    let mut latest = latest();
    latest.truncate(REMEMBERED - 1);
    latest.push_front((mark.to_owned(), Arc::clone(&list)));
    list
}

pub(super) fn files(directory: &Path, place: &Path) -> Vec<TaskFile> {
    if at(directory).join(place).holds_folder() {
        return files_of(directory, place);
    }
    let Some(content) = document::read(&at(directory).join(place), LONGEST_LIST) else { return Vec::new() };
    let is_json = place.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let form = if is_json { TaskForm::Prd } else { TaskForm::Markdown };
    vec![TaskFile { name: place.display().to_string(), form, content }]
}

/// Each Markdown file of a folder, by name as people count; not what begins with a dot or an underscore, and not
/// `README.md`.
fn files_of(directory: &Path, folder: &Path) -> Vec<TaskFile> {
    let unreadable = |why: String| {
        let name = folder.display().to_string();
        vec![TaskFile { name, form: TaskForm::FrontMatter, content: Err(why) }]
    };
    let names = match names_in(&at(directory).join(folder)) {
        Ok(names) => names,
        Err(error) => return unreadable(format!("cannot be read: {}", error.source)),
    };
    if names.len() > MOST_FILES {
        return unreadable(format!("holds more than {MOST_FILES} files"));
    }
    if names.is_empty() {
        return unreadable("holds no file of a task".to_owned());
    }
    let task = |(path, content): (PathBuf, Content)| TaskFile {
        name: path.display().to_string(),
        form: TaskForm::FrontMatter,
        content,
    };
    document::read_folder(&at(directory), folder, names, LONGEST_LIST).into_iter().map(task).collect()
}

fn names_in(folder: &TreePath) -> Result<Vec<PathBuf>, FileError> {
    let mut names = Vec::new();
    for entry in folder.entries()? {
        let name = PathBuf::from(entry.name);
        let text = name.to_string_lossy();
        let is_put_away = text.starts_with(['.', '_']) || text.eq_ignore_ascii_case("README.md");
        if !is_put_away && name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")) {
            names.push(name);
        }
    }
    names.sort_by(|one, other| {
        natural::compare(&one.to_string_lossy(), &other.to_string_lossy()).then_with(|| one.cmp(other))
    });
    Ok(names)
}

/// Does a folder hold a file that begins as a task does?
pub(super) fn is_task_folder(folder: &TreePath) -> bool {
    let begins = |name: &PathBuf| {
        let mut first = [0; 7];
        folder.join(name).open().and_then(|mut file| file.read(&mut first)).is_ok_and(|length| {
            let read = first.get(..length).unwrap_or_default();
            read.strip_prefix(b"\xef\xbb\xbf").unwrap_or(read).starts_with(b"---")
        })
    };
    names_in(folder).is_ok_and(|names| names.iter().take(MOST_FILES).any(begins))
}

fn mark_of(files: &[TaskFile]) -> String {
    document::whole_mark(files.iter().map(|file| (file.name.as_str(), &file.content)))
}
