//! Limits that the system sets to a process, as `ulimit` shows them: who reaches one has to raise it, and nothing is broken.

use std::error::Error;
use std::fmt;
use std::io;
use std::iter;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::process::{ProcessError, StartFault, StartFaultKind};

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Files that one process, or all of the machine, may have open.
    OpenFiles,
    /// Processes and threads of a user.
    Processes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::OpenFiles => "the limit on open files (ulimit -n) is reached: raise it",
            Limit::Processes => "the limit on processes and threads (ulimit -u) is reached: raise it",
        })
    }
}

impl Limit {
    /// The limit that made the system refuse to open something.
    fn on_files(error: &io::Error) -> Option<Limit> {
        match Errno::from_io_error(error) {
            Some(Errno::MFILE | Errno::NFILE) => Some(Limit::OpenFiles),
            _ => None,
        }
    }

    /// The limit that made the system refuse to begin a process or a thread.
    pub(crate) fn on_beginning(error: &io::Error) -> Option<Limit> {
        match Errno::from_io_error(error) {
            Some(Errno::AGAIN) => Some(Limit::Processes),
            _ => Limit::on_files(error),
        }
    }

    /// Does a program say so? Its words are the system's, untranslated.
    pub fn in_words(said: &str) -> Option<Limit> {
        let words = ["Too many open files", "No file descriptors available"];
        words.iter().any(|words| said.contains(words)).then_some(Limit::OpenFiles)
    }

    /// The limit that an error of whatever kind came of.
    pub fn behind(error: &(dyn Error + 'static)) -> Option<Limit> {
        iter::successors(Some(error), |&error| error.source()).find_map(|cause| {
            let fault = match cause.downcast_ref() {
                Some(ProcessError::Start(fault)) => Some(fault),
                Some(ProcessError::Thread { source, .. }) => return Limit::on_beginning(source),
                _ => cause.downcast_ref::<StartFault>(),
            };
            match (fault, cause.downcast_ref::<io::Error>()) {
                (Some(StartFault { kind: StartFaultKind::Limited(limit), .. }), _) => Some(*limit),
                (_, Some(error)) => Limit::on_files(error),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::FileError;

    #[test]
    fn a_limit_is_seen_behind_whatever_it_led_to() {
        let system = |errno: Errno| -> io::Error { errno.into() };
        let file = |errno: Errno| FileError { action: "open", path: "a".into(), source: system(errno) };
        assert_eq!(Limit::behind(&file(Errno::MFILE)), Some(Limit::OpenFiles));
        assert_eq!(Limit::behind(&file(Errno::NFILE)), Some(Limit::OpenFiles));
        // A pipe that has nothing to read just now says the same word as a process that cannot be begun.
        assert_eq!(Limit::behind(&file(Errno::AGAIN)), None);
        let thread = ProcessError::Thread { action: "start a thread", source: system(Errno::AGAIN) };
        assert_eq!(Limit::behind(&thread), Some(Limit::Processes));
        let kind = StartFaultKind::Limited(Limit::Processes);
        let fault = StartFault { program: "git".to_owned(), directory: "/".to_owned(), kind };
        assert_eq!(Limit::behind(&ProcessError::from(fault)), Some(Limit::Processes));
    }
}
