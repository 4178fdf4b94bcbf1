//! What keeps a sandbox from being used.

use std::io;
use std::path::{Path, PathBuf};
use windlass_core::values::Named;

use windlass_agents::About;
use windlass_core::spec::SandboxKind;

use super::probe::probe;
use windlass_git::git::GitError;

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
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was attempted, in the infinitive.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
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

    /// For `map_err`.
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SandboxError {
        let path = path.to_owned();
        move |source| SandboxError::File { action, path, source }
    }
}
