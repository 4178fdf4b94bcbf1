//! Starting runs and going on with them.

mod apart;
pub(crate) mod assignment;
mod broken;
pub(crate) mod budget;
pub(crate) mod criteria;
pub(crate) mod delivery;
mod finished;
mod gates;
mod goal;
pub(crate) mod going_on;
mod held;
mod impossible;
pub(crate) mod launch;
mod lent;
mod links_out;
mod log;
mod lost_workspace;
mod meanwhile;
mod moved;
mod parts;
mod prepared;
mod recorded;
pub(crate) mod rehearsal;
pub(crate) mod request;
pub(crate) mod resume;
mod retention;
mod same_job;
mod sandbox_notices;
mod settling;
mod started_apart;
mod state_inside;
pub(crate) mod tasks;
mod typed;
pub(crate) mod uncommitted;
pub(crate) mod verdict;
pub(crate) mod whole_pipeline;
mod work;

use std::cell::LazyCell;

use windlass_core::values::Extent;
use windlass_engine::store::{RunSummary, index};
pub use windlass_engine::supervisor::OpenWait;

pub use self::apart::{Raisable, ResumeApart};
pub use self::goal::Goal;
pub(crate) use self::prepared::Prepared;
pub use self::prepared::refuse_root_without_sandbox;
pub use self::rehearsal::Rehearsal;
use self::request::said_codes;
pub use self::request::{NamedTasks, ResumeRun, RunEnd, StartRun, Verified, WantedJob, WantedPhase};
pub(crate) use self::settling::settle_all;
pub use self::started_apart::{ApartRun, Begun, announce};
pub use self::work::{Work, with_works};
pub(crate) use self::work::{broken_records, has_records, unreadable};
use crate::app::App;
use crate::beginning;
use crate::error::AppError;
use crate::front_end::{Question, Reply};
use crate::here::Here;
use crate::inspect::which;
use crate::worktree;

impl App {
    /// Starts a run and sees it to its end.
    pub fn start(&self, request: &StartRun) -> Result<RunEnd, AppError> {
        let started = if request.worktree.is_some() {
            worktree::run_in(self, request)
        } else {
            start_here(self, request)
        };
        started.map_err(|error| error.with_codes(request.exit_codes()))
    }

    /// Goes on with a run and sees it to its end.
    pub fn resume(&self, request: &ResumeRun) -> Result<RunEnd, AppError> {
        resume::resume(self, request).map_err(|error| error.with_codes(said_codes(&request.settings)))
    }

    /// What starting a run would do. Nothing is touched: neither the project nor the state folder, and the agent is not
    /// even asked for its version.
    pub fn rehearse(&self, request: &StartRun) -> Result<Rehearsal, AppError> {
        let rehearsed = if request.worktree.is_some() {
            worktree::rehearse(self, request)
        } else {
            rehearse_here(self, request)
        };
        rehearsed.map_err(|error| error.with_codes(request.exit_codes()))
    }
}

fn start_here(app: &App, request: &StartRun) -> Result<RunEnd, AppError> {
    let prepared = read_settled(app, request)?;
    begin(&Here::at(app, prepared.directory.clone())?, prepared, request)
}

fn rehearse_here(app: &App, request: &StartRun) -> Result<Rehearsal, AppError> {
    let prepared = Prepared::read(app, request, Extent::Look)?;
    rehearsal::rehearse(&Here::at(app, prepared.directory.clone())?, &prepared)
}

/// All that the request and the files say about a run that is about to start; of files that an interrupted attempt has left, once that
/// is settled.
pub(crate) fn read_settled(app: &App, request: &StartRun) -> Result<Prepared, AppError> {
    let read = Prepared::read(app, request, Extent::Act);
    let directory = read.as_ref().map_or(app.directory(), |prepared| prepared.directory.as_path());
    let Ok(here) = Here::at(app, directory.to_owned()) else { return read };
    if settling::cut_off(&here)?.is_empty() {
        return read;
    }
    if !request.fresh
        && let Ok(prepared) = &read
        && unfinished(&here, prepared)?.is_some()
    {
        // It is offered to go on with that, and whoever does so settles it.
        return read;
    }
    let codes = read.as_ref().map(|prepared| prepared.configuration.resolved.exit_codes).unwrap_or_default();
    settle_all(&here, codes)?;
    Prepared::read(app, request, Extent::Act)
}

/// Begins a run from a request that is not only looked at.
pub(crate) fn begin(here: &Here, mut prepared: Prepared, request: &StartRun) -> Result<RunEnd, AppError> {
    if !request.fresh
        && let Some(run) = unfinished(here, &prepared)?
    {
        return offer(here, &run, request);
    }
    if !request.fresh {
        finished::believe_what_a_run_finished(here, &mut prepared)?;
    }
    prepared.allow_dirty |= worktree::holds_copies_alone(here, &prepared)?;
    let begun = if request.git_init { begin_repository(here, &mut prepared)? } else { None };
    launch::start(begun.as_ref().unwrap_or(here), &prepared)
}

/// What is there once there is a repository.
fn begin_repository(here: &Here, prepared: &mut Prepared) -> Result<Option<Here>, AppError> {
    let begun = beginning::begin(&prepared.directory, &prepared.configuration.resolved)?;
    match begun {
        // Said at once: what was left out may keep the run from beginning.
        Some(begun) if !begun.left_out.is_empty() => here.app.notice(&beginning::sentence(&begun)),
        begun => prepared.configuration.notices.extend(begun.map(|begun| beginning::sentence(&begun))),
    }
    Here::at(&here.app, prepared.directory.clone()).map(Some)
}

/// The run of this job here that could simply go on: it is not begun anew by accident.
fn unfinished(here: &Here, prepared: &Prepared) -> Result<Option<RunSummary>, AppError> {
    if which::live(here)?.is_some() {
        // The lock will say who works here.
        return Ok(None);
    }
    let listing = index::list(&here.project)?;
    // A task file is read for it: only where a run is there that could be one of its.
    let job = LazyCell::new(|| prepared.assignment.same_job(here, &prepared.configuration.resolved));
    let same_job = |run: &&RunSummary| {
        run.directory == here.directory && going_on::holds_its_job(run) && job.includes(run, &here.project)
    };
    Ok(listing.iter().find(same_job).cloned())
}

/// Goes on with it, where somebody says so.
fn offer(here: &Here, run: &RunSummary, request: &StartRun) -> Result<RunEnd, AppError> {
    let (state, id) = (which::state(run, &[]), &run.run);
    if here.app.front_end().ask(&Question::GoOn { run: id, state })? == Reply::Yes {
        return here.app.resume(&ResumeRun {
            run: Some(id.to_string()),
            settings: request.settings.clone(),
            unlimited: request.unlimited,
            accept_findings: false,
            wait: OpenWait::default(),
            asked: None,
            trust: request.trust.clone(),
        });
    }
    Err(AppError::usage(format!("there is an unfinished run of this job here: {id} ({})", state.name()))
        .hint(format!("Go on with it: windlass resume {id}"))
        .hint("Start anew: the same command with --fresh"))
}
