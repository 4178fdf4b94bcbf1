//! What can go wrong with archives.

use std::path::{Path, PathBuf};

use crate::workspace::WorkspaceError;
use windlass_host::file::FileError;

/// What can go wrong with archives: one sentence that names the path it is about. Whatever it is, nothing is lost: a
/// workspace is removed only after its archive was read back, and what was half restored is cleared away.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A run works on the workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// This can be no archive's name.
    #[error(
        "`{0}` cannot be the name of an archive: letters, digits, `-`, `_` and `.` only, as `archive list` shows them"
    )]
    BadName(String),
    /// There is none of this name.
    #[error("there is no archive `{name}`")]
    NoSuch {
        /// What was asked for.
        name: String,
        /// Names of archives that may have been meant, newest first.
        near: Vec<String>,
    },
    /// Something of this name is there, but it is not an archive.
    #[error("{} is not an archive: {why}", .path.display())]
    NoArchive {
        /// Where.
        path: PathBuf,
        /// A clause.
        why: &'static str,
    },
    /// It is cut off, or bytes of it have changed.
    #[error("{} is damaged: {why}", .archive.display())]
    Damaged {
        /// The archive.
        archive: PathBuf,
        /// A clause.
        why: String,
    },
    /// It holds something that is never unpacked.
    #[error("{} is refused: {entry}: {why}", .archive.display())]
    Hostile {
        /// The archive.
        archive: PathBuf,
        /// The entry, as text.
        entry: String,
        /// A clause.
        why: String,
    },
    /// It holds links that lead out of the workspace.
    #[error("{} is refused: its link {link} leads out of the workspace, to {target}", .archive.display())]
    LeadsOutside {
        /// The archive.
        archive: PathBuf,
        /// The first such link.
        link: String,
        /// Where it leads.
        target: String,
    },
    /// More is in it than is unpacked.
    #[error("{} is refused: it holds more than {limit}", .archive.display())]
    TooLarge {
        /// The archive, or the folder that was to become one.
        archive: PathBuf,
        /// How much, with its unit.
        limit: String,
    },
    /// A folder holds what no archive can hold.
    #[error("{} is {what}, which no archive can hold; remove it first", .path.display())]
    Unarchivable {
        /// Where.
        path: PathBuf,
        /// `a socket`, …
        what: &'static str,
    },
    /// The folder is not what was written to its archive.
    #[error("{} changed while it was archived, so nothing was removed; try again when nobody works in it", .path.display())]
    Changed {
        /// The first difference.
        path: PathBuf,
    },
    /// What was unpacked is not what the archive holds.
    #[error("{} was not unpacked as it is in the archive", .path.display())]
    Unfaithful {
        /// The first difference.
        path: PathBuf,
    },
    /// There is a workspace of this name.
    #[error("there is a workspace `{name}` already; `{free}` is free")]
    Exists {
        /// The name.
        name: String,
        /// A name that is free.
        free: String,
    },
    /// The folder to be archived is not a folder of its own.
    #[error("{} is {what}, not a workspace's folder", .path.display())]
    NoFolder {
        /// Where.
        path: PathBuf,
        /// `a link`, …
        what: &'static str,
    },
}

impl ArchiveError {
    pub(super) fn damaged(archive: &Path, why: impl Into<String>) -> ArchiveError {
        ArchiveError::Damaged { archive: archive.to_owned(), why: why.into() }
    }

    pub(super) fn hostile(archive: &Path, entry: &[u8], why: impl Into<String>) -> ArchiveError {
        let entry = String::from_utf8_lossy(entry).into_owned();
        ArchiveError::Hostile { archive: archive.to_owned(), entry, why: why.into() }
    }
}
