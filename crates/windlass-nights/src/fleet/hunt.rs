//! Many nights of a fleet.

use windlass_core::fact::Fact;

use super::invariant::broken_fleet;
use super::night::play_fleet;
use super::plant::FleetPlant;
use super::script::FleetScript;
use super::story::tell_fleet;
use crate::hunt::{Catch, Hunt, over_seeds};

/// Plays nights of a fleet, on so many threads, until so many were broken.
pub fn hunt_fleet(
    seeds: std::ops::Range<u64>,
    plant: Option<FleetPlant>,
    threads: usize,
    enough: usize,
) -> Hunt {
    over_seeds(seeds, threads, enough, |hunt, seed| play(hunt, seed, plant))
}

fn play(hunt: &mut Hunt, seed: u64, plant: Option<FleetPlant>) {
    let script = FleetScript::draw(seed);
    let record = play_fleet(&script, plant);
    hunt.nights += 1;
    hunt.steps += u64::from(record.steps);
    for entry in record.entries() {
        if let Fact::RunFinished { stop_reason, .. } = &entry.fact {
            *hunt.endings.entry(format!("{stop_reason:?}")).or_default() += 1;
        }
    }
    let Some((invariant, breach)) = broken_fleet(&record) else { return };
    let fails = |script: &FleetScript| {
        broken_fleet(&play_fleet(script, plant)).is_some_and(|(again, _)| again.name == invariant.name)
    };
    let record = play_fleet(&script.shrunk(fails), plant);
    let story = tell_fleet(&record, broken_fleet(&record).as_ref());
    hunt.catches.push(Catch { seed, invariant: invariant.name, said: breach.said, story });
}
