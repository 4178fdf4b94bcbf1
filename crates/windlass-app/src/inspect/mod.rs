//! What there is: runs, how they stand, workspaces.

mod changes;
mod choices;
mod follow;
mod known;
mod machine;
mod places;
mod report;
pub(crate) mod runs;
mod status;
mod told;
pub(crate) mod which;
mod workspace;

#[cfg(test)]
mod tests;

pub use changes::PartChanges;
pub use choices::{Choices, TasksElsewhere, Unfinished};
pub use follow::{AtWork, FollowedRun, ToolAtHand};
pub use known::{KnownRun, ways_to_runs_of};
pub use machine::{ClosedProject, Heading, ListedRun, Machine};
pub use report::{ReportRequest, last_evening};
pub use runs::Runs;
pub use status::Status;
pub use told::ToldAgent;
pub use windlass_engine::store::RunSummary;
