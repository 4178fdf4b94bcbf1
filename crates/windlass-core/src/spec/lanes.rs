//! Several lanes at once.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::BootstrapSpec;
use super::review::is_zero;
use crate::values::path_text;

/// How commits get to the workers of a fleet, and back. A run keeps the way that it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeWay {
    /// As packs in the fleet's object store.
    #[default]
    Packs,
    /// Through a git remote that each machine has configured for itself.
    Remote {
        /// The commit that the run began with: whoever goes on with it elsewhere has that in their clone.
        base: String,
    },
}

impl CodeWay {
    /// Nothing else is needed?
    pub fn is_packs(&self) -> bool {
        *self == CodeWay::Packs
    }
}

/// Several lanes at once, each in a checkout of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanesSpec {
    /// How many, at least 2. Their numbers are 1 to this.
    pub count: u16,
    /// Where their checkouts are: absolute; a folder for each, named after its number.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// Where in the repository the run works: a folder below its top; empty = there.
    #[serde(with = "path_text")]
    pub below: PathBuf,
    /// The branch that landings go to, by its full name; `None` = what is checked out when the first one is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// How a checkout is made ready; `None` = it has what the repository has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapSpec>,
    /// The fleet whose workers have the lanes; `None` = this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<String>,
    /// How commits get to that fleet's workers.
    #[serde(default, skip_serializing_if = "CodeWay::is_packs")]
    pub code: CodeWay,
    /// How often the agent of a task is asked to bring it together with what has landed meanwhile. Journals of old do not say it: 0 =
    /// once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub merges: u32,
    /// The worker of a fleet that has them, on whose machine this is; `None` = it is the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// While an agent merges, the next task may land: then its work, which was put together, conflicts anew.
const MERGES: u32 = 3;

impl LanesSpec {
    /// So many on this machine, below this folder; nothing else is said of them.
    pub fn of(count: u16, folder: PathBuf) -> LanesSpec {
        LanesSpec { count, folder, merges: MERGES, ..LanesSpec::default() }
    }
}
