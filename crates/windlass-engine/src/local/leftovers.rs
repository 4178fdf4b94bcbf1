//! What was left of tasks in lanes of other machines: their commits are here, their files are not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::values::LaneId;
use windlass_git::lane::Leftover;

/// What the workers of a fleet have brought of their lanes. Whoever brings it and whoever closes tasks share it.
#[derive(Clone, Debug, Default)]
pub struct RemoteLeftovers {
    left: Arc<Mutex<BTreeMap<LaneId, Leftover>>>,
}

impl RemoteLeftovers {
    /// It was brought; what was there of that lane is of an earlier task.
    pub fn put(&self, lane: LaneId, leftover: Leftover) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).insert(lane, leftover);
    }

    /// What was brought of a lane; `None` where its files are on this machine.
    pub(super) fn take(&self, lane: LaneId) -> Option<Leftover> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).remove(&lane)
    }
}
