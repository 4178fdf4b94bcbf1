//! Who is at work in a repository.

use std::fs;
use std::path::Path;

use super::tree::all;

/// Processes that may be at work in a repository: git's own whose directory is below one of these folders, and any that
/// has a file below `repository` open. `None` where this system does not tell.
pub(crate) fn at_work(top: &Path, repository: &[&Path]) -> Option<Vec<i32>> {
    let processes = all();
    let own = rustix::process::getpid();
    if processes.iter().all(|process| process.id != own) {
        return None;
    }
    let others = processes.into_iter().filter(|process| process.id != own && !process.is_dead());
    let ids = others.map(|process| process.id.as_raw_nonzero().get());
    Some(ids.filter(|id| is_git_in(*id, top, repository) || has_open(*id, repository)).collect())
}

fn is_git_in(id: i32, top: &Path, repository: &[&Path]) -> bool {
    let name = fs::read(format!("/proc/{id}/comm")).unwrap_or_default();
    let directory = fs::read_link(format!("/proc/{id}/cwd"));
    name.starts_with(b"git")
        && directory
            .is_ok_and(|at| at.starts_with(top) || repository.iter().any(|below| at.starts_with(below)))
}

fn has_open(id: i32, folders: &[&Path]) -> bool {
    let files = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| folders.iter().any(|folder| target.starts_with(folder)))
}
