//! What there is to see of a fleet.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_fleet::layout::check;
use windlass_fleet::leases::{LeaseEpoch, LeaseKey, Leases};
use windlass_fleet::names::WorkerName;
use windlass_fleet::orders::{ClassState, OrdersOf, Queue};
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, FleetError};
use windlass_ui::{FleetLaneRow, FleetQueueRow, FleetRunRow, FleetStatus, FleetWorkerRow};

use super::connect::{connect_as_any, explained, settings};
use super::looks::{Looked, look_at};
use crate::app::App;
use crate::error::AppError;

/// How long one question may take.
const ASKING: Duration = Duration::from_secs(10);

/// Who may look: whoever asks has the credentials of one of them.
const WHO_LOOKS: [Role; 3] = [Role::Watcher, Role::Runner, Role::Worker];

impl App {
    /// Looks at the configured fleet: for a few seconds, and for as long as a lease where somebody is not heard of.
    ///
    /// # Errors
    /// The fleet cannot be used, or nothing of it is there yet.
    pub fn fleet_status(&self) -> Result<FleetStatus, AppError> {
        let settings = settings(self.directory())?;
        let fleet = connect_as_any(self.directory(), &settings, &WHO_LOOKS)?;
        let asking = || Deadline::after(ASKING);
        let problems = check(&fleet, settings.replicas, asking()).map_err(explained)?;
        let leases = Leases::of(&fleet);
        let keys = leases.all(asking()).map_err(|error| of_another_name(error, &settings.name))?;
        let keys = keys.into_iter().map(|(key, _)| key).collect();
        let looked = look_at(&leases, keys, settings.lease, ASKING).map_err(explained)?;
        let queue = Queue::of(&fleet);
        let (queue, orders) = match queue.classes(asking()).and_then(|it| Ok((it, queue.orders(asking())?))) {
            Ok(found) => found,
            // It is among the problems.
            Err(FleetError::Missing { .. }) => Default::default(),
            Err(error) => return Err(explained(error)),
        };
        Ok(FleetStatus {
            servers: fleet.settings().urls.clone(),
            version: fleet.server_version(),
            problems: problems.iter().map(ToString::to_string).collect(),
            queue: queue
                .iter()
                .map(|class| queue_row(class, &orders, |run| looked.looks.held_under(run)))
                .collect(),
            ..of_leases(settings.name, &looked)
        })
    }
}

/// Where nothing is there, it may be that it is called otherwise.
fn of_another_name(error: FleetError, name: &str) -> AppError {
    let hint = matches!(error, FleetError::Missing { .. }).then(|| {
        format!(
            "It was looked for by the name {name}; another one: windlass config set --user fleet.name NAME"
        )
    });
    explained(error).with_hints(hint)
}

/// What leases say of a fleet.
fn of_leases(name: String, looked: &Looked) -> FleetStatus {
    let (mut workers, mut runs, mut lanes) = (Vec::new(), Vec::new(), Vec::new());
    let mut held: BTreeMap<&WorkerName, usize> = BTreeMap::new();
    for (key, holder, heard) in looked.looks.all(looked.now) {
        match key {
            LeaseKey::Worker(worker) => workers.push((worker, holder.account.as_ref(), heard)),
            LeaseKey::Run(run) => {
                runs.push(FleetRunRow { run: run.clone(), runner: holder.name.to_string(), heard });
            }
            LeaseKey::Lane(run, lane) => {
                *held.entry(&holder.name).or_default() += 1;
                let worker = holder.name.to_string();
                lanes.push(FleetLaneRow { run: run.clone(), lane: *lane, worker, heard });
            }
        }
    }
    let worker = |(worker, account, heard): (&WorkerName, Option<&_>, _)| FleetWorkerRow {
        worker: worker.to_string(),
        account: account.map(ToString::to_string),
        lanes: held.get(worker).copied().unwrap_or_default(),
        heard,
    };
    FleetStatus {
        name,
        servers: Vec::new(),
        version: String::new(),
        problems: Vec::new(),
        workers: workers.into_iter().map(worker).collect(),
        runs,
        lanes,
        queue: Vec::new(),
    }
}

/// What was left in the queue by whoever ran a run before, or runs one no more, waits for nobody.
fn queue_row(
    state: &ClassState,
    orders: &[OrdersOf],
    runner: impl Fn(&LeaseKey) -> Option<LeaseEpoch>,
) -> FleetQueueRow {
    let of_class = orders.iter().filter(|of| of.class == state.class);
    let wanted = of_class.filter(|of| runner(&LeaseKey::Run(of.run.clone())) == Some(of.runner));
    let wanted: u64 = wanted.map(|of| of.count).sum();
    FleetQueueRow {
        labels: state.class.labels().iter().map(ToString::to_string).collect(),
        waiting: state.waiting,
        pending: state.pending.min(wanted),
        taken: state.taken,
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::values::RunId;
    use windlass_fleet::names::Class;

    use super::*;

    #[test]
    fn only_orders_of_whoever_runs_a_run_wait_for_somebody() {
        let of = |run: &str, runner, class: &str, count| OrdersOf {
            class: Class::of_token(class).unwrap(),
            run: RunId(run.to_owned()),
            runner: LeaseEpoch(runner),
            count,
        };
        let orders = [
            of("r-00000001", 7, "gpu", 2),
            of("r-00000001", 9, "gpu", 1),
            of("r-00000002", 3, "gpu", 4),
            of("r-00000001", 9, "tpu", 5),
        ];
        let held = |epochs: &'static [(&str, u64)]| {
            move |key: &LeaseKey| {
                let LeaseKey::Run(run) = key else { return None };
                epochs.iter().find(|(of, _)| run.0 == *of).map(|(_, epoch)| LeaseEpoch(*epoch))
            }
        };
        for (epochs, pending, shown) in [
            (&[][..], 7, 0),
            (&[("r-00000001", 9)], 7, 1),
            (&[("r-00000001", 7)], 7, 2),
            (&[("r-00000001", 9), ("r-00000002", 3)], 7, 5),
            // One of them is taken.
            (&[("r-00000001", 9), ("r-00000002", 3)], 4, 4),
        ] {
            let class = Class::of_token("gpu").unwrap();
            let state = ClassState { class, waiting: 0, pending, taken: 0 };
            assert_eq!(queue_row(&state, &orders, held(epochs)).pending, shown, "{epochs:?} {pending}");
        }
    }
}
