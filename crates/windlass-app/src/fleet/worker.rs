//! A worker of a fleet, on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::spec::Mode;
use windlass_engine::store::{create_folder, write_atomically};
use windlass_fleet::settings::Role;
pub use windlass_remote::worker::WorkerEnd;
use windlass_remote::worker::{WorkerError, WorkerSetting, work};

use super::connect::{connect, explained};
use super::policy::{PolicyRequest, WorkerPolicy};
use super::workshop::FleetWorkshop;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::state_root;
use crate::sandbox;

/// A worker that is to work.
#[derive(Clone, Debug, Default)]
pub struct WorkRequest {
    /// What it may do, and what it is.
    pub policy: PolicyRequest,
    /// A file that is written anew while it works.
    pub health: Option<PathBuf>,
}

/// A worker that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerEnded {
    /// How.
    pub end: WorkerEnd,
    /// What it was called.
    pub name: String,
}

impl App {
    /// Takes orders of the configured fleet and carries them out, until it is drained or stopped.
    ///
    /// # Errors
    /// The fleet cannot be used, the policy is wrong, or another worker has the name.
    pub fn work(&self, request: &WorkRequest) -> Result<WorkerEnded, AppError> {
        let WorkerPolicy { name, lanes, labels, account, policy } = self.worker_policy(&request.policy)?;
        let resolved = Configuration::read(self.directory(), None, Mode::Goal)?.resolved;
        let hidden = sandbox::hidden(self.directory(), &resolved);
        let settings = resolved.fleet;
        let told = self.clone();
        let home = state_root()?.join("fleet").join(&settings.name);
        refuse_unwritable(&home)?;
        let setting = WorkerSetting {
            fleet: connect(self.directory(), &settings, Role::Worker)?,
            account,
            labels,
            lanes: usize::from(lanes),
            lease: settings.lease,
            most_cost_per_hour: policy.most_cost_per_hour,
            remote: settings.remote,
            home,
            workshop: Arc::new(FleetWorkshop {
                app: self.clone(),
                worker: name.to_string(),
                policy,
                hidden,
                lease: settings.lease,
            }),
            told: Arc::new(move |text: &str| told.notice(text)),
            health: request.health.clone(),
            name,
        };
        let end = work(&setting).map_err(ended)?;
        Ok(WorkerEnded { end, name: setting.name.to_string() })
    }
}

/// Whoever cannot keep anything of a run would only take orders away from others.
fn refuse_unwritable(home: &Path) -> Result<(), AppError> {
    let tried = create_folder(home).and_then(|()| write_atomically(&home.join(".writable"), b""));
    tried.map_err(|error| {
        AppError::from(error)
            .hint("Make room there, or name another place for what a worker keeps: WINDLASS_STATE_DIR")
    })
}

fn ended(error: WorkerError) -> AppError {
    match error {
        WorkerError::Fleet(error) => explained(error),
        taken @ WorkerError::NameTaken(_) => AppError::of(Kind::Usage, taken)
            .hint("Name this one: windlass worker --name NAME")
            .hint("Two workers of one name would take each other's lanes."),
        forgotten @ WorkerError::Forgotten(_) => AppError::system(forgotten)
            .hint("Where the fleet was made anew, start this worker again: windlass worker"),
        other => AppError::system(other),
    }
}
