//! Simulated nights: the whole core against a world of values, from a seed.
//!
//! A [`Script`] is drawn from one number; [`play`] plays it and gives a [`Record`]; [`broken`] says which invariant it
//! breaks, if any; [`tell`] tells it as a story. Nothing here reads a clock, a file or chance: a seed gives the same
//! night on every machine. `docs/nights.md` says what is simulated and what was found.

#![expect(
    clippy::indexing_slicing,
    reason = "a simulated night that goes out of bounds is a defect to be seen"
)]

mod core;
mod dice;
mod fleet;
mod hashes;
mod hunt;
mod invariant;
mod night;
mod plant;
mod record;
mod runner;
mod script;
mod story;
mod world;

pub use fleet::{
    FLEET_INVARIANTS, FleetInvariant, FleetPlant, FleetRecord, FleetScript, broken_fleet, hunt_fleet,
    play_fleet, tell_fleet,
};
pub use hashes::{Difference, Hashes};
pub use hunt::{Catch, Hunt, Quarry, hunt};
pub use invariant::{Breach, INVARIANTS, Invariant, broken};
pub use night::play;
pub use plant::Plant;
pub use record::Record;
pub use script::Script;
pub use story::tell;
