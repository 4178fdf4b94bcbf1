//! All runs of a project.

use windlass_core::values::{Cost, RunId, Spent};
use windlass_engine::store::{RunSummary, StoreError, index};
use windlass_ui::{RunRow, RunState};

use super::which;
use crate::app::App;
use crate::error::AppError;
use crate::fleet;
use crate::here::Here;

/// The runs of a project.
pub struct Runs {
    /// The newest first.
    pub rows: Vec<RunRow>,
    /// Those that cannot be read, and why. One without a fact began just now, or never: that is nothing to complain of.
    pub unreadable: Vec<(RunId, StoreError)>,
}

impl App {
    /// All runs of this project.
    pub fn runs(&self) -> Result<Runs, AppError> {
        let here = Here::find_broken(self)?;
        fleet::refresh_all(&here);
        let listing = index::list(&here.project)?;
        let live = which::seen_live(&here.project)?;
        let is_wrong = |(run, error): &(RunId, StoreError)| {
            !live.contains(run) && which::is_lost(&here.project, run, error)
        };
        Ok(Runs {
            // Each is given back as its row is made.
            rows: listing.runs.into_iter().map(|run| row(&run, which::state(&run, &live))).collect(),
            unreadable: listing.unreadable.into_iter().filter(is_wrong).collect(),
        })
    }
}

/// A run as a row of a list.
pub fn row(run: &RunSummary, state: RunState) -> RunRow {
    let Spent { cost, estimated } = spent(run, state);
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
        estimated: run.estimated || estimated > Cost::ZERO,
        estimated_cost: estimated,
        state,
    }
}

/// What is reserved for a call under way is not spent; of one that was cut off nobody knows.
pub fn spent(run: &RunSummary, state: RunState) -> Spent {
    match state {
        RunState::Running => Spent { cost: run.cost.minus(run.reserved), estimated: run.estimated_cost },
        _ => Spent { cost: run.cost, estimated: run.estimated_cost + run.reserved },
    }
}
