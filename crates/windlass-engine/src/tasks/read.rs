//! Reading tasks and plans, whatever lies in their place.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;

use windlass_jobs::doc::tasks::sources::{form_of, form_of_folder};
use windlass_jobs::doc::tasks::{FileRole, LONGEST_LIST, Place, TaskFile, TaskForm, TaskList};

use super::FoundTasks;
use super::latest::Latest;
use crate::document;
use windlass_host::file::FileError;
use windlass_host::tree::{TreePath, at};

/// Reads the tasks of a place: a file, or a folder with a file per task. Never fails: what cannot be read is named by
/// [`TaskList::problems`], and no file at all is [`TaskList::is_missing`].
pub fn read_tasks(directory: &Path, place: &Path) -> FoundTasks {
    static LATEST: Latest<TaskList> = Latest::new();
    let (list, mark) = LATEST.read(files(directory, place), TaskList::parse);
    FoundTasks { place: place.to_owned(), list, mark }
}

fn files(directory: &Path, place: &Path) -> Vec<TaskFile> {
    if at(directory).join(place).holds_folder() {
        let form = form_of_folder();
        let mut files = folder(directory, place, form);
        files.extend(put_away(directory, place, form));
        return files;
    }
    let Some(content) = document::read(&at(directory).join(place), LONGEST_LIST) else { return Vec::new() };
    let bytes = content.as_deref().unwrap_or_default();
    let form = form_of(&place.to_string_lossy(), Place::Alone, bytes);
    form.map(|form| TaskFile::alone(&place.display().to_string(), form, content.clone()))
        .into_iter()
        .collect()
}

/// A file that is the whole list; `None` where there is none.
pub(crate) fn alone(directory: &Path, file: &Path, form: TaskForm) -> Option<TaskFile> {
    let content = document::read(&at(directory).join(file), LONGEST_LIST)?;
    Some(TaskFile::alone(&file.display().to_string(), form, content))
}

/// The files of a folder that are read in this form, in the order of their names.
pub(crate) fn folder(directory: &Path, folder: &Path, form: TaskForm) -> Vec<TaskFile> {
    let unreadable = |why: String| {
        let file = TaskFile::alone(&folder.display().to_string(), form, Err(why));
        vec![TaskFile { role: FileRole::Index, ..file }]
    };
    let names = match names_in(&at(directory).join(folder), form) {
        Ok(names) => names,
        Err(error) => return unreadable(format!("cannot be read: {}", error.source)),
    };
    if names.len() > form.most_files() {
        return unreadable(format!("holds more than {} files", form.most_files()));
    }
    if names.is_empty() {
        return unreadable("holds no file of a task".to_owned());
    }
    let mut room = LONGEST_LIST;
    let mut files = Vec::new();
    for (name, role) in names {
        let path = folder.join(name);
        let Some(content) = document::read(&at(directory).join(&path), room) else { continue };
        let length = content.as_ref().map_or(0, Vec::len);
        files.push(TaskFile { role, ..TaskFile::alone(&path.display().to_string(), form, content) });
        // With this one the list is longer than it may be, and said to be so.
        let Some(left) = room.checked_sub(length) else { break };
        room = left;
    }
    files
}

/// The folder whose tasks are moved when they are done.
const MOVED_FROM: &str = "backlog/tasks";

/// Tasks that were moved to a folder of their own when they were done: others may depend on them.
fn put_away(directory: &Path, place: &Path, form: TaskForm) -> Vec<TaskFile> {
    let Some(around) = place.parent().filter(|_| place.ends_with(MOVED_FROM)) else { return Vec::new() };
    let folders = form.put_away().iter().map(|name| around.join(name));
    let there = folders.filter(|path| at(directory).join(path).holds_folder());
    let files = there.flat_map(|path| folder(directory, &path, form));
    let readable = files.filter(|file| file.role == FileRole::Part && file.content.is_ok());
    readable.map(|file| TaskFile { role: FileRole::PutAway, ..file }).collect()
}

/// The names of the files that are read in this form, and what each is.
fn names_in(folder: &TreePath, form: TaskForm) -> Result<Vec<(OsString, FileRole)>, FileError> {
    let role = |name: &OsString| form.role(&name.to_string_lossy(), Place::InFolder);
    let names = folder.entries()?.into_iter().map(|entry| entry.name);
    let mut names: Vec<_> = names.filter_map(|name| role(&name).map(|role| (name, role))).collect();
    names.sort_by(|(one, _), (other, _)| form.compare(&one.to_string_lossy(), &other.to_string_lossy()));
    Ok(names)
}

/// Does a folder hold a file that begins as a task does?
pub(super) fn is_task_folder(folder: &TreePath) -> bool {
    let form = form_of_folder();
    let begins = |(name, _): &(OsString, FileRole)| {
        let mut first = [0; 7];
        let read = folder.join(name).open().and_then(|mut file| file.read(&mut first));
        read.is_ok_and(|length| form.looks_like(first.get(..length).unwrap_or_default()))
    };
    names_in(folder, form).is_ok_and(|names| names.iter().take(form.most_files()).any(begins))
}
