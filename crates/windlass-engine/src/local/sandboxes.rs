//! What locks in whatever a lane's keeper starts: the run's sandbox, or the lane's own where it has a checkout of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_core::values::LaneId;

use super::work::WorkError;
use super::{LocalLanes, working_trees};
use crate::sandbox::Sandbox;

/// The sandboxes of a session.
#[derive(Debug)]
pub(super) struct Sandboxes {
    run: Arc<Sandbox>,
    lanes: BTreeMap<LaneId, Sandbox>,
}

impl Sandboxes {
    /// Those of a session with this sandbox.
    pub fn new(run: Arc<Sandbox>) -> Sandboxes {
        Sandboxes { run, lanes: BTreeMap::new() }
    }

    /// The sandbox around the directory that the run was started in: of hooks, and of what judges it before the first
    /// iteration.
    pub fn of_run(&self) -> &Sandbox {
        &self.run
    }

    /// The sandbox of what works in a lane, once it was made ([`LocalLanes::lock_in`]).
    pub fn of_lane(&self, lane: LaneId) -> &Sandbox {
        self.lanes.get(&lane).unwrap_or(&self.run)
    }

    /// Ends what runs inside for a lane and is not below its keeper, whichever of them it was started in.
    pub fn end(&self, lane: LaneId) {
        self.run.end();
        if let Some(own) = self.lanes.get(&lane) {
            own.end();
        }
    }

    /// Ends what runs inside for any of them.
    pub fn end_all(&self) {
        self.run.end();
        self.lanes.values().for_each(Sandbox::end);
    }

    /// What a person should be told, each once; `None` = nothing new.
    pub fn news(&self) -> Option<String> {
        self.run.news().or_else(|| self.lanes.values().find_map(Sandbox::news))
    }
}

impl LocalLanes {
    /// Makes a lane's own sandbox, where the lane has a checkout of its own and the run is locked in. Where that cannot be,
    /// nothing may be started in the lane.
    pub(super) fn lock_in(&mut self, lane: LaneId) -> Result<(), WorkError> {
        if !self.plan.sandbox.is_on() || self.sandboxes.lanes.contains_key(&lane) {
            return Ok(());
        }
        let Some(site) = working_trees::site(&self.plan, self.repository.as_ref(), lane) else {
            return Ok(());
        };
        let own = self.sandboxes.run.for_lane(&site?)?;
        self.sandboxes.lanes.insert(lane, own);
        Ok(())
    }
}
