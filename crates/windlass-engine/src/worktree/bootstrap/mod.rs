//! A fresh checkout holds what git tracks and nothing else: no `.env`, no installed packages, no configuration that is kept
//! out of commits. What makes it a place to work in is in three steps, each of which is asked for by whoever makes it:
//!
//! 1. [`copy_included`] copies what `.worktreeinclude` names, and `.windlass`;
//! 2. [`variables`] says which number and which ports it has;
//! 3. [`run_setup`] runs the project's own command in it.

mod choose;
mod copy;
mod setup;
mod variables;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use windlass_core::spec::BootstrapSpec;

use windlass_git::git::{FoundRepository, GitError, Repository};
use windlass_host::file::FileError;
use windlass_host::tree::at;

pub(crate) use setup::{End, SetupAttempt};
pub use setup::{SetupCommand, SetupError, SetupRoom, run_setup};
pub use variables::{LANE_VARIABLE, PORT_BASE_VARIABLE, PORT_COUNT_VARIABLE, variables};

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Each file and link that was copied, with what it is known by later.
    pub files: Vec<CopiedFile>,
    /// Their bytes.
    pub bytes: u64,
    /// What was wanted and left out, and why: a sentence each.
    pub left_out: Vec<String>,
}

/// A file that was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedFile {
    /// Relative to both tops.
    pub path: PathBuf,
    /// Its bytes; of a link, those of its target's name.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970; the same as the original's. 0 for a link.
    pub modified: i128,
}

impl CopiedFile {
    /// Is what lies there now still what was copied? Told by kind, size and time.
    pub fn is_unchanged(&self, top: &Path) -> bool {
        copy::standing(&at(top).join(&self.path)).is_some_and(|now| now == (self.size, self.modified))
    }
}

/// A fresh checkout could not be given what it needs.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is copied from is not a working tree.
    #[error("{} is not a working tree of git", .0.display())]
    NoWorkingTree(PathBuf),
    /// The file that names what is copied cannot be understood.
    #[error("{}, line {line}: {problem}", .path.display())]
    Pattern {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The patterns of the file that names what is copied are too many, or too intricate, to be looked for.
    #[error(
        "the patterns in {} cannot be looked for together ({problem}); write fewer or simpler ones", .path.display()
    )]
    Patterns {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The file that names what is copied is too long.
    #[error("{} is longer than 1 MiB", .0.display())]
    LongList(PathBuf),
    /// There is too much to copy.
    #[error("{} names {} to copy, more than `worktree.include_size` allows ({}); the most lies in {}", .include.display(), in_words(*.wanted), in_words(*.allowed), .largest.display())]
    TooMuch {
        /// The file that names it.
        include: PathBuf,
        /// Bytes, at least.
        wanted: u64,
        /// Bytes.
        allowed: u64,
        /// The path that holds most of it, relative to the top.
        largest: PathBuf,
    },
}

/// Copies what a fresh checkout needs and git does not track: what `plan.include_file` of the source names, in the form of
/// `.gitignore`, and `.windlass` without its archives and logs. Links are copied as links, where they stay inside. What is
/// in the target already stays as it is, whatever it is. Both are the tops of working trees; the target may be one of
/// another repository (a clone).
///
/// # Errors
/// The list cannot be read, it names too much (nothing has been copied then), or the file system refuses; what was copied
/// until then stays, and a further call goes on.
pub fn copy_included(source: &Path, target: &Path, plan: &BootstrapSpec) -> Result<Copied, BootstrapError> {
    let FoundRepository::Worktree(repository) = Repository::find(source)? else {
        return Err(BootstrapError::NoWorkingTree(source.to_owned()));
    };
    let mut chosen = choose::choose(&repository, plan)?;
    let left_out = std::mem::take(&mut chosen.left_out);
    let mut copied = copy::copy(&repository.top, target, &chosen.files)?;
    copied.left_out.splice(0..0, left_out);
    Ok(copied)
}

/// The files and links in `.windlass` that git does not track, relative to the top, without archives and logs.
pub(super) fn untracked_in_project_folders(
    source: &Path,
    plan: &BootstrapSpec,
) -> Result<Vec<PathBuf>, BootstrapError> {
    let FoundRepository::Worktree(repository) = Repository::find(source)? else {
        return Err(BootstrapError::NoWorkingTree(source.to_owned()));
    };
    let plan = BootstrapSpec { include_file: None, include_bytes: None, ..plan.clone() };
    Ok(choose::choose(&repository, &plan)?.files)
}

/// Copies these files and links, relative to both tops; what is in the target already stays as it is.
pub(super) fn copy_files(source: &Path, target: &Path, files: &[PathBuf]) -> Result<Copied, FileError> {
    copy::copy(source, target, files)
}

/// Whether a list of these bytes, in a project at `top`, wants each of these files.
#[cfg(feature = "testing")]
pub(crate) fn wanted(top: &Path, list: &[u8], files: &[&Path]) -> Result<Vec<bool>, String> {
    let path = top.join(".worktreeinclude");
    let rules = choose::Rules::of(top, Some((&path, list))).map_err(|error| error.to_string())?;
    Ok(files.iter().map(|file| rules.wants(file, false, rules.wants_above(file))).collect())
}

/// `1.5 GB`, as people read sizes.
fn in_words(bytes: u64) -> String {
    let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}
