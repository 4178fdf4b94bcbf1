//! git: what Windlass asks of it, what it lends to guests, what lies in a working tree, and the snapshots of it. Nothing here knows
//! of runs, agents or sandboxes.

pub mod git;
pub mod inventory;
pub mod snapshot;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
