//! The rules of a run, as tables and properties.

pub(crate) mod world;

mod asking;
mod claiming;
mod committing;
mod completion;
mod contexts;
mod counting;
mod damage;
mod guarding;
mod hooks;
mod judging;
mod kept_plans;
mod landing;
mod lanes;
mod lanes_world;
mod limits;
mod losing;
mod nights;
mod order;
mod ordering;
pub mod outcomes;
mod parking;
mod plans;
mod protecting;
mod refusing;
mod restarting;
mod resuming;
mod retrying;
mod reviewing;
mod reviews;
mod sharing;
mod stopping;
mod told;
mod verification;
mod waking;
mod workspace;
