//! Are the tasks in the last commit as they are in the working tree? A fresh checkout has what is committed and nothing else.

use std::path::{Component, Path, PathBuf};

use windlass_core::values::{TaskId, TaskState};
use windlass_jobs::doc::tasks::sources::{form_of, form_of_folder};
use windlass_jobs::doc::tasks::{Place, StateWords, TaskFile, TaskList};

use super::FoundTasks;
use windlass_git::git::{EntryKind, GitError, Repository};
use windlass_git::inventory::as_path;
use windlass_host::tree::at;

/// More states than this are not put right to compare the rest: such a file was changed by somebody.
const MOST_STATES: usize = 256;

/// Why a checkout of the last commit would not have a file of tasks as it is here. Each names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlike {
    /// It lies outside the repository.
    Outside(String),
    /// It is a link, or lies below one.
    Link(String),
    /// The last commit does not have it.
    NotCommitted(String),
    /// It says something else than in the last commit, and not only how far tasks are.
    Changed(String),
}

/// Looks at each file of the tasks. How far tasks are may differ: the runner puts that right.
pub fn unlike_committed(
    repository: &Repository,
    directory: &Path,
    found: &FoundTasks,
) -> Result<Option<Unlike>, GitError> {
    for name in found.list.files() {
        let Some(path) = inside(repository, directory, name) else {
            return Ok(Some(Unlike::Outside(name.to_owned())));
        };
        if is_behind_link(&repository.top, &path) {
            return Ok(Some(Unlike::Link(name.to_owned())));
        }
        let Some(committed) = repository.checked_out_content(&path)? else {
            return Ok(Some(Unlike::NotCommitted(name.to_owned())));
        };
        if !says_the_same(&found.list, name, &committed) {
            return Ok(Some(Unlike::Changed(name.to_owned())));
        }
    }
    Ok(None)
}

/// The files of the tasks that differ from the last commit in nothing but how far tasks are, and what that commit has.
pub(crate) fn states_apart(
    repository: &Repository,
    directory: &Path,
    found: &FoundTasks,
) -> Result<Vec<(PathBuf, Vec<u8>)>, GitError> {
    let mut apart = Vec::new();
    for name in found.list.files() {
        let Some(path) = inside(repository, directory, name) else { continue };
        let committed = repository.checked_out_content(&path)?;
        let Some(committed) = committed.filter(|_| !is_behind_link(&repository.top, &path)) else { continue };
        if found.list.text(name).as_bytes() != committed && says_the_same(&found.list, name, &committed) {
            apart.push((repository.top.join(&path), committed));
        }
    }
    Ok(apart)
}

/// The file of a commit that has this task, from the repository's top, and its bytes with the task in another state: what lands on
/// a branch that is not checked out. `None` where the commit has no such task, or no place for its state.
pub(crate) fn with_state(
    repository: &Repository,
    (directory, place): (&Path, &Path),
    commit: &str,
    (id, state): (&TaskId, TaskState),
) -> Result<Option<(PathBuf, Vec<u8>)>, GitError> {
    let Some(place) = place.to_str().and_then(|place| inside(repository, directory, place)) else {
        return Ok(None);
    };
    let files = repository.files_of(commit)?;
    let own = own_words(repository, commit, &place)?;
    for (path, (kind, _)) in &files {
        let path = as_path(path);
        if !path.starts_with(&place) || *kind == EntryKind::Symlink {
            continue;
        }
        let within = if path == place { Place::Alone } else { Place::InFolder };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(bytes) = repository.checked_out_content_of(commit, path)? else { continue };
        let Some(form) = form_of(&name, within, &bytes) else { continue };
        let role = form.role(&name, within).unwrap_or_default();
        let file = TaskFile::alone(&path.display().to_string(), form, Ok(bytes.clone()));
        let list =
            TaskList::parse(vec![TaskFile { role, own: own.clone().unwrap_or(file.own.clone()), ..file }]);
        if list.task(id).is_some() {
            let changed = list.set_state(id, state).ok().and_then(|splice| splice.apply(&bytes));
            return Ok(changed.map(|bytes| (path.to_owned(), bytes)));
        }
    }
    Ok(None)
}

/// What states are called in a folder of tasks, where a file of the commit beside it says so.
fn own_words(repository: &Repository, commit: &str, place: &Path) -> Result<Option<StateWords>, GitError> {
    let form = form_of_folder();
    let around = place.parent().filter(|_| place.ends_with("tasks"));
    let Some(settings) = around.zip(form.about().settings).map(|(around, name)| around.join(name)) else {
        return Ok(None);
    };
    let said = repository.checked_out_content_of(commit, &settings)?;
    Ok(said.map(|bytes| form.own_words(&String::from_utf8_lossy(&bytes))).filter(|own| !own.is_empty()))
}

/// Its path from the repository's top.
fn inside(repository: &Repository, directory: &Path, name: &str) -> Option<PathBuf> {
    let absolute = directory.join(name);
    let path = absolute.strip_prefix(&repository.top).ok()?.to_owned();
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

fn is_behind_link(top: &Path, path: &Path) -> bool {
    let mut so_far = top.to_owned();
    path.components().any(|part| {
        so_far.push(part);
        at(&so_far).is_link()
    })
}

/// The same but for the states of tasks.
fn says_the_same(list: &TaskList, name: &str, committed: &[u8]) -> bool {
    let here = list.text(name);
    if here.as_bytes() == committed {
        return true;
    }
    let mut former = list.reread(name, committed.to_vec());
    let differing: Vec<(TaskId, TaskState)> = list
        .tasks()
        .iter()
        .filter(|task| *task.file == *name)
        .map(|task| (task.row.id.clone(), task.row.state))
        .filter(|(id, state)| former.task(id).is_some_and(|task| task.row.state != *state))
        .take(MOST_STATES + 1)
        .collect();
    if differing.len() > MOST_STATES {
        return false;
    }
    for (id, state) in differing {
        let splice = former.set_state(&id, state).ok();
        let Some(after) = splice.and_then(|splice| splice.apply(former.text(name).as_bytes())) else {
            return false;
        };
        former = list.reread(name, after);
    }
    former.text(name) == here
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{read_tasks, set_state};
    use windlass_git::git::FoundRepository;
    use windlass_git::testing::Scratch;

    const TASKS: &str =
        "### TASK-001: One\n- **Status**: pending\n\n### TASK-002: Two\n- **Status**: pending\n";

    fn look(scratch: &Scratch, place: &str) -> Option<Unlike> {
        let Ok(FoundRepository::Worktree(repository)) = Repository::find(&scratch.top) else {
            panic!("no repository");
        };
        unlike_committed(&repository, &scratch.top, &read_tasks(&scratch.top, Path::new(place))).unwrap()
    }

    #[test]
    fn only_states_may_differ_from_the_last_commit() {
        let scratch = Scratch::repository();
        scratch.write("tasks.md", TASKS);
        let name = || "tasks.md".to_owned();
        assert_eq!(look(&scratch, "tasks.md"), Some(Unlike::NotCommitted(name())));
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "-m", "tasks"]);
        assert_eq!(look(&scratch, "tasks.md"), None);
        for (id, state) in [("TASK-001", TaskState::Done), ("TASK-002", TaskState::InProgress)] {
            set_state(&scratch.top, Path::new("tasks.md"), &TaskId::from(id), state).unwrap();
            assert_eq!(look(&scratch, "tasks.md"), None, "{id}");
        }
        let more = format!("{TASKS}\n### TASK-003: Three\n- **Status**: pending\n");
        scratch.write("tasks.md", &more);
        assert_eq!(look(&scratch, "tasks.md"), Some(Unlike::Changed(name())));
        scratch.write("tasks.md", TASKS.replace("Two", "Too"));
        assert_eq!(look(&scratch, "tasks.md"), Some(Unlike::Changed(name())));
    }

    #[test]
    fn links_and_what_lies_outside_are_told_apart() {
        let scratch = Scratch::repository();
        scratch.write("doc/tasks.md", TASKS);
        std::os::unix::fs::symlink("doc/tasks.md", scratch.top.join("tasks.md")).unwrap();
        std::os::unix::fs::symlink("doc", scratch.top.join("other")).unwrap();
        scratch.git(&["add", "-A"]);
        scratch.git(&["commit", "-q", "-m", "tasks"]);
        assert_eq!(look(&scratch, "doc/tasks.md"), None);
        assert_eq!(look(&scratch, "tasks.md"), Some(Unlike::Link("tasks.md".to_owned())));
        assert_eq!(look(&scratch, "other/tasks.md"), Some(Unlike::Link("other/tasks.md".to_owned())));
        let outside = Scratch::plain();
        outside.write("tasks.md", TASKS);
        let outside = outside.top.join("tasks.md").display().to_string();
        assert_eq!(look(&scratch, &outside), Some(Unlike::Outside(outside.clone())));
    }
}
