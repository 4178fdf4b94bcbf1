//! The rules of a run, as tables and properties.

pub(crate) mod world;

mod committing;
mod completion;
mod limits;
mod nights;
mod restarting;
mod retrying;
mod stopping;
mod verification;
mod workspace;
