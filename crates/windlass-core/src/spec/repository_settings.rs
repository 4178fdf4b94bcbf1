//! What of a repository's own settings of the agent holds in a run.

use serde::{Deserialize, Serialize};

/// What becomes of the agent's own settings that lie in the repository: hooks, servers, variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepositorySettings {
    /// They hold.
    #[default]
    Used,
    /// They are not trusted, and the agent does not read them; what they close stays closed.
    LeftOut {
        /// Rules by which they close something.
        deny: Vec<String>,
    },
}

impl RepositorySettings {
    /// Do they hold?
    pub const fn are_used(&self) -> bool {
        matches!(self, RepositorySettings::Used)
    }
}
