//! `run`: a goal from prompt to proof.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::spec::{Mode, SandboxKind};
use windlass_core::values::StopReason;
use windlass_engine::store::{RunSummary, index};
use windlass_engine::workspace::Workspace;

use super::assignment::Assignment;
use super::audience::Show;
use super::configuration::Configuration;
use super::conversation::has_terminal;
use super::here::{Here, working_directory};
use super::question::{self, Answer};
use super::{beginning, dry_run, flags, launch, passthrough, resume, warn, which, worktree};
use crate::args::{ResumeArgs, RunArgs, TrustArgs, WorkArgs};
use crate::error::{CliError, Kind};
use crate::scripted_agent::Script;

/// All that the command line, the environment and the files say about a run that is about to start.
#[derive(Debug)]
pub struct Request {
    /// The working directory: canonical.
    pub directory: PathBuf,
    /// What is to be done.
    pub assignment: Assignment,
    /// The resolved configuration, and the files it was read from.
    pub configuration: Configuration,
    /// The scripted agent's script instead of a real agent: a built-in's name or a canonical path; already checked.
    pub mock: Option<String>,
    /// The agent may do anything without asking: `--dangerously-skip-permissions`, or that it is locked in.
    pub skip_permissions: bool,
    /// `--allow-dirty`.
    pub allow_dirty: bool,
    /// What the command line says of trust.
    pub trust: TrustArgs,
    /// Begin although a check cannot pass yet.
    pub gate_later: bool,
}

impl Request {
    /// Reads all of it.
    pub fn read(args: &RunArgs) -> Result<Request, CliError> {
        let flags = flags::run(args)?;
        let unlimited = flags::unlimited(&args.work.limits);
        let from = working_directory()?;
        let assignment = Assignment::read(args, &from)?;
        let directory = assignment.directory.clone();
        let folder = assignment.workspace.as_ref().map(Workspace::folder);
        let configuration = Configuration::load(&directory, folder, assignment.mode, flags, unlimited)?;
        assignment.require_plan(&configuration.resolved.plan, configuration.resolved.exit_codes)?;
        assignment.require_tasks(&configuration.resolved.tasks, configuration.resolved.exit_codes)?;
        passthrough::refuse_owned(&configuration.resolved.agent.arguments)?;
        let mock =
            args.work.mock.as_deref().map(|script| checked_script(script, assignment.mode)).transpose()?;
        let sandbox = &configuration.resolved.sandbox;
        let locked_in = sandbox.kind != SandboxKind::None;
        if args.work.dangerously_skip_permissions && !locked_in && mock.is_none() {
            refuse_root_without_sandbox()?;
        }
        let skip_permissions =
            args.work.dangerously_skip_permissions || (locked_in && sandbox.skips_permissions);
        Ok(Request {
            directory,
            assignment,
            configuration,
            mock,
            skip_permissions,
            allow_dirty: args.work.allow_dirty,
            trust: args.work.trust.clone(),
            gate_later: args.work.gate_later,
        })
    }
}

impl Request {
    /// How much of it is shown.
    pub fn show(&self, args: &RunArgs) -> Show {
        let resolved = &self.configuration.resolved;
        Show::new(resolved.level, resolved.emoji, args.work.output.json)
    }
}

/// Runs it to its end; the exit code says how it ended.
pub fn run(args: &RunArgs) -> Result<ExitCode, CliError> {
    attempt(args).map_err(|error| error.by_flag(args.work.output.exit_codes.as_deref()))
}

fn attempt(args: &RunArgs) -> Result<ExitCode, CliError> {
    if args.work.worktree.is_some() {
        return worktree::run_in(args);
    }
    let request = Request::read(args)?;
    let here = Here::at(request.directory.clone())?;
    if args.work.dry_run {
        dry_run::show(&here, &request)?;
        return Ok(ExitCode::SUCCESS);
    }
    let show = request.show(args);
    begin(&here, request, args, show)
}

/// Begins a run from a request that is not only looked at.
pub fn begin(here: &Here, mut request: Request, args: &RunArgs, show: Show) -> Result<ExitCode, CliError> {
    if !args.work.fresh
        && let Some(run) = unfinished(here, &request.assignment)?
    {
        return offer(&run, args);
    }
    request.allow_dirty |= worktree::holds_copies_alone(here, &request)?;
    let begun = begin_repository(&mut request, args)?;
    launch::start(begun.as_ref().unwrap_or(here), &request, show)
}

/// `--git-init`: what is there then; `None` where nothing was begun.
fn begin_repository(request: &mut Request, args: &RunArgs) -> Result<Option<Here>, CliError> {
    if !args.work.git_init {
        return Ok(None);
    }
    let begun = beginning::begin(&request.directory, &request.configuration.resolved)?;
    match begun {
        // Said at once: what was left out may keep the run from beginning.
        Some(begun) if !begun.left_out.is_empty() => warn(&beginning::sentence(&begun)),
        begun => request.configuration.notices.extend(begun.map(|begun| beginning::sentence(&begun))),
    }
    Here::at(request.directory.clone()).map(Some)
}

/// The same for a mode that is a verb of its own.
pub fn in_mode(mode: Mode, work: &WorkArgs) -> Result<ExitCode, CliError> {
    run(&RunArgs { mode: Some(mode.name().to_owned()), work: work.clone(), ..RunArgs::default() })
}

/// The run of this job here that could simply go on: it is not begun anew by accident.
fn unfinished(here: &Here, assignment: &Assignment) -> Result<Option<RunSummary>, CliError> {
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

/// Goes on with it, where somebody at a terminal says so.
fn offer(run: &RunSummary, args: &RunArgs) -> Result<ExitCode, CliError> {
    let (state, id) = (which::state(run, &[]).name(), &run.run);
    let there = format!("there is an unfinished run of this job here: {id} ({state})");
    if !args.work.output.json && has_terminal() {
        warn(&there);
        let command = format!("windlass resume {id}");
        if question::ask("Go on with it? (No: start anew with --fresh)", &command)? == Answer::Yes {
            return resume::run(&ResumeArgs {
                run: Some(id.to_string()),
                model: args.work.model.clone(),
                delay: args.work.delay.clone(),
                no_delay: args.work.no_delay,
                limits: args.work.limits.clone(),
                trust: args.work.trust.clone(),
                output: args.work.output.clone(),
                accept_findings: false,
            });
        }
    }
    Err(CliError::usage(there)
        .hint(format!("Go on with it: windlass resume {id}"))
        .hint("Start anew: the same command with --fresh"))
}

/// The script's name for a process that may be started elsewhere; a wrong script is refused before anything begins.
fn checked_script(source: &str, mode: Mode) -> Result<String, CliError> {
    // What stands for no script plays along with the mode.
    let of_mode = match mode {
        Mode::Goal => "builtin:default",
        Mode::Plan => "builtin:plan",
        Mode::Build => "builtin:build",
        Mode::Tasks => "builtin:tasks",
        Mode::Loop | Mode::Iterative | Mode::Verify | Mode::Validate => "builtin:workspace",
    };
    script(if source == "builtin:default" { of_mode } else { source })
}

/// The same for a script that was chosen.
pub fn script(source: &str) -> Result<String, CliError> {
    Script::load(source)?;
    if source.starts_with("builtin:") {
        return Ok(source.to_owned());
    }
    // outside: a script that a person named.
    let path = Path::new(source).canonicalize().map_err(|error| {
        CliError::new(Kind::Configuration, format!("cannot read the script {source}: {error}"))
    })?;
    path.into_os_string().into_string().map_err(|path| {
        CliError::new(
            Kind::Configuration,
            format!("the script's path {} is not UTF-8", path.to_string_lossy()),
        )
    })
}

/// Claude Code refuses this too, but only once it runs, and in words that do not say what to do.
pub fn refuse_root_without_sandbox() -> Result<(), CliError> {
    let says_sandbox = env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    if !rustix::process::geteuid().is_root() || says_sandbox {
        return Ok(());
    }
    Err(CliError::usage("`--dangerously-skip-permissions` is refused for root outside a sandbox")
        .hint("Run as an ordinary user, or without the flag: permissions.allow lists what the agent may do.")
        .hint("In a container or a virtual machine that may be lost, set IS_SANDBOX=1."))
}
