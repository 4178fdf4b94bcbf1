//! The files of a plan.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::doc::plan::{FileRole, LONGEST_PLAN, PlanFile};
use windlass_core::run::JobPlan;

use super::{README, role};
use crate::document::{self, Content};

/// So many files a folder's plan may have.
const MOST_FILES: usize = 2000;

/// The files of the plan that is in force. None when there is none.
pub(super) fn files(directory: &Path, places: &JobPlan) -> Vec<PlanFile> {
    let is_there = |folder: &&PathBuf| directory.join(folder).join(README).symlink_metadata().is_ok();
    match places.folder.as_ref().filter(is_there) {
        Some(folder) => files_of(directory, folder),
        None => single(directory, &places.file).into_iter().collect(),
    }
}

fn single(directory: &Path, file: &Path) -> Option<PlanFile> {
    let content = document::read(&directory.join(file), LONGEST_PLAN)?;
    Some(PlanFile { name: file.display().to_string(), role: FileRole::Single, content })
}

/// The `README.md` and each other `.md` file beside it, by name. What begins with a dot is put away.
fn files_of(directory: &Path, folder: &Path) -> Vec<PlanFile> {
    let mut names = match markdown_in(&directory.join(folder)) {
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
    document::read_folder(directory, folder, names, LONGEST_PLAN).into_iter().map(part).collect()
}

fn unreadable(folder: &Path, why: String) -> PlanFile {
    PlanFile { name: folder.display().to_string(), role: FileRole::Index, content: Err(why) }
}

fn markdown_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |error: io::Error| format!("cannot be read: {error}");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let name = PathBuf::from(entry.map_err(cannot)?.file_name());
        let hidden = name.to_string_lossy().starts_with('.');
        if !hidden && super::specs::is_markdown(&name) {
            names.push(name);
        }
    }
    Ok(names)
}
