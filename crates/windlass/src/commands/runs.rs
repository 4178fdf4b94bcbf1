//! `runs`: lists all runs.

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_ui::{runs_json, runs_table};

use super::{Shape, app, stdout, warn};
use crate::args::RunsArgs;

/// Unreadable runs that are named; the others are counted.
const NAMED: usize = 5;

/// Does it.
pub fn run(args: &RunsArgs) -> Result<(), AppError> {
    let runs = app()?.runs()?;
    let table = || runs_table(&runs.rows, Timestamp::now(), &stdout());
    Shape::of(args.json).print(|| runs_json(&runs.rows), table)?;
    for (run, error) in runs.unreadable.iter().take(NAMED) {
        warn(&format!("run {run} is left out: {error}"));
    }
    if runs.unreadable.len() > NAMED {
        warn(&format!("{} more runs cannot be read", runs.unreadable.len() - NAMED));
    }
    Ok(())
}
