//! What can go wrong with processes.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limit::Limit;

/// Why something about a process could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// A program could not be started.
    #[error(transparent)]
    Start(#[from] StartFault),
    /// A program took longer than it may; it and its group were killed.
    #[error("{} in {} took longer than {} s and was ended", program.display(), directory.display(), after.as_secs_f64())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// The directory it ran in.
        directory: PathBuf,
        /// How long it was given.
        after: Duration,
    },
    /// A program was ended before its time, since nobody needs it any more.
    #[error("{} was ended before its time", .0.display())]
    Interrupted(PathBuf),
    /// The keeper is gone: [`KeeperEvent::Died`](super::KeeperEvent::Died) says so too.
    #[error("the keeper process has ended")]
    KeeperGone,
    /// The keeper did not come up.
    #[error("the keeper process did not start properly: {0}")]
    KeeperMute(io::Error),
    /// More open files in one request than a request can carry.
    #[error("{0} open files are too many for one request to the keeper")]
    TooManyFiles(usize),
    /// A thread could not be started.
    #[error("cannot {action}: {source}")]
    Thread {
        /// What was tried: "start a thread for signals", …
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The operating system refused something.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried: "watch for signals", …
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

impl ProcessError {
    /// For `map_err`: the operating system refused `action`.
    pub fn system<E: Into<io::Error>>(action: &'static str) -> impl FnOnce(E) -> ProcessError {
        move |source| ProcessError::System { action, source: source.into() }
    }

    /// Is it that the program does not exist?
    pub const fn is_not_found(&self) -> bool {
        matches!(self, ProcessError::Start(StartFault { kind: StartFaultKind::NotFound, .. }))
    }
}

/// Why a program could not be started. It crosses the keeper's socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("cannot start {program} in {directory}: {kind}")]
pub struct StartFault {
    /// The program, made printable.
    pub program: String,
    /// The directory it was to run in, made printable.
    pub directory: String,
    /// Why.
    pub kind: StartFaultKind,
}

/// What kept a program from starting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartFaultKind {
    /// There is no such program.
    NotFound,
    /// The program is a script whose interpreter does not exist.
    InterpreterMissing,
    /// There is no such directory.
    DirectoryMissing,
    /// The program, or the directory, may not be used by this user.
    Denied,
    /// Arguments and environment together are too long (`E2BIG`).
    TooLong,
    /// A limit on processes or open files is reached.
    Limited(Limit),
    /// Anything else, in the operating system's words.
    Other(String),
}

impl fmt::Display for StartFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartFaultKind::NotFound => "there is no such program",
            StartFaultKind::InterpreterMissing => "the interpreter named in its first line does not exist",
            StartFaultKind::DirectoryMissing => "there is no such directory",
            StartFaultKind::Denied => "permission denied",
            StartFaultKind::TooLong => "its arguments and environment are too long",
            StartFaultKind::Limited(limit) => return limit.fmt(f),
            StartFaultKind::Other(words) => words,
        })
    }
}

impl StartFault {
    /// What `error` means for this program and directory.
    pub(super) fn new(program: &Path, directory: &Path, error: &io::Error) -> StartFault {
        StartFault {
            program: program.display().to_string(),
            directory: directory.display().to_string(),
            kind: kind(program, directory, error),
        }
    }
}

/// The system says "not found" for three different things.
fn kind(program: &Path, directory: &Path, error: &io::Error) -> StartFaultKind {
    match error.kind() {
        io::ErrorKind::NotFound if !directory.is_dir() => StartFaultKind::DirectoryMissing,
        io::ErrorKind::NotFound if program.components().count() > 1 && program.is_file() => {
            StartFaultKind::InterpreterMissing
        }
        io::ErrorKind::NotFound => StartFaultKind::NotFound,
        // A folder of the search path that may not be looked into denies every program that is in none of the others.
        io::ErrorKind::PermissionDenied if is_nowhere(program, env::var_os("PATH")) => {
            StartFaultKind::NotFound
        }
        io::ErrorKind::PermissionDenied => StartFaultKind::Denied,
        io::ErrorKind::ArgumentListTooLong => StartFaultKind::TooLong,
        _ => Limit::on_beginning(error)
            .map_or_else(|| StartFaultKind::Other(error.to_string()), StartFaultKind::Limited),
    }
}

/// Is it looked for by its name alone, and in no folder of the search path that can be looked into?
fn is_nowhere(program: &Path, search_path: Option<OsString>) -> bool {
    let folders = search_path.unwrap_or_default();
    program.components().count() == 1
        && !program.is_absolute()
        // outside: programs of the search path.
        && !env::split_paths(&folders).any(|folder| folder.join(program).symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_no_folder_of_the_search_path_is_missing_and_not_denied() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let kind = |program: &str| kind(Path::new(program), Path::new("/"), &denied);
        assert_eq!(kind("windlass-no-such-program"), StartFaultKind::NotFound);
        assert_eq!(kind("/etc/passwd"), StartFaultKind::Denied);
        assert_eq!(kind("./script"), StartFaultKind::Denied);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tool"), "").unwrap();
        let path = || Some(env::join_paths(["/nowhere".as_ref(), folder.path()]).unwrap());
        assert!(!is_nowhere(Path::new("tool"), path()));
        assert!(is_nowhere(Path::new("other"), path()));
        assert!(is_nowhere(Path::new("tool"), None));
    }
}
