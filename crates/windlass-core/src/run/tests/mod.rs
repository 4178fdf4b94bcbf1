//! The rules of a run, as tables and properties.

pub(crate) mod world;

mod asking;
mod committing;
mod completion;
mod damage;
mod guarding;
mod hooks;
mod judging;
mod lanes;
mod limits;
mod nights;
mod order;
mod plans;
mod restarting;
mod resuming;
mod retrying;
mod stopping;
mod verification;
mod workspace;
