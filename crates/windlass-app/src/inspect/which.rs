//! Which run is meant, and how it stands.

use std::path::Path;

use windlass_core::values::{RunId, StopReason};
use windlass_engine::store::lock::{self, Holder};
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::session_folder::is_session;
use windlass_engine::store::{Project, RunFolder, RunSummary, StoreError, index};
use windlass_ui::RunState;

use super::known::way_to;
use crate::error::{AppError, Codes, Kind};
use crate::fleet::{self, Depth};
use crate::here::Here;

/// The run named; by default the live or newest one of the working directory, and where there has been none in it, the live or newest
/// one of the project, which is said: a run from a subdirectory, or in a worktree, works elsewhere. Of one that is named, and may be
/// driven on another machine, what was decided there is here then.
pub fn shown(here: &Here, named: Option<&str>) -> Result<RunFolder, AppError> {
    shown_to(here, named, Depth::Facts)
}

/// The same with as much as this of what has happened elsewhere.
pub fn shown_to(here: &Here, named: Option<&str>, depth: Depth) -> Result<RunFolder, AppError> {
    if let Some(text) = named {
        return match known(here, text)? {
            Some(folder) => {
                fleet::refresh(here, &folder, depth);
                Ok(folder)
            }
            None => elsewhere(here, text, depth),
        };
    }
    if let Some(own) = of_directory(here)? {
        return Ok(own);
    }
    if let Some(live) = live_elsewhere(here)? {
        return Ok(live);
    }
    let listing = index::list(&here.project)?;
    if let Some(run) = listing.runs.first() {
        works_elsewhere(here, &run.run, &run.directory);
        return Ok(RunFolder::of(&here.project, &run.run));
    }
    Err(none_to_be_found(here)?)
}

/// What is said where no run of the project is known: there was none, or why it cannot be read.
pub fn none_to_be_found(here: &Here) -> Result<AppError, AppError> {
    Ok(unread(here)?.map_or_else(no_run, AppError::from))
}

/// Why one of the project's runs cannot be read: then nobody can say that there was none.
pub fn unread(here: &Here) -> Result<Option<StoreError>, AppError> {
    let unreadable = index::list(&here.project)?.unreadable;
    let lost = unreadable.into_iter().find(|(run, error)| is_lost(&here.project, run, error));
    Ok(lost.map(|(_, error)| error))
}

/// Is there something of a run, and its journal does not say what? Without a fact and without a call it began just now, or never.
pub fn is_lost(project: &Project, run: &RunId, error: &StoreError) -> bool {
    // outside: the run's folder.
    !error.is_nothing_yet() || RunFolder::of(project, run).iterations().exists()
}

/// The live or newest run of the working directory.
pub fn of_directory(here: &Here) -> Result<Option<RunFolder>, AppError> {
    if let Some(holder) = live(here)? {
        return Ok(Some(RunFolder::of(&here.project, &holder.run)));
    }
    let listing = index::list(&here.project)?;
    Ok(listing.newest(&here.directory).map(|run| RunFolder::of(&here.project, &run.run)))
}

/// The run of the project that works now, in whatever directory, the one that began last; which is said.
pub fn live_elsewhere(here: &Here) -> Result<Option<RunFolder>, AppError> {
    let newest = live_holders(here)?.into_iter().max_by_key(|holder| holder.since);
    Ok(newest.map(|holder| {
        works_elsewhere(here, &holder.run, &holder.directory);
        RunFolder::of(&here.project, &holder.run)
    }))
}

/// Says where a run works that was not named.
pub fn works_elsewhere(here: &Here, run: &RunId, directory: &Path) {
    here.app.notice(&format!("there is none in this folder: run {run} works in {}", directory.display()));
}

/// The run named: of this project, as it is known here, else of the configured fleet.
pub fn of_name(here: &Here, text: &str) -> Result<RunFolder, AppError> {
    known(here, text)?.map_or_else(|| elsewhere(here, text, Depth::Facts), Ok)
}

/// The run of this project that is named; `None` where there is none.
fn known(here: &Here, text: &str) -> Result<Option<RunFolder>, AppError> {
    match find_run(&here.project, text) {
        Ok(run) => Ok(Some(RunFolder::of(&here.project, &run))),
        Err(StoreError::NoSuchRun { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The run of the configured fleet that is named.
fn elsewhere(here: &Here, text: &str, depth: Depth) -> Result<RunFolder, AppError> {
    let unknown = || AppError::from(StoreError::NoSuchRun { text: text.to_owned() }).with_hints(way_to(text));
    match fleet::find(here, text, depth) {
        Ok(found) => found.ok_or_else(unknown),
        Err(error) => Err(unknown().hint(format!("The fleet could not be asked for it: {}", error.message))),
    }
}

fn no_run() -> AppError {
    AppError::usage("there has been no run here yet")
        .hint("Start one: windlass run -p \"what is to be done\"")
}

/// The run that works in the working directory now. An interactive session is none.
pub fn live(here: &Here) -> Result<Option<Holder>, AppError> {
    let holder = lock::holder(&here.project, &here.directory)?;
    Ok(holder.filter(|holder| holder.is_alive() && !is_session(&holder.run)))
}

/// What there is to say of a run whose process is not to be found here although it works, since it is in a container, or outside of
/// ours; or is there, and does nothing.
pub fn unusual_process(here: &Here, run: &RunId) -> Result<Option<String>, AppError> {
    let holders = lock::holders(&here.project)?;
    let mut live = holders.into_iter().filter(|holder| holder.run == *run && holder.is_alive());
    Ok(live.find_map(|holder| unusual(&holder)))
}

fn unusual(holder: &Holder) -> Option<String> {
    let Holder { run, pid, .. } = holder;
    if holder.is_out_of_sight() {
        Some(format!("run {run} works {}", holder.process_in_words()))
    } else if holder.is_stopped() {
        Some(format!(
            "run {run} is suspended: its process {pid} does nothing until it goes on (fg, or kill -CONT {pid})"
        ))
    } else {
        None
    }
}

/// The runs of the project that work now, in whatever directory.
pub fn live_holders(here: &Here) -> Result<Vec<Holder>, AppError> {
    let holders = lock::holders(&here.project)?;
    Ok(holders.into_iter().filter(|holder| holder.is_alive() && !is_session(&holder.run)).collect())
}

/// A run that works in the working directory may be about to write what is to be changed.
pub fn refuse_live(here: &Here) -> Result<(), AppError> {
    match lock::holder(&here.project, &here.directory)?.filter(Holder::is_alive) {
        None => Ok(()),
        Some(holder) => {
            let message = format!("{} works in {}", holder_in_words(&holder.run), here.directory.display());
            Err(AppError::new(Kind::Stopped(StopReason::Locked, Codes::AsConfigured), message)
                .hint(format!("End it after its iteration: windlass stop {}", holder.run)))
        }
    }
}

/// The runs of this project that a process works on now.
pub fn all_live(here: &Here) -> Result<Vec<RunId>, AppError> {
    live_of(&here.project)
}

/// The same, and this one where somebody drives it on another machine.
pub fn live_with(here: &Here, folder: &RunFolder) -> Result<Vec<RunId>, AppError> {
    let mut live = all_live(here)?;
    if fleet::is_live(here, folder) {
        live.push(folder.run().clone());
    }
    Ok(live)
}

/// The same by its folder.
pub fn live_of(project: &Project) -> Result<Vec<RunId>, AppError> {
    let holders = lock::holders(project)?;
    Ok(holders.into_iter().filter(Holder::is_alive).map(|holder| holder.run).collect())
}

/// The same, and those that are driven elsewhere and were heard of just now.
pub fn seen_live(project: &Project) -> Result<Vec<RunId>, AppError> {
    let mut live = live_of(project)?;
    live.extend(fleet::heard_alive(project));
    Ok(live)
}

/// How a run stands.
pub fn state(run: &RunSummary, live: &[RunId]) -> RunState {
    match run.ending {
        Some(ending) => RunState::ended(ending.stop_reason, ending.grounds),
        None => unfinished(&run.run, live),
    }
}

/// How a run stands that has not ended.
pub fn unfinished(run: &RunId, live: &[RunId]) -> RunState {
    if live.contains(run) { RunState::Running } else { RunState::Interrupted }
}

pub use windlass_engine::store::session_folder::holder_in_words;
