//! `runs`: lists all runs.

use std::process::ExitCode;

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_ui::{runs_json, runs_table};

use super::{app, print, print_bytes, stdout, warn};
use crate::args::RunsArgs;

/// Unreadable runs that are named; the others are counted.
const NAMED: usize = 5;

/// Does it.
pub fn run(args: &RunsArgs) -> Result<ExitCode, AppError> {
    let runs = app()?.runs()?;
    if args.json {
        print_bytes(&runs_json(&runs.rows))?;
    } else {
        print(&runs_table(&runs.rows, Timestamp::now(), &stdout()))?;
    }
    for (run, error) in runs.unreadable.iter().take(NAMED) {
        warn(&format!("run {run} is left out: {error}"));
    }
    if runs.unreadable.len() > NAMED {
        warn(&format!("{} more runs cannot be read", runs.unreadable.len() - NAMED));
    }
    Ok(ExitCode::SUCCESS)
}
