//! What stops a run that the run itself cannot say.

use std::path::PathBuf;

use windlass_core::run::IllegalFact;

use crate::store::StoreError;
use windlass_host::process::ProcessError;

/// The runner cannot go on and cannot journal why.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The journal or the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A keeper or a thread could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// git.
    #[error(transparent)]
    Git(#[from] windlass_git::git::GitError),
    /// A defect of Windlass, or a journal written by something else.
    #[error(transparent)]
    Illegal(#[from] IllegalFact),
    /// Somebody removed or moved the run's folder or its journal while it ran, or wrote into that.
    #[error(
        "somebody removed or changed this run's record while it ran ({}): what its agents did in the working directory is still there, but \
         the run cannot be resumed; begin a new one",
        .0.display()
    )]
    RecordLost(PathBuf),
    /// Lanes on other machines cannot be begun with.
    #[error(transparent)]
    Remote(Box<dyn std::error::Error + Send + Sync>),
    /// A thread of the runner ended before its time.
    #[error("a thread of the runner ended before its time; this is a defect of Windlass")]
    Broken,
    /// What the interrupted attempt of another run left cannot be put right.
    #[error("{0}")]
    Unsettled(String),
    /// A file of the run could not be read.
    #[error(transparent)]
    File(#[from] windlass_host::file::FileError),
}
