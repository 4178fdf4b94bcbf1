//! `worker`, in a program that was built without fleets.

use windlass_app::AppError;

use crate::args::WorkerArgs;

/// Says so.
pub fn run(_: &WorkerArgs) -> Result<(), AppError> {
    Err(AppError::usage("this windlass was built without fleets")
        .hint("A program with them: cargo install --path crates/windlass"))
}
