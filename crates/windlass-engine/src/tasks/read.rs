//! Reading tasks and plans, whatever lies in their place.

use std::ffi::OsString;
use std::path::Path;

use windlass_jobs::doc::tasks::sources::{Boxes, INDEX, form_of, form_of_folder};
use windlass_jobs::doc::tasks::{FileRole, LONGEST_LIST, Place, StateWords, TaskFile, TaskForm, TaskList};

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
    let path = at(directory).join(place);
    if path.holds_folder() {
        return if path.join(INDEX).is_taken() && !is_task_folder(&path) {
            folder(directory, place, &Boxes)
        } else {
            task_folder(directory, place)
        };
    }
    let Some(content) = document::read(&path, LONGEST_LIST) else { return Vec::new() };
    let bytes = content.as_deref().unwrap_or_default();
    let name = place.display().to_string();
    // What is longer than a list may be is refused whatever it is.
    let shown = if bytes.len() > LONGEST_LIST { bytes.get(..LOOKED_AT).unwrap_or_default() } else { bytes };
    let form = form_of(&name, Place::Alone, shown);
    let role = |form: TaskForm| form.role(&name, Place::Alone).unwrap_or_default();
    let file = |form| TaskFile { role: role(form), ..TaskFile::alone(&name, form, content.clone()) };
    form.map(file).into_iter().collect()
}

/// The files of a folder with a file per task, and those beside it.
fn task_folder(directory: &Path, place: &Path) -> Vec<TaskFile> {
    let form = form_of_folder();
    let mut files = folder(directory, place, form);
    if files.iter().any(|file| file.role == FileRole::Part) && !is_task_folder(&at(directory).join(place)) {
        let why =
            format!("holds no task: no file in it has front matter, and it has no {INDEX} as a plan has");
        return vec![unreadable(place, form, why)];
    }
    let own = own_words(directory, place, form);
    files.extend(put_away(directory, place, form, own.as_ref()));
    if let Some(own) = own {
        for file in &mut files {
            file.own.clone_from(&own);
        }
    }
    files
}

/// The longest file that is read to know what states are called, in bytes.
const LONGEST_SETTINGS: usize = 64 * 1024;

/// What states are called in a folder, where the folder around it says so; `None` where it says nothing.
pub(crate) fn own_words(directory: &Path, place: &Path, form: TaskForm) -> Option<StateWords> {
    let around = place.parent().filter(|_| place.ends_with("tasks"))?;
    let settings = at(directory).join(around.join(form.about().settings?));
    let bytes = settings.read(LONGEST_SETTINGS).ok().flatten()?;
    Some(form.own_words(&String::from_utf8_lossy(&bytes))).filter(|own| !own.is_empty())
}

/// Why a folder is no list, in place of its files.
fn unreadable(folder: &Path, form: TaskForm, why: String) -> TaskFile {
    let file = TaskFile::alone(&folder.display().to_string(), form, Err(why));
    TaskFile { role: FileRole::Index, ..file }
}

/// A file that is the whole list; `None` where there is none.
pub(crate) fn alone(directory: &Path, file: &Path, form: TaskForm) -> Option<TaskFile> {
    let content = document::read(&at(directory).join(file), LONGEST_LIST)?;
    Some(TaskFile::alone(&file.display().to_string(), form, content))
}

/// The files of a folder that are read in this form, in the order of their names.
pub(crate) fn folder(directory: &Path, folder: &Path, form: TaskForm) -> Vec<TaskFile> {
    let unreadable = |why: String| vec![unreadable(folder, form, why)];
    let names = match names_in(&at(directory).join(folder), form) {
        Ok(names) => names,
        Err(error) => return unreadable(format!("cannot be read: {}", error.source)),
    };
    if names.len() > form.about().most_files {
        return unreadable(format!("holds more than {} files", form.about().most_files));
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
fn put_away(directory: &Path, place: &Path, form: TaskForm, own: Option<&StateWords>) -> Vec<TaskFile> {
    let around = place.parent().filter(|_| place.ends_with(MOVED_FROM) || own.is_some());
    let Some(around) = around else { return Vec::new() };
    let folders = form.about().put_away.iter().map(|name| around.join(name));
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

/// So much of a file shows whether it is a task, in bytes.
const LOOKED_AT: usize = 16 * 1024;

/// Does a folder hold a file that begins as a task does?
pub(super) fn is_task_folder(folder: &TreePath) -> bool {
    let form = form_of_folder();
    let begins = |(name, _): &(OsString, FileRole)| {
        let read = folder.join(name).read_beginning(LOOKED_AT);
        read.is_ok_and(|bytes| bytes.is_some_and(|bytes| form.looks_like(&bytes)))
    };
    names_in(folder, form).is_ok_and(|names| names.iter().take(form.about().most_files).any(begins))
}
