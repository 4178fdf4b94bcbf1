//! What changed, seen from outside.

use serde::{Deserialize, Serialize};

/// A state of the world as the runner sees it: never notes, logs, timestamps or Windlass's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// The commit that HEAD names; `None` without git or without a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// A digest of the working tree: paths, modes and contents of tracked and of untracked unignored files.
    pub tree: String,
    /// A digest of what the mode reads: open tasks, status payload. `None` where the mode reads nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
}
