//! A worker of a fleet, on this machine.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::config::Layer;
use windlass_core::fleet::policy::Policy;
use windlass_engine::store::paths::config_root;
use windlass_fleet::names::Label;
use windlass_fleet::settings::Role;
use windlass_host::file::read_if_there;
pub use windlass_remote::worker::WorkerEnd;
use windlass_remote::worker::{WorkerError, WorkerSetting, work};

use super::connect::{connect, explained, machine_name, settings};
use super::workshop::FleetWorkshop;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::here::state_root;

/// A worker that is to work.
#[derive(Clone, Debug, Default)]
pub struct WorkRequest {
    /// Its policy's file; `None` = the usual one, where it is there.
    pub policy: Option<PathBuf>,
    /// By which it is known, before what the policy says.
    pub name: Option<String>,
    /// So many lanes at once, before what the policy says.
    pub lanes: Option<u16>,
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
        let policy = policy(request)?;
        let settings = settings(self, Layer::default())?;
        let wrong = |error| AppError::of(Kind::Configuration, error);
        let name = match request.name.as_ref().or(policy.name.as_ref()) {
            Some(name) => name.parse().map_err(wrong)?,
            None => machine_name("")?,
        };
        let labels: Result<BTreeSet<Label>, _> = policy.labels.iter().map(|label| label.parse()).collect();
        let labels = labels.map_err(wrong)?;
        let account = policy.account.as_ref().map(|account| account.parse()).transpose().map_err(wrong)?;
        let lanes = request.lanes.unwrap_or(policy.lanes);
        let fleet = connect(self.directory(), &settings, Role::Worker)?;
        let home = state_root()?.join("fleet").join(&settings.name);
        self.notice(&format!("worker {name} of the fleet {} takes orders: {lanes} lanes", settings.name));
        let told = self.clone();
        let setting = WorkerSetting {
            fleet,
            account,
            labels,
            lanes: usize::from(lanes),
            lease: settings.lease,
            home,
            workshop: Arc::new(FleetWorkshop { app: self.clone(), worker: name.to_string(), policy }),
            told: Arc::new(move |text: &str| told.notice(text)),
            health: request.health.clone(),
            name,
        };
        let end = work(&setting).map_err(ended)?;
        Ok(WorkerEnded { end, name: setting.name.to_string() })
    }
}

fn ended(error: WorkerError) -> AppError {
    match error {
        WorkerError::Fleet(error) => explained(error),
        taken @ WorkerError::NameTaken(_) => AppError::of(Kind::Usage, taken)
            .hint("Name this one: windlass worker --name NAME")
            .hint("Who is there: windlass fleet status"),
        other => AppError::system(other),
    }
}

/// The policy: of a file that has to be there where it is named, with what the request says.
fn policy(request: &WorkRequest) -> Result<Policy, AppError> {
    let usual = || config_root(|name| std::env::var_os(name)).map(|root| root.join("worker.toml"));
    let path = match &request.policy {
        Some(path) => path.clone(),
        None => usual()?,
    };
    let Some(bytes) = read_if_there(&path).map_err(AppError::system)? else {
        return match &request.policy {
            Some(path) => Err(AppError::usage(format!("there is no policy {}", path.display()))),
            None => Ok(Policy::default()),
        };
    };
    let wrong =
        |problem: String| AppError::new(Kind::Configuration, format!("{}: {problem}", path.display()));
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    Policy::parse(&text).map_err(wrong)
}
