//! What there is: runs, how they stand, workspaces.

mod runs;
mod status;
pub mod which;
mod workspace;

pub use runs::Runs;
pub use status::Status;
