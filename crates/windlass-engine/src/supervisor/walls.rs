//! What locks in whatever a lane's keeper starts: the run's sandbox, or the lane's own where it has a checkout of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_core::run::Input;
use windlass_core::values::LaneId;

use super::event::WorkError;
use super::{EngineError, Supervisor, lanes};
use crate::sandbox::{Sandbox, SandboxError};

/// The sandboxes of a session.
#[derive(Debug)]
pub(super) struct Walls {
    run: Arc<Sandbox>,
    lanes: BTreeMap<LaneId, Sandbox>,
}

impl Walls {
    /// Those of a session with this sandbox.
    pub fn new(run: Arc<Sandbox>) -> Walls {
        Walls { run, lanes: BTreeMap::new() }
    }

    /// The sandbox around the directory that the run was started in: of hooks, and of what judges it before the first
    /// iteration.
    pub fn of_run(&self) -> &Sandbox {
        &self.run
    }

    /// The sandbox of what works in a lane, once it was made ([`Supervisor::wall_in`]).
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
    fn news(&self) -> Option<String> {
        self.run.news().or_else(|| self.lanes.values().find_map(Sandbox::news))
    }
}

impl Supervisor {
    /// Makes a lane's own sandbox, where the lane has a checkout of its own and the run is locked in. Where that cannot be,
    /// nothing may be started in the lane.
    pub(super) fn wall_in(&mut self, lane: LaneId) -> Result<(), WorkError> {
        let is_plain = self.run.plan().is_none_or(|plan| !plan.sandbox.is_on());
        if is_plain || self.walls.lanes.contains_key(&lane) {
            return Ok(());
        }
        let plan = self.run.plan().cloned();
        let Some(site) = plan.and_then(|plan| lanes::site(&plan, self.repository.as_ref(), lane)) else {
            return Ok(());
        };
        let not_made = |error: SandboxError| WorkError::new(error.is_disk_full(), &error);
        let own = self.walls.run.for_lane(&site?).map_err(not_made)?;
        self.walls.lanes.insert(lane, own);
        Ok(())
    }

    /// Before what else happened: with that, the run may end.
    pub(super) fn tell_of_sandbox(&mut self) -> Result<(), EngineError> {
        while let Some(news) = self.walls.news() {
            self.take(Input::notice(news))?;
        }
        Ok(())
    }
}
