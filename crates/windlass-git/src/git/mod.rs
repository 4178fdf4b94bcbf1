//! The only place that runs git. Commits, lanes and loans stand above it, as do inventories and snapshots: nothing here knows of
//! them.

pub(crate) mod alternates;
pub(crate) mod call;
pub(crate) mod contents;
mod difference;
mod filters;
mod folders;
mod history;
pub mod listing;
pub(crate) mod locks;
mod named_files;
mod object;
mod object_files;
pub(crate) mod obstacle;
mod partial;
pub(crate) mod patience;
mod push;
mod refs;
pub(crate) mod repository;
mod sound;
mod status;
mod steering;
mod worktree;

#[cfg(test)]
mod tests;

pub use difference::ChangedFile;
pub(crate) use difference::Sides;
pub use filters::{ClosedFilters, Filtered, LARGEST_FILTERED, not_run};
pub use folders::Folders;
pub use history::{LastChange, TreeFiles};
pub use listing::Listing;
pub(crate) use named_files::is_nothing;
pub use object::{EntryKind, Hasher, ObjectFormat, ObjectId, ObjectKind, header};
pub use object_files::ObjectFiles;
pub(crate) use object_files::{holds_objects, is_loose};
pub use obstacle::missing_identity;
pub(crate) use push::meaning;
pub use push::{Fetch, Push, PushHooks, RemoteAddress, RemoteTrouble};
pub use refs::{PackedRefs, RefValue, is_safe_name};
pub use repository::{FoundRepository, Head, Repository, create_with_everything, version};
pub use status::UncommittedPath;
pub use steering::{
    Manner, PutBack, Steering, SteeringError, Strictness, put_back_from, take_folders_as_they_are,
};
pub use worktree::{Branch, LinkedTree, Uncommitted, WORKTREE_COPIES, WORKTREE_MARKER};

#[cfg(test)]
pub(crate) use call::calls_made;

use std::error::Error;
use std::ffi::OsStr;
use std::io;
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_host::file::{self, FileError};
use windlass_host::limit::Limit;
use windlass_host::process::ProcessError;

/// git could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no program `git` in `PATH`.
    #[error("git is not installed, or not in PATH")]
    Missing,
    /// The directory to run it in is gone.
    #[error("there is no directory {}", .0.display())]
    NoDirectory(PathBuf),
    /// It could not be started, or not be waited for.
    #[error("cannot run `{command}`: {source}")]
    Start {
        /// Its verb.
        command: String,
        /// What the system said.
        source: ProcessError,
    },
    /// It took too long, and was ended.
    #[error("`{command}` took longer than {} s and was ended", .after.as_secs_f64())]
    TimedOut {
        /// Its verb.
        command: String,
        /// How long it was given.
        after: Duration,
    },
    /// Nobody needed it any more.
    #[error("`{command}` was ended before its time")]
    Interrupted {
        /// Its verb.
        command: String,
    },
    /// It ended with an error, or by a signal.
    #[error("`{command}` failed: {said}")]
    Failed {
        /// Its verb.
        command: String,
        /// Its last lines.
        said: String,
    },
    /// It printed something that we do not understand.
    #[error("`{command}` printed something unexpected: {printed}")]
    Unexpected {
        /// Its verb.
        command: String,
        /// The beginning of what it printed.
        printed: String,
    },
    /// A file of the repository could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A path as the system takes it.
pub fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Does a program say that there is no room left on the disk?
pub(crate) fn says_disk_full(said: &str) -> bool {
    let words = ["No space left on device", "Disk quota exceeded", "Out of diskspace"];
    words.iter().any(|words| said.contains(words))
}

/// Did an error, of whatever kind, come of a disk (or a user's share of one) that is full?
pub fn is_disk_full(error: &(dyn Error + 'static)) -> bool {
    let mut causes = iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| match (cause.downcast_ref(), cause.downcast_ref::<io::Error>()) {
        // git says it in the system's words; its messages are not translated.
        (Some(GitError::Failed { said, .. }), _) => says_disk_full(said),
        (_, Some(error)) => file::is_disk_full(error),
        _ => false,
    })
}

/// The limit on open files or processes that an error, of whatever kind, came of: Windlass's, or that of the git that it called.
pub fn limit_behind(error: &(dyn Error + 'static)) -> Option<Limit> {
    Limit::behind(error).or_else(|| {
        let mut causes = iter::successors(Some(error), |&error| error.source());
        causes.find_map(|cause| match cause.downcast_ref() {
            Some(GitError::Failed { said, .. }) => Limit::in_words(said),
            _ => None,
        })
    })
}

impl GitError {
    /// Did git print more than can be taken in?
    pub(crate) fn is_too_long(&self) -> bool {
        matches!(self, GitError::Failed { said, .. } if said == call::TOO_LONG)
    }

    /// Does another git hold a lock, longer than was waited for?
    pub fn is_locked(&self) -> bool {
        matches!(self, GitError::Failed { said, .. } if patience::is_locked(said))
    }

    /// Does it come of what somebody did to the repository: objects that are gone, links and pipes where git writes?
    pub fn is_of_a_broken_repository(&self) -> bool {
        matches!(self, GitError::Failed { said, .. } if sound::says_broken(said))
    }

    fn from_process(command: &str, error: ProcessError) -> Self {
        let command = command.to_owned();
        match error {
            error if error.is_not_found() => GitError::Missing,
            ProcessError::TimedOut { after, .. } => GitError::TimedOut { command, after },
            ProcessError::Interrupted(_) => GitError::Interrupted { command },
            source => GitError::Start { command, source },
        }
    }
}
