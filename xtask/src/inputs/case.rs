//! What is tried: a file, or a folder of tasks, of one repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::entries;
use crate::program::Failure;

/// A file or folder to try, among what its repository holds.
pub struct Case {
    /// Its kind: the folder it was found in.
    pub kind: String,
    /// Its repository.
    pub repository: String,
    /// Its path in its repository: a file, or a folder of tasks.
    pub place: PathBuf,
    /// The files of the repository: their paths there, and where they lie.
    files: Vec<(PathBuf, PathBuf)>,
}

/// All there are.
pub fn find(folder: &Path) -> Result<Vec<Case>, Failure> {
    let mut found = Vec::new();
    for kind in entries(folder)? {
        for repository in entries(&kind)? {
            found.extend(of_repository(&kind, &repository)?);
        }
    }
    Ok(found)
}

fn of_repository(kind: &Path, repository: &Path) -> Result<Vec<Case>, Failure> {
    let files: Vec<(PathBuf, PathBuf)> =
        entries(repository)?.into_iter().map(|file| (path_of(&file), file)).collect();
    let mut places: Vec<PathBuf> = files.iter().map(|(path, _)| place_of(path)).collect();
    places.sort();
    places.dedup();
    let case = |place| Case { kind: name(kind), repository: name(repository), place, files: files.clone() };
    Ok(places.into_iter().map(case).collect())
}

/// The path that a file's name stands for.
fn path_of(file: &Path) -> PathBuf {
    PathBuf::from(name(file).replace("__", "/"))
}

/// Where a file belongs to a list that is a folder, the folder.
fn place_of(path: &Path) -> PathBuf {
    let folder =
        path.parent().filter(|folder| folder.ends_with("backlog/tasks") || folder.ends_with(".claude/tasks"));
    folder.unwrap_or(path).to_owned()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Case {
    /// Puts the repository's files below a folder.
    pub fn lay_out(&self, below: &Path) -> Result<(), Failure> {
        for (path, from) in &self.files {
            let to = below.join(path);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
            }
            fs::copy(from, &to).map_err(|error| Failure::at(&to, error))?;
        }
        Ok(())
    }

    /// The files that are tried, below that folder: one, or those of the folder of tasks.
    pub fn tried(&self, below: &Path) -> Vec<PathBuf> {
        let is_tried = |path: &&PathBuf| path.starts_with(&self.place);
        self.files.iter().map(|(path, _)| path).filter(is_tried).map(|path| below.join(path)).collect()
    }
}
