//! `worker`, in a program that was built without fleets.

use std::process::ExitCode;

use windlass_app::AppError;

use crate::args::WorkerArgs;

/// Says so.
pub fn run(_: &WorkerArgs) -> Result<ExitCode, AppError> {
    Err(AppError::usage("this windlass was built without fleets")
        .hint("A program with them: cargo install --path crates/windlass"))
}
