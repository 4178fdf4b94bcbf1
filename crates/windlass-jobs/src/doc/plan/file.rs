//! The files of a plan: what each may hold, and in which order they count.

use std::collections::HashMap;
use std::sync::Arc;

use windlass_core::nesting;

use super::problem::{Problem, ProblemKind};
use super::reader;
use super::task::Task;

/// A file of a plan, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// As people name it: its path from the project's folder.
    pub name: String,
    /// What it is in its plan.
    pub role: FileRole,
    /// Its bytes, or so many that it is seen to be too long; or why it cannot be read, as the end of a sentence that
    /// begins with the file (`is a folder`).
    pub content: Result<Vec<u8>, String>,
}

/// What a file is in its plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRole {
    /// The whole plan.
    #[default]
    Single,
    /// A folder's `README.md`: only its cross-cutting section holds tasks; its links give the order of the others.
    Index,
    /// One feature of a folder.
    Feature,
}

/// A file of a plan, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadFile {
    pub name: Arc<str>,
    pub role: FileRole,
    pub text: String,
    pub tasks: Vec<Task>,
    pub set_aside: u64,
    /// The other files of the folder that it links to: name and line.
    pub links: Vec<(String, usize)>,
    /// What its `Spec:` line names.
    pub specs: Arc<[String]>,
    /// Its first heading of level 1.
    pub title: String,
    /// Could it be read?
    pub readable: bool,
}

pub(super) fn read(file: PlanFile, room: &mut usize, faults: &mut Vec<Problem>) -> ReadFile {
    let name: Arc<str> = Arc::from(file.name);
    match text(file.content, room) {
        Ok(text) => {
            let mut read = reader::read(&name, file.role, &text);
            read.text = text;
            read.readable = true;
            read
        }
        Err((kind, sentence)) => {
            faults.push(Problem { kind, file: name.clone(), line: None, sentence });
            ReadFile { name, role: file.role, ..ReadFile::default() }
        }
    }
}

fn text(content: Result<Vec<u8>, String>, room: &mut usize) -> Result<String, (ProblemKind, String)> {
    let bytes = content.map_err(|why| (ProblemKind::Unreadable, why))?;
    let Some(left) = room.checked_sub(bytes.len()) else {
        return Err((ProblemKind::TooLong, "is longer than a plan may be, which is 16 MiB".to_owned()));
    };
    *room = left;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', error.as_bytes().get(..valid).unwrap_or_default()).count();
        (ProblemKind::NotUtf8, format!("is not UTF-8: see line {line}"))
    })?;
    if let Some(line) = nesting::too_deep(&text) {
        let deepest = nesting::DEEPEST;
        return Err((ProblemKind::TooDeep, format!("nests deeper than {deepest} levels in line {line}")));
    }
    Ok(text)
}

/// The features in the order in which the index links to them, then by name; the index itself last, since its tasks cut
/// across all features.
pub(super) fn order(files: &mut [ReadFile]) {
    let index = files.iter().find(|file| file.role == FileRole::Index);
    let mut linked = HashMap::new();
    for (place, (name, _)) in index.iter().flat_map(|file| &file.links).enumerate() {
        linked.entry(name.clone()).or_insert(place);
    }
    files.sort_by_cached_key(|file| {
        let place = linked.get(base_name(&file.name)).copied().unwrap_or(usize::MAX);
        (file.role == FileRole::Index, place, file.name.clone())
    });
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Parts of a plan that are not there, or hold nothing: work that would be lost from sight.
pub(super) fn find_faults(files: &[ReadFile], faults: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.readable && file.role != FileRole::Index) {
        if file.text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}').is_empty() {
            faults.push(Problem {
                kind: ProblemKind::NoTask,
                file: file.name.clone(),
                line: None,
                sentence: "is empty".to_owned(),
            });
        }
    }
    let names: std::collections::HashSet<&str> = files.iter().map(|file| base_name(&file.name)).collect();
    for index in files.iter().filter(|file| file.role == FileRole::Index) {
        for (name, line) in index.links.iter().filter(|(name, _)| !names.contains(name.as_str())) {
            faults.push(Problem {
                kind: ProblemKind::MissingFile,
                file: index.name.clone(),
                line: Some(*line),
                sentence: format!("names `{name}`, which is not there"),
            });
        }
    }
}

pub(super) fn no_task(files: &[ReadFile]) -> Option<Problem> {
    let named = files.iter().find(|file| file.role == FileRole::Index).or_else(|| files.first())?;
    let sentence = match named.role {
        FileRole::Single => "has no task: write each as `- [ ] what is to be done`",
        FileRole::Index | FileRole::Feature => {
            "and the files beside it have no task: write each as `- [ ] what is to be done`"
        }
    };
    Some(Problem {
        kind: ProblemKind::NoTask,
        file: named.name.clone(),
        line: None,
        sentence: sentence.to_owned(),
    })
}
