//! How conflicts of principles are settled by a fresh agent.

use serde::{Deserialize, Serialize};

/// How conflicts of principles are settled by a fresh agent. Without principles there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilSpec {
    /// The council's model; `None` = that of the agent who works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// So many councils are called in a run; at most one in an iteration.
    pub per_run: u32,
    /// What is decided goes into the project's log of decisions ([`DECISION_LOG`](crate::council::DECISION_LOG)) as well.
    pub logs: bool,
}
