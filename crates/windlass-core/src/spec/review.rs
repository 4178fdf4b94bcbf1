//! How the work of each iteration is looked over by a fresh agent.

use serde::{Deserialize, Serialize};

/// How the work of each iteration is looked over by a fresh agent before it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewSpec {
    /// What a person wants looked for, beyond the usual; empty = nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The reviewer's model; `None` = that of the agent who works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Nobody is asked about fewer changed lines than this; 0 = always.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip_below_lines: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
