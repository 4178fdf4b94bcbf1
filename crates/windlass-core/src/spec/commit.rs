//! Who commits, what is held back, and what is undone.

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

/// What is held back from commits until a person says otherwise; what looks like a secret always is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withholding {
    /// Files that are committed all the same: patterns as in `.gitignore`, from the repository's top.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Files beyond so many bytes are held back; `None` = none is for its size.
    pub large_file: Option<u64>,
}

impl Default for Withholding {
    fn default() -> Withholding {
        Withholding { allow: Vec::new(), large_file: Some(5 * 1024 * 1024) }
    }
}

/// Who commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CommitPolicy {
    /// Nobody.
    None,
    /// The agent is asked to.
    Agent,
    /// The runner commits what an iteration changed.
    Runner,
}

/// What is done about damage that an agent does to the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum UndoPolicy {
    /// The command that undoes it is printed; the run ends where going on would make it worse.
    #[default]
    Ask,
    /// The runner undoes it at once.
    Auto,
}

impl UndoPolicy {
    /// For plans that leave it out.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn is_ask(&self) -> bool {
        *self == UndoPolicy::Ask
    }
}
