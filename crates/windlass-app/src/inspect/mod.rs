//! What there is: runs, how they stand, workspaces.

mod choices;
mod places;
mod report;
mod runs;
mod status;
pub(crate) mod which;
mod workspace;

pub use choices::{Choices, Unfinished};
pub use report::{ReportRequest, last_evening};
pub use runs::Runs;
pub use status::Status;
