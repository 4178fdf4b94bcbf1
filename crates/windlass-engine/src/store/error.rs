//! What can go wrong while keeping things.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::values::RunId;
use windlass_host::file::{is_disk_full, want_of_room};

/// What can go wrong while keeping things. Each message is one line that names the path it is about.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No room is left: neither on the disk nor, perhaps, in the user's quota.
    #[error("{}: {} cannot be written; {}, then continue", want_of_room(source).0, shown(path), want_of_room(source).1)]
    DiskFull {
        /// The file that had to be written.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", shown(path))]
    Io {
        /// What was attempted, in the infinitive: `read`, `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Neither an override nor a home folder says where to keep things.
    #[error(
        "HOME is not set to an absolute path, so there is no place for Windlass's files; set HOME or {variable}"
    )]
    NoHome {
        /// The variable that would override it.
        variable: &'static str,
    },
    /// An override is relative: with `-C` and in hooks it would mean several places.
    #[error("{variable} must be an absolute path, but it is {}", shown(Path::new(value)))]
    RelativeRoot {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: OsString,
    },
    /// The file's first line does not say that it is a journal.
    #[error("{} is not a journal of Windlass: its first line names no format version", shown(path))]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// The journal's format is one that this version does not know.
    #[error(
        "{} was written by a newer Windlass (journal format {version}, this one reads format {}): update Windlass to use this run",
        shown(path),
        super::journal::format::FORMAT
    )]
    NewerJournal {
        /// The file.
        path: PathBuf,
        /// The format it is written in.
        version: u32,
    },
    /// A line says something that this version does not know. Nothing was changed.
    #[error(
        "line {line} of {} says `{said}`, which this Windlass does not know: a newer one wrote it; update Windlass to use this \
         run",
        shown(path)
    )]
    NewerFact {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What it says.
        said: String,
    },
    /// The journal belongs to another run than its folder.
    #[error(
        "{} belongs to run {found}, but lies in the folder of {expected}: rename the folder to {found}",
        shown(path)
    )]
    WrongRun {
        /// The file.
        path: PathBuf,
        /// The run whose folder it lies in.
        expected: RunId,
        /// The run that its header names.
        found: RunId,
    },
    /// A line that is not the last one cannot be read. Nothing was changed.
    #[error(
        "line {line} of {} cannot be read ({problem}). It was left as it is: update Windlass if a newer one wrote it, \
         restore the file from a backup, or keep only its first {} lines to continue from there",
        shown(path), line.saturating_sub(1)
    )]
    BrokenLine {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The journal holds no fact: its run was killed before it began, or somebody emptied it.
    #[error("{} holds no fact: the run never began, or its journal is lost", shown(path))]
    NothingJournalled {
        /// The file.
        path: PathBuf,
    },
    /// A value cannot be written as JSON.
    #[error("cannot write to {}: {source}", shown(path))]
    Unwritable {
        /// The file it was to go to.
        path: PathBuf,
        /// What is wrong with the value.
        source: serde_json::Error,
    },
    /// The operating system has no random numbers.
    #[error("cannot draw a random run id: {source}")]
    NoRandomness {
        /// What it said.
        source: io::Error,
    },
    /// No run's id begins so.
    #[error("no run here begins with \"{text}\"; `windlass runs` lists them")]
    NoSuchRun {
        /// What was asked for.
        text: String,
    },
    /// No interactive session's id begins so.
    #[error("no interactive session here begins with \"{text}\"")]
    NoSuchSession {
        /// What was asked for.
        text: String,
    },
    /// Several runs' ids begin so.
    #[error("\"{text}\" could be {}; add a character or two", named(some, *more))]
    AmbiguousRun {
        /// What was asked for.
        text: String,
        /// The first few of them.
        some: Vec<RunId>,
        /// How many more there are.
        more: usize,
    },
}

impl StoreError {
    /// Has a run's journal no fact yet, or has it none? It began just now, or never.
    pub fn is_nothing_yet(&self) -> bool {
        self.is_not_found() || matches!(self, StoreError::NothingJournalled { .. })
    }

    /// Is there no room left on the disk (or in the quota)?
    pub const fn is_disk_full(&self) -> bool {
        matches!(self, StoreError::DiskFull { .. })
    }

    /// What keeps more from being written.
    pub fn want_of_room(&self) -> &'static str {
        match self {
            StoreError::DiskFull { source, .. } => want_of_room(source).0,
            _ => "the disk is full",
        }
    }

    /// Does what was to be read not exist?
    pub fn is_not_found(&self) -> bool {
        matches!(self, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// An error of the operating system; a full disk is told from the rest.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
        let path = path.to_owned();
        if is_disk_full(&source) {
            StoreError::DiskFull { path, source }
        } else {
            StoreError::Io { doing, path, source }
        }
    }
}

/// Adds to an operating system's error what was attempted with which path.
pub(super) trait Attempted<T> {
    /// `doing` is an infinitive: `read`, `create`.
    fn attempted(self, doing: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Attempted<T> for io::Result<T> {
    fn attempted(self, doing: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::io(doing, path, source))
    }
}

/// A path on one line: control characters (a newline in a folder's name) are escaped.
fn shown(path: &Path) -> String {
    let path = path.to_string_lossy();
    let shown = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    path.chars().map(shown).collect()
}

/// `r-a, r-b or one of 3 more`.
fn named(some: &[RunId], more: usize) -> String {
    let names = some.iter().map(RunId::to_string).collect::<Vec<_>>().join(", ");
    if more == 0 { names } else { format!("{names} or one of {more} more") }
}
