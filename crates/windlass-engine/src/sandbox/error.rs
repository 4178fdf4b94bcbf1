//! What keeps a sandbox from being used.

use std::path::Path;
use windlass_core::values::Named;

use windlass_agents::About;
use windlass_core::spec::SandboxKind;

use super::probe::probe;
use windlass_git::git::GitError;
use windlass_host::file::FileError;

/// What keeps a sandbox from being used. Never a reason to go on without one.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This machine, or this project, does not let it be.
    #[error("the sandbox `{kind}` cannot be used here: {why}")]
    Unusable {
        /// Which: `bwrap`.
        kind: &'static str,
        /// Why, as the end of a sentence.
        why: String,
        /// What could be used instead.
        instead: Option<&'static str>,
    },
    /// What was asked for does not go together with what is there.
    #[error("{why}")]
    Refused {
        /// Why, a sentence without its full stop.
        why: String,
        /// What to do.
        hint: String,
    },
    /// Git, where guests are lent a git directory.
    #[error("the sandbox cannot be lent a git directory: {0}")]
    Git(#[from] GitError),
    /// A file or folder of the sandbox.
    #[error(transparent)]
    File(#[from] FileError),
}

impl SandboxError {
    /// It cannot be used, for this reason; looks for one that can.
    pub(super) fn unusable(kind: &SandboxKind, why: impl Into<String>) -> SandboxError {
        let others = [SandboxKind::Bwrap, SandboxKind::Landlock];
        let works = |other: &&SandboxKind| *other != kind && probe(other).works.is_ok();
        let instead = others.iter().find(works).map(SandboxKind::name);
        SandboxError::Unusable { kind: kind.name(), why: why.into(), instead }
    }

    /// The user's own credentials are to be mounted, and are not there.
    pub(super) fn no_credentials(path: &Path, agent: &About) -> SandboxError {
        SandboxError::Refused {
            why: format!("sandbox.login = \"mount\", but there is no {}", path.display()),
            hint: format!("{}, or set sandbox.login = \"environment\".", agent.words.log_in_briefly),
        }
    }
}
