//! The worker's side: takes orders for lanes and carries them out with the executor of its own machine. It decides nothing.
//!
//! - [`desk`] is the loop: orders, letters, signals, and what becomes of leases.
//! - [`holds`] are the leases of this worker; a thread renews them.
//! - A run has a thread of its own ([`run`], with its handle [`run_desk`]), with that run's repository, folder and executor.
//! - Its [`outbox`] sends what came of orders.
//! - What agents cost is kept on the disk ([`spending`]).

mod desk;
mod holds;
mod limits;
mod outbox;
mod run;
mod run_desk;
mod snapshots;
mod spending;
mod taking;
mod workshop;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use windlass_core::fleet::remote::RemoteUrl;
use windlass_core::values::Cost;
use windlass_engine::executor::EngineError;
use windlass_fleet::leases::Holder;
use windlass_fleet::names::{Account, Label, WorkerName};
use windlass_fleet::{Fleet, FleetError};
use windlass_host::process::ProcessError;

pub use desk::{WorkerEnd, work};
pub use spending::BooksError;
pub use workshop::{Ready, Workshop};

/// What a worker is.
pub struct WorkerSetting {
    /// Connected as a worker.
    pub fleet: Fleet,
    /// By which it is known; no two of a fleet have the same.
    pub name: WorkerName,
    /// Whose usage limits count for it.
    pub account: Option<Account>,
    /// What it has.
    pub labels: BTreeSet<Label>,
    /// So many lanes at once, at least one.
    pub lanes: usize,
    /// How long a lease that is not renewed is respected.
    pub lease: Duration,
    /// What its agents may cost in an hour; `None` = no limit of its own.
    pub most_cost_per_hour: Option<Cost>,
    /// The git remote that is configured on this machine.
    pub remote: Option<RemoteUrl>,
    /// Where it keeps repositories and folders of runs: in the state folder.
    pub home: PathBuf,
    /// Makes ready what a run needs.
    pub workshop: Arc<dyn Workshop>,
    /// Hears what a person should know.
    pub told: Arc<dyn Fn(&str) + Send + Sync>,
    /// A file that is written anew while it works, for whoever watches over it.
    pub health: Option<PathBuf>,
}

impl WorkerSetting {
    /// As whom it holds leases.
    fn holder(&self) -> Holder {
        Holder { account: self.account.clone(), ..Holder::of(self.name.clone()) }
    }
}

/// What ends a worker before its time.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The servers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// A thread or a signal.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The executor.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What it has spent.
    #[error(transparent)]
    Books(#[from] BooksError),
    /// Another worker has its name.
    #[error("another worker of this fleet is called {0}, and is alive")]
    NameTaken(WorkerName),
    /// It was called so, and somebody else is now.
    #[error("somebody else took over the name {0} while this worker was not heard of")]
    NameLost(WorkerName),
    /// The servers know of nobody that is called so.
    #[error("the fleet's servers have lost what they kept, and know nothing of the worker {0} any more")]
    Forgotten(WorkerName),
}
