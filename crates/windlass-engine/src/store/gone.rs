//! The project of a directory where git finds no repository: that of the one that was there, which a run may have to put back.
//!
//! A project is named after its git directory. Where that lay elsewhere (a link, a `.git` file, a linked working tree) and is gone,
//! nothing in the directory may say where it was. But each directory that anything worked in has a lock in its project, and no
//! lock is ever deleted.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::paths::Project;
use windlass_host::tree::{at, without_links};

/// The longest `.git` that says where a git directory is, in bytes.
const LONGEST: usize = 1 << 16;

/// The project that is known of a directory (canonical), or of the nearest folder above it of which one is known.
pub(super) fn project_of(state_root: &Path, directory: &Path) -> Option<Project> {
    let all = Project::all(state_root).unwrap_or_default();
    let itself = Project::known_as(state_root, directory);
    let of_directory = || last_at_work(&all, directory).or_else(|| known(itself));
    of_directory().or_else(|| directory.ancestors().find_map(|top| of_repository(state_root, &all, top)))
}

/// That of the repository that a folder was the top of.
fn of_repository(state_root: &Path, all: &[Project], top: &Path) -> Option<Project> {
    // A folder that is a project without a repository is so for itself alone, and not for what is below it.
    let alone = Project::known_as(state_root, top);
    let others: Vec<Project> = all.iter().filter(|project| **project != alone).cloned().collect();
    let mut named = git_directories(top).into_iter().map(|path| Project::known_as(state_root, &path));
    last_at_work(&others, top).or_else(|| named.find_map(known))
}

fn known(project: Project) -> Option<Project> {
    project.path().is_dir().then_some(project)
}

/// The project that worked in a directory last: a directory may have had several repositories, one after the other.
fn last_at_work(all: &[Project], directory: &Path) -> Option<Project> {
    let taken = all.iter().filter_map(|project| Some((last_taken(project, directory)?, project)));
    taken.max_by_key(|(when, _)| *when).map(|(_, project)| project.clone())
}

/// When the lock of a directory was last taken, or given back.
fn last_taken(project: &Project, directory: &Path) -> Option<SystemTime> {
    fs::metadata(project.lock(directory)).ok()?.modified().ok()
}

/// Where the git directory of a folder may have been: in it, or where its `.git` still says.
fn git_directories(top: &Path) -> Vec<PathBuf> {
    let entrance = top.join(".git");
    let said = said_elsewhere(&entrance).map(|path| without_links(&top.join(path)));
    let of_linked = said.as_deref().and_then(Path::parent).filter(|parent| parent.ends_with("worktrees"));
    let common = of_linked.and_then(Path::parent).map(Path::to_owned);
    [Some(entrance), common, said].into_iter().flatten().collect()
}

/// What a link, or a file, `.git` says.
fn said_elsewhere(entrance: &Path) -> Option<PathBuf> {
    let entrance = at(entrance);
    if entrance.is_link() {
        return entrance.link_target().ok();
    }
    let content = entrance.read(LONGEST).ok()??;
    let path = content.strip_prefix(b"gitdir:")?.trim_ascii();
    Some(PathBuf::from(OsStr::from_bytes(path)))
}
