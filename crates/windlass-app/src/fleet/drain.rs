//! Telling a worker to take no further orders.

use std::time::Duration;

use windlass_fleet::Deadline;
use windlass_fleet::leases::{LeaseKey, Leases};
use windlass_fleet::names::WorkerName;
use windlass_fleet::settings::Role;
use windlass_fleet::signals::Signals;
use windlass_ui::{Heard, Hearing, format};

use super::connect::{connect, explained, settings};
use super::looks::look_at;
use crate::app::App;
use crate::error::{AppError, Kind};

/// How long one question may take.
const ASKING: Duration = Duration::from_secs(10);

impl App {
    /// Tells a worker of the configured fleet to take no further orders, and to end when it has none.
    ///
    /// # Errors
    /// No such worker is alive, or the fleet cannot be used.
    pub fn drain_worker(&self, worker: &str) -> Result<(), AppError> {
        let name: WorkerName = worker.parse().map_err(|error| AppError::of(Kind::Usage, error))?;
        let settings = settings(self.directory())?;
        let fleet = connect(self.directory(), &settings, Role::Runner)?;
        let key = LeaseKey::Worker(name.clone());
        let looked =
            look_at(&Leases::of(&fleet), vec![key.clone()], settings.lease, ASKING).map_err(explained)?;
        let heard = looked.looks.of(&key, looked.now).map(|(_, heard)| heard);
        if let Some(why) = refusal(&name, &settings.name, heard) {
            return Err(AppError::usage(why).hint("Who is there: windlass fleet status"));
        }
        Signals::of(&fleet).drain(&name, Deadline::after(ASKING)).map_err(explained)
    }
}

/// Why a worker cannot be told anything; `None` where it can.
fn refusal(worker: &WorkerName, fleet: &str, heard: Option<Heard>) -> Option<String> {
    match heard {
        Some(Heard { state: Hearing::Renewed, .. }) => None,
        Some(Heard { state: Hearing::Silent, span }) => Some(format!(
            "the worker {worker} of the fleet {fleet} was not heard of for {}: it is gone, or cut off",
            format::whole_seconds(span)
        )),
        None => Some(format!("no worker of the fleet {fleet} is called {worker}, or it has ended")),
    }
}
