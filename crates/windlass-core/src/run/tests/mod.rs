//! The rules of a run, as tables and properties.

pub(crate) mod world;

mod asking;
mod claiming;
mod committing;
mod completion;
mod damage;
mod guarding;
mod hooks;
mod judging;
mod lanes;
mod lanes_world;
mod limits;
mod nights;
mod order;
mod plans;
mod protecting;
mod refusing;
mod restarting;
mod resuming;
mod retrying;
mod sharing;
mod stopping;
mod told;
mod verification;
mod waking;
mod workspace;
