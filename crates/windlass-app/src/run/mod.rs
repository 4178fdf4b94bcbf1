//! Starting runs and going on with them.

pub(crate) mod assignment;
mod broken;
mod budget;
pub(crate) mod criteria;
pub(crate) mod delivery;
mod gates;
mod goal;
pub(crate) mod launch;
mod links_out;
mod log;
mod parts;
pub(crate) mod rehearsal;
mod request;
pub(crate) mod resume;
mod retention;
mod sandbox_notices;
pub(crate) mod tasks;
pub(crate) mod uncommitted;
pub(crate) mod verdict;
mod work;

use std::env;
use std::path::PathBuf;

use windlass_core::spec::{Mode, SandboxKind};
use windlass_core::values::{Extent, StopReason};
use windlass_engine::store::{RunSummary, index};
use windlass_engine::workspace::Workspace;
use windlass_jobs::job;

use self::assignment::Assignment;
pub use self::goal::Goal;
pub use self::rehearsal::Rehearsal;
use self::request::said_codes;
pub use self::request::{NamedTasks, ResumeRun, RunEnd, StartRun, Verified, WantedJob, WantedPhase};
pub use self::work::{Work, with_works};
pub(crate) use self::work::{has_records, unreadable};
use crate::agent;
use crate::app::App;
use crate::beginning;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::front_end::{Answer, Question};
use crate::here::Here;
use crate::inspect::which;
use crate::passthrough;
use crate::principles::RunPrinciples;
use crate::trusting::TrustAnswers;
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
    let prepared = Prepared::read(app, request, Extent::Act)?;
    begin(&Here::at(app, prepared.directory.clone())?, prepared, request)
}

fn rehearse_here(app: &App, request: &StartRun) -> Result<Rehearsal, AppError> {
    let prepared = Prepared::read(app, request, Extent::Look)?;
    rehearsal::rehearse(&Here::at(app, prepared.directory.clone())?, &prepared)
}

/// All that the request, the environment and the files say about a run that is about to start.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The working directory: canonical.
    pub directory: PathBuf,
    /// What is to be done.
    pub assignment: Assignment,
    /// By which principles its agents decide.
    pub principles: RunPrinciples,
    /// The resolved configuration, and the files it was read from.
    pub configuration: Configuration,
    /// The scripted agent's script instead of a real agent: a built-in's name or an absolute path.
    pub mock: Option<String>,
    /// The agent may do anything without asking: that was said, or it is locked in.
    pub skip_permissions: bool,
    /// Begin although there are uncommitted changes.
    pub allow_dirty: bool,
    /// The pipeline whose limits it shares.
    pub part_of: Option<String>,
    /// What is said of trust.
    pub trust: TrustAnswers,
    /// Begin although a check cannot pass yet.
    pub gate_later: bool,
}

impl Prepared {
    /// Reads all of it.
    pub fn read(app: &App, request: &StartRun, extent: Extent) -> Result<Prepared, AppError> {
        let mut assignment = Assignment::read(app, request, extent)?;
        let directory = assignment.directory.clone();
        let folder = assignment.workspace.as_ref().map(Workspace::folder);
        let (settings, mode) = (request.settings.clone(), assignment.mode);
        let configuration = Configuration::load(&directory, folder, mode, settings, request.unlimited)?;
        assignment.read_issues(app, &configuration.resolved)?;
        assignment.require_plan(&configuration.resolved.plan, configuration.resolved.exit_codes)?;
        assignment.require_tasks(&configuration.resolved.tasks, configuration.resolved.exit_codes)?;
        let wanted = &configuration.resolved.principles;
        let principles = RunPrinciples::find(&directory, mode, wanted, request.principles)?;
        let agent = agent::chosen(&configuration.resolved, request.script.as_deref());
        passthrough::refuse_owned(agent, &configuration.resolved.agent.arguments)?;
        let mock = request.script.as_deref().map(|script| playing_along(script, mode));
        let sandbox = &configuration.resolved.sandbox;
        let locked_in = sandbox.kind != SandboxKind::None;
        if request.skip_permissions && !locked_in && mock.is_none() {
            refuse_root_without_sandbox()?;
        }
        let skip_permissions = request.skip_permissions || (locked_in && sandbox.skips_permissions);
        Ok(Prepared {
            directory,
            assignment,
            principles,
            configuration,
            mock,
            skip_permissions,
            allow_dirty: request.allow_dirty,
            part_of: request.part_of.clone(),
            trust: request.trust.clone(),
            gate_later: request.gate_later,
        })
    }
}

/// Begins a run from a request that is not only looked at.
pub(crate) fn begin(here: &Here, mut prepared: Prepared, request: &StartRun) -> Result<RunEnd, AppError> {
    if !request.fresh
        && let Some(run) = unfinished(here, &prepared.assignment)?
    {
        return offer(here, &run, request);
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
fn unfinished(here: &Here, assignment: &Assignment) -> Result<Option<RunSummary>, AppError> {
    if which::live(here)?.is_some() {
        // The lock will say who works here.
        return Ok(None);
    }
    let listing = index::list(&here.project)?;
    // What is parked is tried again by a new run alone.
    let is_blocked =
        |run: &RunSummary| run.ending.is_some_and(|ending| ending.stop_reason == StopReason::Blocked);
    let is_open = |run: &RunSummary| resume::is_open(run) && !is_blocked(run);
    let same_job = |run: &&RunSummary| {
        run.directory == here.directory
            && is_open(run)
            && resume::has_begun(run)
            && assignment.is_same(run, &here.project)
    };
    Ok(listing.runs.iter().find(same_job).cloned())
}

/// Goes on with it, where somebody says so.
fn offer(here: &Here, run: &RunSummary, request: &StartRun) -> Result<RunEnd, AppError> {
    let (state, id) = (which::state(run, &[]), &run.run);
    if here.app.front_end().ask(&Question::GoOn { run: id, state })? == Answer::Yes {
        return here.app.resume(&ResumeRun {
            run: Some(id.to_string()),
            settings: request.settings.clone(),
            unlimited: request.unlimited,
            accept_findings: false,
            trust: request.trust.clone(),
        });
    }
    Err(AppError::usage(format!("there is an unfinished run of this job here: {id} ({})", state.name()))
        .hint(format!("Go on with it: windlass resume {id}"))
        .hint("Start anew: the same command with --fresh"))
}

/// What stands for no script plays along with the mode.
fn playing_along(script: &str, mode: Mode) -> String {
    if script == "builtin:default" { job::of(mode).script } else { script }.to_owned()
}

/// Agents refuse this too, but only once they run, and in words that do not say what to do.
pub fn refuse_root_without_sandbox() -> Result<(), AppError> {
    let says_sandbox = env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    if !rustix::process::geteuid().is_root() || says_sandbox {
        return Ok(());
    }
    Err(AppError::usage("`--dangerously-skip-permissions` is refused for root outside a sandbox")
        .hint("Run as an ordinary user, or without the flag: permissions.allow lists what the agent may do.")
        .hint("In a container or a virtual machine that may be lost, set IS_SANDBOX=1."))
}
