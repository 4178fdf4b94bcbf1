//! Documents that commands print: lists and the state of a run, for people and for machines.

mod runs;
mod status;

pub use runs::{RunRow, RunState, runs_json, runs_table};
pub use status::{RunStatus, status_json, status_text};
