//! What can go wrong with workspaces.

use std::path::PathBuf;

use windlass_core::values::RunId;
use windlass_core::workspace::NameError;

use crate::store::StoreError;
use windlass_git::git::GitError;
use windlass_host::file::FileError;

/// What can go wrong with workspaces. Each message is one sentence.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The name is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is no workspace of this name.
    #[error("there is no workspace `{name}`{}", nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
    NotFound {
        /// What was asked for.
        name: String,
        /// The name of one that was perhaps meant.
        nearest: Option<String>,
    },
    /// There is something else than a folder.
    #[error("{} is not a folder, so it cannot be a workspace", path.display())]
    NotAFolder {
        /// Where.
        path: PathBuf,
    },
    /// It is a link to somewhere else.
    #[error("{} is a link that leads out of the project's workspaces, to {}; it is not followed", path.display(), target.display())]
    LeadsOutside {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It has options already, and others were asked for.
    #[error("workspace `{name}` has options already, and `{key}` is not what was asked for: {} is left as it is", path.display())]
    OtherOptions {
        /// The workspace.
        name: String,
        /// The first key that differs.
        key: &'static str,
        /// Its options.
        path: PathBuf,
    },
    /// A run works on it.
    #[error("run {run} works on workspace `{name}`")]
    Live {
        /// The workspace.
        name: String,
        /// The run.
        run: RunId,
    },
    /// A person and an agent are writing its instructions.
    #[error("session {session} works on workspace `{name}`")]
    InSession {
        /// The workspace.
        name: String,
        /// The session.
        session: RunId,
    },
    /// Somebody else is changing it, and does not come to an end.
    #[error("another process is changing workspace `{name}` and does not come to an end")]
    Busy {
        /// The workspace.
        name: String,
    },
    /// A commit hook that is not ours is in the way.
    #[error("{} is a hook of yours; it is left as it is", path.display())]
    ForeignHook {
        /// The hook.
        path: PathBuf,
    },
    /// The hooks of this repository are shared with others.
    #[error("the hooks of this repository are kept outside it, in {} (core.hooksPath): a guard there would hold for others as well", path.display())]
    SharedHooks {
        /// Their folder.
        path: PathBuf,
    },
    /// git did not answer.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is kept outside the project could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
