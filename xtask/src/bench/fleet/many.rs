//! Many lanes whose agents sleep, on several workers: what the runner does meanwhile, and what it holds.

use std::time::Duration;

use super::super::bed::{Bed, spawn};
use super::super::lanes::{Plan, Repository, TaskOrder, planned, run_of};
use super::super::process::{Memory, Process};
use super::super::table::Row;
use super::yard::{Part, Yard, agents, wait_for};
use crate::program::Failure;

/// So many lanes sleep, on so many workers.
const LANES: u32 = 256;
const WORKERS: u32 = 8;

/// Longer than they are watched.
const ASLEEP: Plan = Plan {
    tasks: LANES,
    asleep: Duration::from_hours(1),
    order: TaskOrder::Any,
    repository: Repository::Small,
};

/// Renewals, looks at leases and whatever else comes every few seconds are in it many times.
const WATCHED: Duration = Duration::from_secs(30);

/// A runner while all of its agents sleep.
#[derive(Clone, Copy)]
struct Asleep {
    /// Percent of a core.
    share: f64,
    memory: Memory,
}

/// The runner of many lanes: its share of a core and its memory, beside a run on one machine.
pub fn many_lanes(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let here = here(bed)?;
    let fleet = on_workers(bed)?;
    let more = fleet.memory.all - here.memory.all;
    Ok(vec![
        Row::new(
            format!("fleet: {LANES} sleeping lanes on {WORKERS} workers: the runner"),
            format!("{:.1} % of a core", fleet.share),
            "10 %",
            fleet.share <= 10.0,
        )
        .beside(format!("on one machine {:.1} %", here.share)),
        Row::new(
            "the same: its memory",
            format!("{}: {more:+.1} MB", fleet.memory.text()),
            "10 MB more",
            more <= 10.0,
        )
        .beside(format!("on one machine {}", here.memory.text())),
    ])
}

fn here(bed: &Bed) -> Result<Asleep, Failure> {
    let ground = planned(bed, &ASLEEP)?;
    let run = Part(spawn(&mut run_of(bed.windlass(), &ground, LANES))?);
    wait_for("all agents", || agents(&ground).len() == LANES as usize)?;
    let seen = watched(&run);
    drop(run);
    wait_for("the end of all agents", || agents(&ground).is_empty())?;
    seen
}

fn on_workers(bed: &Bed) -> Result<Asleep, Failure> {
    let yard = Yard::new(bed, &ASLEEP)?;
    let names = (0..WORKERS).map(|worker| format!("w{worker}"));
    let workers = names.map(|name| yard.worker(&name, LANES / WORKERS)).collect::<Result<Vec<_>, _>>()?;
    let run = Part(spawn(&mut yard.run(LANES))?);
    yard.wait_for_agents(LANES as usize)?;
    let seen = watched(&run);
    drop(run);
    drop(workers);
    wait_for("the end of all agents", || yard.agents().is_empty())?;
    seen
}

fn watched(run: &Part) -> Result<Asleep, Failure> {
    let process = Process(run.0.id());
    Ok(Asleep { share: process.share(WATCHED)?, memory: process.memory()? })
}
