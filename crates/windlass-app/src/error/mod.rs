//! What went wrong before, after or beside a run, for a person: one sentence, and what to do about it.

mod engine;
mod exit;
mod hints;

use std::error::Error;
use std::sync::Arc;
use std::{fmt, iter};

use windlass_core::values::{ExitCodes, StopReason};

use windlass_git::git::{is_disk_full, limit_behind};
use windlass_git::snapshot::SnapshotError;

/// What kind of thing went wrong; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What is asked for does not exist or does not go together.
    Usage,
    /// A configuration file, a variable or a script is wrong.
    Configuration,
    /// The system refused something: a file, a process, a disk.
    System,
    /// The same as a stop reason, before there is a run.
    Stopped(StopReason, Codes),
    /// A defect of Windlass.
    Internal,
}

/// Which codes an error ends with that is the same as a stop reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// Those of the run, or of the configuration that was read.
    Of(ExitCodes),
    /// Those that are configured where it was called: nothing has been read yet.
    AsConfigured,
}

impl From<ExitCodes> for Codes {
    fn from(codes: ExitCodes) -> Codes {
        Codes::Of(codes)
    }
}

impl Kind {
    /// The same as a stop reason, before there is a run.
    pub fn stopped(reason: StopReason, codes: impl Into<Codes>) -> Kind {
        Kind::Stopped(reason, codes.into())
    }
}

/// What to do about an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A sentence; commands stand in it as they can be typed.
    Text(String),
    /// The same request once more, with this flag.
    Again {
        /// What stands before it.
        why: &'static str,
        /// The flag.
        flag: String,
    },
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Text(text) => f.write_str(text),
            Hint::Again { why, flag } => write!(f, "{why}the same with {flag}"),
        }
    }
}

impl<T: Into<String>> From<T> for Hint {
    fn from(text: T) -> Hint {
        Hint::Text(text.into())
    }
}

/// An error on its way to a person.
#[derive(Clone, Debug)]
pub struct AppError {
    /// What kind of thing went wrong.
    pub kind: Kind,
    /// What went wrong: sentences, one per line.
    pub message: String,
    /// What to do, one line each.
    pub hints: Vec<Hint>,
    /// What it came of.
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl AppError {
    /// An error without hints.
    pub fn new(kind: Kind, message: impl Into<String>) -> AppError {
        AppError { kind, message: message.into(), hints: Vec::new(), cause: None }
    }

    /// What does not exist or does not go together.
    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::new(Kind::Usage, message)
    }

    /// What is to be worked on is not there, or cannot be worked on.
    pub fn missing(message: impl Into<String>, codes: ExitCodes) -> AppError {
        AppError::new(Kind::stopped(StopReason::Missing, codes), message)
    }

    /// An error that came of another one, and says the same. What the system refused for want of room is told from the
    /// rest, however deep it lies.
    pub fn of(kind: Kind, cause: impl Error + Send + Sync + 'static) -> AppError {
        let kind = if kind == Kind::System && is_disk_full(&cause) {
            Kind::stopped(StopReason::DiskFull, Codes::AsConfigured)
        } else {
            kind
        };
        let limit = limit_behind(&cause).map(|limit| limit.to_string());
        let said = cause.to_string();
        let limit = limit.filter(|limit| !said.contains(limit.as_str()));
        AppError::new(kind, said).with_hints(limit).because(cause)
    }

    /// The system refused something.
    pub fn system(cause: impl Error + Send + Sync + 'static) -> AppError {
        AppError::of(Kind::System, cause)
    }

    /// Names what it came of.
    pub fn because(mut self, cause: impl Error + Send + Sync + 'static) -> AppError {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// Does it come of objects of a snapshot that are gone or damaged?
    pub fn is_of_lost_snapshots(&self) -> bool {
        let cause = self.cause.as_ref().map(|cause| cause.as_ref() as &(dyn Error + 'static));
        let lost = |error: &(dyn Error + 'static)| {
            let error = error.downcast_ref();
            matches!(error, Some(SnapshotError::Missing(_) | SnapshotError::Damaged { .. }))
        };
        iter::successors(cause, |&error| error.source()).any(lost)
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<Hint>) -> AppError {
        self.hints.push(hint.into());
        self
    }

    /// Adds hints.
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = impl Into<Hint>>) -> AppError {
        self.hints.extend(hints.into_iter().map(Into::into));
        self
    }

    /// Where nothing was read before it went wrong, these codes count before what is configured.
    pub fn with_codes(mut self, codes: Option<ExitCodes>) -> AppError {
        if let (Kind::Stopped(reason, Codes::AsConfigured), Some(codes)) = (self.kind, codes) {
            self.kind = Kind::stopped(reason, codes);
        }
        self
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for AppError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use windlass_engine::worktree::WorktreeError;
    use windlass_git::git::GitError;
    use windlass_host::file::FileError;

    use super::*;

    #[test]
    fn a_full_disk_is_told_from_the_rest_however_deep_it_lies() {
        let file = |kind: io::ErrorKind| -> SnapshotError {
            FileError { action: "write", path: PathBuf::from("/a"), source: kind.into() }.into()
        };
        let git = |said: &str| -> WorktreeError {
            GitError::Failed { command: "git add".to_owned(), said: said.to_owned() }.into()
        };
        let full = Kind::stopped(StopReason::DiskFull, Codes::AsConfigured);
        for (error, expected) in [
            (AppError::system(file(io::ErrorKind::StorageFull)), full),
            (AppError::system(file(io::ErrorKind::QuotaExceeded)), full),
            (AppError::system(file(io::ErrorKind::PermissionDenied)), Kind::System),
            (git("fatal: No space left on device").into(), full),
            (git("fatal: not a valid object name").into(), Kind::System),
            (AppError::of(Kind::Usage, file(io::ErrorKind::StorageFull)), Kind::Usage),
        ] {
            assert_eq!(error.kind, expected, "{error}");
        }
    }
}
