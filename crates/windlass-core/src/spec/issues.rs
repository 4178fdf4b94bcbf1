//! Where the tasks of a run are issues of a forge.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::forge::RepositoryName;
use crate::values::millis;

/// The issues that a run works off: leased before they are worked on, told what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuesSpec {
    /// The repository that they are of.
    pub repository: RepositoryName,
    /// How long a lease lasts; it is renewed before half of it is over.
    #[serde(with = "millis")]
    pub lease: Duration,
    /// What is done is closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
}

impl IssuesSpec {
    /// The number of the issue that a task is: `#12`. `None` where it is not one.
    pub fn number(task: &crate::values::TaskId) -> Option<u64> {
        task.0.strip_prefix('#')?.parse().ok()
    }
}
