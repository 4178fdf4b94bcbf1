//! `runs`: lists all runs.

use std::process::ExitCode;

use jiff::Timestamp;
use windlass_core::values::{Cost, RunId};
use windlass_engine::store::RunSummary;
use windlass_engine::store::index::{self, Listing};
use windlass_ui::{RunRow, RunState, runs_json, runs_table};

use super::{print, print_bytes, stdout, warn};
use crate::args::RunsArgs;
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::here::Here;
use windlass_app::which;

/// Unreadable runs that are named; the others are counted.
const NAMED: usize = 5;

/// Does it.
pub fn run(args: &RunsArgs) -> Result<ExitCode, AppError> {
    let here = Here::find_broken(&app()?)?;
    let listing = index::list(&here.project)?;
    let live = which::all_live(&here)?;
    let rows: Vec<RunRow> = listing.runs.iter().map(|run| row(run, &live)).collect();
    if args.json {
        print_bytes(&runs_json(&rows))?;
    } else {
        print(&runs_table(&rows, Timestamp::now(), &stdout()))?;
    }
    complain(&listing, &live);
    Ok(ExitCode::SUCCESS)
}

/// A run as a row of a list.
pub fn row(run: &RunSummary, live: &[RunId]) -> RunRow {
    let state = which::state(run, live);
    // What is reserved for a call under way is not spent; of one that was cut off nobody knows.
    let (cost, estimated_cost) = match state {
        RunState::Running => (run.cost.minus(run.reserved), run.estimated_cost),
        _ => (run.cost, run.estimated_cost + run.reserved),
    };
    RunRow {
        run: run.run.clone(),
        title: run.title.clone(),
        directory: run.directory.to_string_lossy().into_owned(),
        mode: run.mode,
        workspace: run.workspace.as_ref().map(|workspace| workspace.name.clone()),
        items: run.items,
        started: run.started,
        iterations: run.iterations,
        cost,
        estimated: run.estimated || estimated_cost > Cost::ZERO,
        estimated_cost,
        state,
    }
}

/// A run without a fact began just now, or never: that is nothing to complain of.
fn complain(listing: &Listing, live: &[RunId]) {
    let unreadable: Vec<_> = listing
        .unreadable
        .iter()
        .filter(|(run, error)| !(error.is_nothing_yet() || live.contains(run)))
        .collect();
    for (run, error) in unreadable.iter().take(NAMED) {
        warn(&format!("run {run} is left out: {error}"));
    }
    if unreadable.len() > NAMED {
        warn(&format!("{} more runs cannot be read", unreadable.len() - NAMED));
    }
}
