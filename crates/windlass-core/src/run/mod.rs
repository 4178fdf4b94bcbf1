//! The state machine: what a run is, what follows from what happens to it.

mod plan;

pub use plan::{AgentPlan, Clocks, CommitPolicy, Job, Limits, Mode, RunPlan};

/// A run (its state follows).
#[derive(Debug)]
pub struct Run;

impl Run {
    /// Folds one fact into the state.
    pub fn apply(&mut self) {}
}
