//! The files of a plan.

use std::path::{Path, PathBuf};

use windlass_core::spec::JobPlan;
use windlass_jobs::doc::plan::{FileRole, LONGEST_PLAN, PlanFile};

use super::{README, role};
use crate::document::{self, Content};
use windlass_host::tree::{TreePath, at};

/// So many files a folder's plan may have.
const MOST_FILES: usize = 2000;

/// The files of the plan that is in force. None when there is none.
pub(super) fn files(directory: &Path, places: &JobPlan) -> Vec<PlanFile> {
    let is_there = |folder: &&PathBuf| at(directory).join(folder).join(README).is_taken();
    match places.folder.as_ref().filter(is_there) {
        Some(folder) => files_of(directory, folder),
        None => single(directory, &places.file).into_iter().collect(),
    }
}

fn single(directory: &Path, file: &Path) -> Option<PlanFile> {
    let content = document::read(&at(directory).join(file), LONGEST_PLAN)?;
    Some(PlanFile { name: file.display().to_string(), role: FileRole::Single, content })
}

/// The `README.md` and each other `.md` file beside it, by name. What begins with a dot is put away.
fn files_of(directory: &Path, folder: &Path) -> Vec<PlanFile> {
    let mut names = match markdown_in(&at(directory).join(folder)) {
        Ok(names) => names,
        Err(why) => return vec![unreadable(folder, why)],
    };
    if names.len() > MOST_FILES {
        return vec![unreadable(folder, format!("holds more than {MOST_FILES} files"))];
    }
    names.sort();
    let part = |(path, content): (PathBuf, Content)| PlanFile {
        name: path.display().to_string(),
        role: path.file_name().map_or(FileRole::Feature, |name| role(&name.to_string_lossy())),
        content,
    };
    document::read_folder(&at(directory), folder, names, LONGEST_PLAN).into_iter().map(part).collect()
}

fn unreadable(folder: &Path, why: String) -> PlanFile {
    PlanFile { name: folder.display().to_string(), role: FileRole::Index, content: Err(why) }
}

fn markdown_in(folder: &TreePath) -> Result<Vec<PathBuf>, String> {
    let entries = folder.entries().map_err(|error| format!("cannot be read: {}", error.source))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = PathBuf::from(entry.name);
        let hidden = name.to_string_lossy().starts_with('.');
        if !hidden && super::specs::is_markdown(&name) {
            names.push(name);
        }
    }
    Ok(names)
}
