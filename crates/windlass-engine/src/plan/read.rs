//! The files of a plan.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use windlass_core::doc::plan::{FileRole, LONGEST_PLAN, PlanFile};
use windlass_core::run::JobPlan;

use super::{README, role};

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
    let content = content(&directory.join(file), LONGEST_PLAN)?;
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
    let mut room = LONGEST_PLAN;
    let mut files = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let Some(content) = content(&directory.join(&path), room) else { continue };
        let length = content.as_ref().map_or(0, Vec::len);
        files.push(PlanFile {
            name: path.display().to_string(),
            role: role(&name.to_string_lossy()),
            content,
        });
        let Some(left) = room.checked_sub(length) else { break };
        room = left;
    }
    files
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

/// A file's bytes, or so many that it is seen to be longer than `longest`; or why there are none, as the end of a sentence.
/// `None` when there is no such file.
pub(crate) fn content(path: &Path, longest: usize) -> Option<Result<Vec<u8>, String>> {
    let link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(metadata) if metadata.is_dir() => return Some(Err("is a folder".to_owned())),
        Ok(_) => return Some(Err("is no file, but a pipe or a device".to_owned())),
        Err(error) if link => return Some(Err(format!("is a link that leads nowhere: {error}"))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => return Some(Err(format!("cannot be read: {error}"))),
    }
    let mut bytes = Vec::new();
    let longest = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
    let read = File::open(path).and_then(|file| file.take(longest).read_to_end(&mut bytes));
    Some(read.map(|_| bytes).map_err(|error| format!("cannot be read: {error}")))
}
