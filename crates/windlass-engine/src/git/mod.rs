//! The only place that runs git.

mod call;
mod commit;
mod object;
mod refs;
mod repository;
mod run;

#[cfg(test)]
mod tests;

pub use commit::{Candidate, CommitError, CommitOutcome, commit, head_if_marked, settle_index};
pub(crate) use object::header;
pub use object::{Hasher, ObjectFormat, ObjectId, ObjectKind};
pub(crate) use refs::{PackedRefs, RefValue, is_safe_name};
pub use repository::{Found, Head, Repository, create_with_everything};

use std::io;

use crate::file::FileError;

/// git could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no program `git` in `PATH`.
    #[error("git is not installed, or not in PATH")]
    Missing,
    /// It could not be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// Its verb.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended with an error, by a signal, or took too long.
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
        command: &'static str,
        /// The beginning of what it printed.
        printed: String,
    },
    /// A file of the repository could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
