//! Subjects and names of streams. Everything of a fleet begins with its name, and nothing else does.

use windlass_core::values::{LaneId, RunId};

use crate::leases::LeaseEpoch;
use crate::names::{Class, FleetName, NameError, WorkerName, checked_run};
use crate::settings::Role;

/// All of a fleet.
#[derive(Clone, Debug)]
pub(crate) struct Subjects {
    fleet: FleetName,
}

impl Subjects {
    pub(crate) fn of(fleet: &FleetName) -> Subjects {
        Subjects { fleet: fleet.clone() }
    }

    /// A subject of the fleet. What stands in `rest` was checked by its type.
    pub(crate) fn below(&self, rest: &str) -> String {
        format!("windlass.{}.{rest}", self.fleet)
    }

    /// A stream or bucket of the fleet: `windlass_night_orders`.
    pub(crate) fn stored(&self, name: &str) -> String {
        format!("windlass_{}_{name}", self.fleet)
    }

    /// Orders of a class, by whoever runs a run: they are told apart without being read.
    pub(crate) fn orders(&self, class: &Class, run: &RunId, runner: LeaseEpoch) -> Result<String, NameError> {
        Ok(self.below(&format!("orders.{class}.{}.{}", checked_run(run)?, runner.0)))
    }

    pub(crate) fn orders_of_class(&self, class: &Class) -> String {
        self.below(&format!("orders.{class}.*.*"))
    }

    pub(crate) fn journal(&self, run: &RunId) -> Result<String, NameError> {
        Ok(self.below(&format!("journal.{}", checked_run(run)?)))
    }

    /// Where a worker is sent the later orders of its lanes.
    pub(crate) fn letters(&self, worker: &WorkerName) -> String {
        self.below(&format!("worker.{worker}.orders"))
    }

    pub(crate) fn drain(&self, worker: &WorkerName) -> String {
        self.below(&format!("worker.{worker}.drain"))
    }

    pub(crate) fn reports(&self, run: &RunId) -> Result<String, NameError> {
        Ok(self.below(&format!("run.{}.reports", checked_run(run)?)))
    }

    pub(crate) fn cancel(&self, run: &RunId) -> Result<String, NameError> {
        Ok(self.below(&format!("run.{}.cancel", checked_run(run)?)))
    }

    /// What an agent says in a lane, while it says it.
    pub(crate) fn live(&self, run: &RunId, lane: LaneId) -> Result<String, NameError> {
        Ok(self.below(&format!("run.{}.live.{}", checked_run(run)?, lane.0)))
    }

    pub(crate) fn live_of_all_lanes(&self, run: &RunId) -> Result<String, NameError> {
        Ok(self.below(&format!("run.{}.live.*", checked_run(run)?)))
    }

    /// Where answers come to. Each role has an inbox of its own, so that none reads another one's answers.
    pub(crate) fn inbox(&self, role: Role) -> String {
        format!("_INBOX_windlass_{}_{}", self.fleet, role.name())
    }
}
