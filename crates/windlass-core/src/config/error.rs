//! What is wrong with configuration, and whose file it stands in.

use strum::IntoStaticStr;
use thiserror::Error;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FileKind {
    /// The defaults that come with Windlass.
    Default,
    /// The user's.
    User,
    /// The project's.
    Project,
    /// The workspace's.
    Workspace,
}

/// All that is wrong with a layer or with what comes of the layers: one line per problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", problems.join("\n"))]
pub struct ConfigError {
    /// One sentence each, with its place before it: `file:line`, a variable, a flag.
    pub problems: Vec<String>,
}

impl ConfigError {
    pub(super) fn one(problem: String) -> ConfigError {
        ConfigError { problems: vec![problem] }
    }
}
