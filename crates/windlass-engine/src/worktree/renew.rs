//! A worktree that was there gets what steers runs in the project now: a limit that was lowered since holds there as well.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::bootstrap::{Copied, CopiedFile, copy_files, untracked_in_project_folders};
use super::make::Order;
use super::work::project_folders;
use super::{Worktree, WorktreeError, copied};
use crate::store::lock;
use crate::workspace::{CONFIG_FILE, PROJECT_FOLDER};
use windlass_host::tree::at;

/// The longest file, in bytes: a hook's.
const LONGEST: usize = 64 << 20;

/// What in `.windlass` steers runs. The rest is jobs and what became of them, which a worktree has of its own.
const STEERING: [&str; 5] = [CONFIG_FILE, "hooks", "prompts", "templates", "principles.yaml"];

/// The folder of workspaces.
const WORKSPACES: &str = "workspaces";

/// What was renewed.
#[derive(Debug, Default)]
pub(super) struct Renewed {
    pub copied: Copied,
    /// What is not the project's and stays: a sentence each.
    pub notices: Vec<String>,
}

/// Copies anew what was copied and is unchanged there, and what is new in the project. What was changed there, or is committed, stays,
/// which is said of configuration that differs. Nothing is touched while a run works there.
pub(super) fn renew(order: &Order<'_>, worktree: &Worktree) -> Result<Renewed, WorktreeError> {
    let mut renewed = Renewed::default();
    let is_there = |holder: &lock::Holder| holder.is_alive() && worktree.holds(&holder.directory);
    if lock::holders(order.project)?.iter().any(is_there) {
        return Ok(renewed);
    }
    let (source, target) = (&order.repository.top, &worktree.tree.path);
    let recorded = copied::read(&worktree.tree.git_dir)?;
    let known: BTreeMap<&Path, &CopiedFile> =
        recorded.iter().map(|file| (file.path.as_path(), file)).collect();
    let untracked = untracked_in_project_folders(source, order.bootstrap)?;
    let untracked: BTreeSet<PathBuf> = untracked.into_iter().filter(|path| steers(path)).collect();
    let copies = known.keys().filter(|path| steers(path)).map(|path| path.to_path_buf());
    let all: BTreeSet<PathBuf> =
        untracked.iter().cloned().chain(copies).chain(configurations(target, &recorded)).collect();
    let mut wanted = Vec::new();
    for path in all {
        let content = |top: &Path| at(top).join(&path).read(LONGEST).ok().flatten();
        let (is, was) = (content(source), content(target));
        if is == was {
            continue;
        }
        let there = at(target).join(&path);
        let is_copy = known.get(path.as_path()).is_some_and(|file| file.is_unchanged(target));
        let is_free = is_copy || !there.is_taken();
        let is_renewed = untracked.contains(&path) || is.is_none() && is_copy;
        if !is_free || !is_renewed {
            renewed.notices.extend(stays(worktree, &path));
            continue;
        }
        if there.is_taken() {
            there.remove_file()?;
        }
        wanted.extend(untracked.contains(&path).then_some(path));
    }
    renewed.copied = copy_files(source, target, &wanted)?;
    copied::add(&worktree.tree.git_dir, &renewed.copied.files)?;
    Ok(renewed)
}

/// Does a file steer runs, by where it lies?
fn steers(path: &Path) -> bool {
    let mut below = path.iter().skip_while(|part| *part != PROJECT_FOLDER).skip(1);
    match below.next() {
        Some(first) if first == WORKSPACES => {
            below.nth(1) == Some(OsStr::new(CONFIG_FILE)) && below.next().is_none()
        }
        Some(first) => STEERING.iter().any(|name| first == *name),
        None => false,
    }
}

/// The files of configuration that are there, relative to the top.
fn configurations(top: &Path, recorded: &[CopiedFile]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in project_folders(recorded) {
        found.push(folder.join(CONFIG_FILE));
        let workspaces = folder.join(WORKSPACES);
        let names = at(top).join(&workspaces).names().unwrap_or_default();
        found.extend(names.into_iter().map(|name| workspaces.join(name).join(CONFIG_FILE)));
    }
    found
}

fn stays(worktree: &Worktree, path: &Path) -> Option<String> {
    (path.file_name() == Some(OsStr::new(CONFIG_FILE))).then(|| {
        format!(
            "{} in the worktree {} is not the project's, since it was changed there or is committed: what stands there counts",
            path.display(),
            worktree.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_steers_and_jobs_do_not() {
        for path in [
            ".windlass/config.toml",
            "pkg/.windlass/config.toml",
            ".windlass/hooks/started",
            ".windlass/prompts/loop.md",
            ".windlass/principles.yaml",
            ".windlass/templates/usual/config.toml",
            ".windlass/workspaces/api/config.toml",
        ] {
            assert!(steers(Path::new(path)), "{path}");
        }
        for path in [
            "config.toml",
            ".windlass/decisions.jsonl",
            ".windlass/workspaces/api/TODO.md",
            ".windlass/workspaces/api/INSTRUCTIONS.md",
            ".windlass/workspaces/api/working/config.toml",
            ".windlass/workspaces/config.toml",
        ] {
            assert!(!steers(Path::new(path)), "{path}");
        }
    }
}
