//! `fleet`, in a program that was built without fleets.

use windlass_app::AppError;

use crate::args::FleetArgs;

/// Says so.
pub fn run(_: &FleetArgs) -> Result<(), AppError> {
    Err(AppError::usage("this windlass was built without fleets")
        .hint("Lanes on this machine need none: windlass run --mode tasks -j 4")
        .hint("A program with them: cargo install --path crates/windlass"))
}
