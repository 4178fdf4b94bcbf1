//! Ending a run after its current iteration.

use std::thread;
use std::time::{Duration, Instant};

use windlass_core::fact::Fact;
use windlass_core::values::{RunId, StopSource};
use windlass_engine::store::lock::{self, Holder};
use windlass_engine::store::pipelines;
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::{RunFolder, index};

use crate::app::App;
use crate::asked::{length, wait_for};
use crate::error::{AppError, Kind};
use crate::fleet;
use crate::here::Here;
use crate::inspect::which;
use crate::run::going_on::is_open;

/// So long it may take from one run of a pipeline to the next.
const BETWEEN: Duration = Duration::from_secs(20);

const LOOK: Duration = Duration::from_millis(20);

/// A run that was asked to stop.
pub struct Stopping {
    /// The run.
    pub run: RunId,
    /// Its process; `None` where it cannot be seen from here.
    pub process: Option<u32>,
    /// It had been asked before.
    pub asked_before: bool,
}

impl App {
    /// Asks a run to stop: the iteration under way ends first, and its result is kept. `None` = the one that works here.
    pub fn stop(&self, run: Option<&str>) -> Result<Stopping, AppError> {
        self.stop_for(run, StopSource::Command)
    }

    /// The same for another front end, which the run says that it was.
    pub fn stop_for(&self, run: Option<&str>, by: StopSource) -> Result<Stopping, AppError> {
        let here = Here::find_broken(self)?;
        let holder = at_work(&here, run, "there is nothing to stop")
            .or_else(|none| next_of_pipeline(&here, none, run))?;
        let folder = RunFolder::of(&here.project, &holder.run);
        let asked_before = folder.stop_requested();
        folder.request_stop(by)?;
        let process = Some(holder.pid).filter(|_| !holder.is_out_of_sight());
        Ok(Stopping { run: holder.run, process, asked_before })
    }

    /// Ends a run's agent now for another front end, which the run says that it was.
    pub fn terminate_for(&self, run: &RunId, by: StopSource) -> Result<(), AppError> {
        let here = Here::find_broken(self)?;
        let journal = RunFolder::of(&here.project, run).journal();
        let before = length(&journal);
        self.stop_for(Some(&run.0), by)?;
        // One that hears nothing is ended all the same.
        wait_for(&journal, before, |fact| matches!(fact, Fact::StopRequested { .. }));
        self.terminate(run)
    }

    /// Ends a run's agent now, as SIGTERM to the run does; what it did is kept.
    pub fn terminate(&self, run: &RunId) -> Result<(), AppError> {
        let here = Here::find_broken(self)?;
        let holder = at_work(&here, Some(&run.0), "there is nothing to stop")?;
        holder.terminate().map_err(|error| {
            let process = holder.process_in_words();
            let failed = AppError::new(Kind::System, format!("cannot end run {run} ({process}): {error}"));
            if holder.is_out_of_sight() {
                failed.hint("It ends after its iteration; end it sooner where it was started.")
            } else {
                failed.hint(format!("End it: kill {}", holder.pid))
            }
        })
    }
}

/// The run that is about to begin, where those of a pipeline follow each other: it takes the request, and is the last one.
fn next_of_pipeline(here: &Here, none: AppError, run: Option<&str>) -> Result<Holder, AppError> {
    let deadline = Instant::now() + BETWEEN;
    while run.is_none() && pipelines::is_any_at_work(&here.project)? && Instant::now() < deadline {
        thread::sleep(LOOK);
        if let Some(holder) = which::live(here)? {
            return Ok(holder);
        }
    }
    Err(none)
}

/// The process of the run of this name, or of the one that works here; `otherwise` says what comes of it that there is none.
pub(crate) fn at_work(here: &Here, run: Option<&str>, otherwise: &str) -> Result<Holder, AppError> {
    match run {
        Some(text) => named(here, text, otherwise),
        None => match which::live(here)? {
            Some(holder) => Ok(holder),
            None => only_one(here, otherwise),
        },
    }
}

/// The only run of the project that works now: from a subdirectory, or in a worktree.
fn only_one(here: &Here, otherwise: &str) -> Result<Holder, AppError> {
    let refused = || AppError::usage(format!("no run is running here: {otherwise}"));
    let mut live = which::live_holders(here)?;
    match live.pop() {
        None => Err(refused().hint("All runs: windlass runs")),
        Some(holder) if live.is_empty() => {
            which::works_elsewhere(here, &holder.run, &holder.directory);
            Ok(holder)
        }
        Some(last) => {
            live.push(last);
            let named =
                live.iter().map(|holder| format!("{} works in {}", holder.run, holder.directory.display()));
            Err(named.fold(refused(), AppError::hint).hint("Name the one that is meant."))
        }
    }
}

fn named(here: &Here, text: &str, otherwise: &str) -> Result<Holder, AppError> {
    let run = find_run(&here.project, text)?;
    let holders = lock::holders(&here.project)?;
    let holder = holders.into_iter().find(|holder| holder.run == run && holder.is_alive());
    holder.ok_or_else(|| not_running(here, &run, otherwise))
}

fn not_running(here: &Here, run: &RunId, otherwise: &str) -> AppError {
    let folder = RunFolder::of(&here.project, run);
    let error = AppError::usage(format!("run {run} is not running: {otherwise}"));
    match index::summarize(&folder) {
        Ok(summary) if is_open(&summary) && fleet::is_copy(&folder) => AppError::usage(format!(
            "run {run} is not driven on this machine, and takes requests where it is"
        ))
        .hint("Who drives it: windlass fleet status")
        .hint(format!("Once nobody does, it can go on here: windlass resume {run}")),
        Ok(summary) if is_open(&summary) => error.hint(format!("It can go on: windlass resume {run}")),
        _ => error.hint(format!("How it ended: windlass status {run}")),
    }
}
