//! Where the tasks are.

use std::path::{Path, PathBuf};

use windlass_core::project::FeatureName;
use windlass_jobs::doc::ProblemKind;
use windlass_jobs::doc::tasks::sources::SOURCES;

use super::read::{is_task_folder, read_tasks};
use super::{FoundTasks, TasksError};
use windlass_host::tree::at;

/// So many lists in other places are read.
const MOST_KEPT: usize = 50;

/// So many folders are looked at for each of these places.
const MOST_LOOKED_AT: usize = 1000;

/// Which task file is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// This file or folder, relative to the working directory.
    Place(&'a Path),
    /// That of a feature: `requirements/NAME.md`. The path itself is understood as well.
    Feature(&'a str),
    /// The first of the usual places that holds a task.
    Usual,
}

/// Finds and reads the task file. What is wrong with it is in its list.
pub fn find_tasks(directory: &Path, wanted: Wanted<'_>) -> Result<FoundTasks, TasksError> {
    match wanted {
        Wanted::Place(place) => named(directory, place.to_owned()),
        Wanted::Feature(name) => named(directory, FeatureName::parse(name)?.requirements()),
        Wanted::Usual => usual(directory),
    }
}

fn named(directory: &Path, place: PathBuf) -> Result<FoundTasks, TasksError> {
    let found = read_tasks(directory, &place);
    if found.list.is_missing() { Err(TasksError::NotThere(place)) } else { Ok(found) }
}

/// The lists that lie in the places that are looked at without being asked, and hold a task.
pub fn usual_places(directory: &Path) -> Vec<FoundTasks> {
    let places = SOURCES.iter().flat_map(|form| form.about().usual_places).map(PathBuf::from);
    let may_be = |place: &PathBuf| {
        let path = at(directory).join(place);
        !path.holds_folder() || is_task_folder(&path)
    };
    with_tasks(directory, places.filter(may_be))
}

/// The lists that lie in other places where people keep them, and hold a task.
pub fn kept_places(directory: &Path) -> Vec<FoundTasks> {
    let places = SOURCES.iter().flat_map(|form| form.about().other_places);
    let places = places.flat_map(|place| matching(directory, place));
    with_tasks(directory, places.chain(features(directory).iter().map(FeatureName::requirements)))
}

/// The features that have a task file: `requirements/NAME.md`, by name.
pub fn features(directory: &Path) -> Vec<FeatureName> {
    let folder = FeatureName::folder();
    let entries = at(directory).join(folder).entries().unwrap_or_default();
    let names = entries.into_iter().take(MOST_LOOKED_AT).filter_map(|entry| {
        let name = entry.name.to_str()?.strip_suffix(".md")?;
        FeatureName::parse(name).ok()
    });
    let mut features: Vec<FeatureName> = names.collect();
    features.sort();
    features
}

/// The lists around a place that is none itself: the folder that a file lies in, or the files of a folder.
pub fn near_places(directory: &Path, place: &Path) -> Vec<FoundTasks> {
    let path = at(directory).join(place);
    let near = if path.holds_folder() {
        let entries = path.entries().unwrap_or_default();
        let files = entries.into_iter().take(MOST_LOOKED_AT).map(|entry| place.join(entry.name));
        let mut files: Vec<PathBuf> = files.filter(|file| has_usual_ending(file)).collect();
        files.sort();
        files
    } else {
        let around = place.parent().filter(|around| !around.as_os_str().is_empty());
        around.map(Path::to_owned).into_iter().collect()
    };
    with_tasks(directory, near)
}

/// Those of the places that hold a task.
fn with_tasks(directory: &Path, places: impl IntoIterator<Item = PathBuf>) -> Vec<FoundTasks> {
    let read = places.into_iter().map(|place| read_tasks(directory, &place));
    read.filter(|found| !found.list.tasks().is_empty()).take(MOST_KEPT).collect()
}

/// Is a file called as lists of tasks are?
fn has_usual_ending(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ["md", "json", "jsonl"].iter().any(|usual| ending.eq_ignore_ascii_case(usual))
}

/// The paths that are there of a place whose `*` is any folder.
fn matching(directory: &Path, place: &str) -> Vec<PathBuf> {
    let Some((before, after)) = place.split_once("/*/") else {
        let path = PathBuf::from(place);
        return Some(path).filter(|path| at(directory).join(path).is_taken()).into_iter().collect();
    };
    let Ok(entries) = at(directory).join(before).entries() else { return Vec::new() };
    let paths =
        entries.into_iter().take(MOST_LOOKED_AT).map(|entry| Path::new(before).join(entry.name).join(after));
    let mut paths: Vec<PathBuf> = paths.filter(|path| at(directory).join(path).is_taken()).collect();
    paths.sort();
    paths
}

/// The first place with a task (a requirements file may be free text, with the tasks in `.devloop/tasks.md`); else the first
/// that is there, so that what is wrong with it can be said.
fn usual(directory: &Path) -> Result<FoundTasks, TasksError> {
    let places = || SOURCES.iter().flat_map(|form| form.about().usual_places);
    let mut first = None;
    for place in places() {
        let path = at(directory).join(place);
        if path.holds_folder() && !is_task_folder(&path) {
            continue;
        }
        let found = read_tasks(directory, Path::new(place));
        if found.list.is_missing() {
            continue;
        }
        // A file without tasks is something else; one that cannot be read may be what was meant.
        let is_text = |kind| matches!(kind, ProblemKind::NoTask);
        let is_other = found.list.tasks().is_empty()
            && found.list.problems().iter().all(|problem| is_text(problem.kind));
        if !is_other {
            return Ok(found);
        }
        first = first.or(Some(found));
    }
    let looked = places().map(|place| (*place).to_owned()).collect();
    first.ok_or(TasksError::Missing { looked })
}
