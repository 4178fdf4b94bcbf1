//! What comes of an order that a worker carries out: reports, or why it could not be carried out.

use std::error::Error;
use std::fmt::Display;
use std::io::ErrorKind;

use windlass_core::recovery::DIRECTORY_GONE;
use windlass_core::report::{Broken, Report};
use windlass_core::values::StopReason;

use crate::sandbox::SandboxError;
use crate::store::StoreError;
use windlass_git::commit::CommitError;
use windlass_git::git::{GitError, is_disk_full, limit_behind};
use windlass_git::inventory::SurveyError;
use windlass_git::snapshot::SnapshotError;
use windlass_host::file::FileError;
use windlass_host::limit::Limit;
use windlass_host::process::ProcessError;
use windlass_host::tree::leads_out;

/// What one effect gave: its result last, notices before it.
pub(super) type Worked = Result<Vec<Report>, WorkError>;

/// Why an order could not be carried out.
#[derive(Debug)]
pub(super) struct WorkError {
    /// What the run ends with.
    pub stop_reason: StopReason,
    /// One sentence.
    pub detail: String,
    pub cause: Cause,
}

/// What it came of, where that matters to what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Putting back the repository as it was mends it.
    BrokenRepository,
    /// A snapshot, or an object of it, is gone or damaged.
    SnapshotGone,
    /// The working directory is gone, or may not be read any more. Who did that, nobody has seen.
    Root,
    Other,
}

impl From<WorkError> for Report {
    fn from(WorkError { stop_reason, mut detail, cause }: WorkError) -> Report {
        if cause == Cause::SnapshotGone {
            detail.push_str(
                ": the files here are as they are, and `windlass run --fresh` begins anew with them",
            );
        }
        Broken { stop_reason, detail }.into()
    }
}

impl WorkError {
    /// The disk is full, a limit is reached, or something is broken.
    pub(super) fn new(error: &(dyn Error + 'static)) -> WorkError {
        if let Some(limit) = limit_behind(error) {
            return WorkError::limited(limit, error);
        }
        WorkError::of(if is_disk_full(error) { StopReason::DiskFull } else { StopReason::Internal }, error)
    }

    fn limited(limit: Limit, error: &(dyn Error + 'static)) -> WorkError {
        let said = error.to_string();
        let limit = limit.to_string();
        let said = if said.contains(&limit) { said } else { format!("{limit}; {said}") };
        WorkError::of(StopReason::NeedsHuman, &said)
    }

    fn without_root(said: &impl Display) -> WorkError {
        WorkError { cause: Cause::Root, ..WorkError::of(StopReason::NeedsHuman, said) }
    }

    pub(super) fn of(stop_reason: StopReason, error: &(impl Display + ?Sized)) -> WorkError {
        WorkError { stop_reason, detail: error.to_string(), cause: Cause::Other }
    }
}

/// Errors that say nothing but that something is broken.
macro_rules! broken {
    ($($error:ty),+) => {$(
        impl From<$error> for WorkError {
            fn from(error: $error) -> WorkError {
                WorkError::new(&error)
            }
        }
    )+};
}

broken!(StoreError, SandboxError, ProcessError);

impl From<FileError> for WorkError {
    fn from(error: FileError) -> WorkError {
        // Nobody but a guest has put a link in the way since the run began.
        if leads_out(&error.source) {
            return WorkError::of(StopReason::DestructiveChange, &error);
        }
        WorkError::new(&error)
    }
}

impl From<SnapshotError> for WorkError {
    fn from(error: SnapshotError) -> WorkError {
        match error {
            SnapshotError::File(error) => error.into(),
            SnapshotError::Missing(_) | SnapshotError::Damaged { .. } => {
                let gone = WorkError::of(StopReason::NeedsHuman, &error);
                WorkError { cause: Cause::SnapshotGone, ..gone }
            }
            error => WorkError::new(&error),
        }
    }
}

impl From<GitError> for WorkError {
    fn from(error: GitError) -> WorkError {
        if error.is_locked() {
            return WorkError::of(StopReason::NeedsHuman, &error);
        }
        if let Some(limit) = limit_behind(&error) {
            return WorkError::limited(limit, &error);
        }
        if error.is_of_a_broken_repository() {
            let broken = WorkError::of(StopReason::DestructiveChange, &error);
            return WorkError { cause: Cause::BrokenRepository, ..broken };
        }
        WorkError::new(&error)
    }
}

impl From<CommitError> for WorkError {
    fn from(error: CommitError) -> WorkError {
        match error {
            CommitError::Git(error) => error.into(),
            CommitError::Snapshot(error) => error.into(),
            CommitError::File(error) => error.into(),
        }
    }
}

impl From<SurveyError> for WorkError {
    fn from(error: SurveyError) -> WorkError {
        match error {
            SurveyError::Root { ref source, .. } => match (limit_behind(&error), source.kind()) {
                (Some(limit), _) => WorkError::limited(limit, &error),
                (None, ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    WorkError::without_root(&format!("{DIRECTORY_GONE}: {error}"))
                }
                (None, _) => WorkError::without_root(&error),
            },
            SurveyError::Git(error) => error.into(),
        }
    }
}
