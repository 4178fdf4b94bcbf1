//! `run`, `plan`, `build`: a job from prompt to proof.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use windlass_core::values::Named;

use windlass_app::fleet::FleetUse;
use windlass_app::import::mode_of_fresher;
use windlass_app::principles::KeptPrinciples;
use windlass_app::run::{RunEnd, StartRun, WantedJob};
use windlass_app::{App, AppError, Reply};
use windlass_core::config::Unlimited;
use windlass_core::spec::Mode;
use windlass_ui::{Line, Mark, Tone};

use super::question;
use super::terminal::{TerminalFront, has_terminal};
use super::{Shape, dry_run, flags, from_here, print_lines, run_apart, wanted, watch, worktree};
use crate::args::{LimitArgs, RunArgs, WorkArgs};

/// Runs it to its end; the exit code says how it ended.
pub fn run(args: &RunArgs) -> Result<ExitCode, AppError> {
    let args = &with_kept_work(&with_mode_of_fresher(args))?;
    if args.work.watch && args.work.apart.is_none() && watch::can_be_drawn() {
        return watch::run_and_watch();
    }
    let request = request(args)?;
    let terminal = Arc::new(TerminalFront::new(args.work.output.json));
    let app = App::here(terminal.clone())?;
    if let Some(file) = &args.work.apart {
        return run_apart::run(&request, file);
    }
    if args.work.dry_run {
        dry_run::show(&app.rehearse(&request)?, Shape::of(args.work.output.json))?;
        return Ok(ExitCode::SUCCESS);
    }
    let end = app.start(&request)?;
    Ok(told(&app, &terminal, &end))
}

/// Where nothing is named, `FRESHER_MODE` says the mode, as it did.
fn with_mode_of_fresher(args: &RunArgs) -> RunArgs {
    let is_named = args.mode.is_some()
        || args.prompt.is_some()
        || args.file.is_some()
        || args.source.is_some()
        || args.feature.is_some()
        || args.issues.given().is_some();
    let mode = mode_of_fresher().filter(|_| !is_named).map(|mode| mode.name().to_owned());
    RunArgs { mode: mode.or_else(|| args.mode.clone()), ..args.clone() }
}

/// Where nothing is named and nothing lies in the usual places, a person at the terminal is asked whether the only work that was
/// found is meant. Nobody else is: paid work begins with what was named.
fn with_kept_work(args: &RunArgs) -> Result<RunArgs, AppError> {
    let mode = args.mode.as_deref().unwrap_or_default();
    let is_named = args.file.is_some() || args.feature.is_some() || args.issues.given().is_some();
    let is_open = !is_named && matches!(mode, "build" | "tasks");
    if !is_open || args.work.dry_run || args.work.output.json || !has_terminal() {
        return Ok(args.clone());
    }
    let app = super::app()?;
    let [work] =
        <[_; 1]>::try_from(app.work_to_ask_for(mode)?).map_or_else(|_| [None], |[work]| [Some(work)]);
    let Some(work) = work else { return Ok(args.clone()) };
    let asked = format!("{} holds {}. Work through it?", work.place, work.holds);
    if question::ask(&asked, &work.command())? != Reply::Yes {
        return Ok(args.clone());
    }
    let mode = Some(work.mode.name().to_owned());
    Ok(RunArgs { mode, file: Some(PathBuf::from(work.place)), ..args.clone() })
}

/// The same for a mode that is a verb of its own.
pub fn in_mode(mode: Mode, file: Option<&PathBuf>, work: &WorkArgs) -> Result<ExitCode, AppError> {
    let mode = Some(mode.name().to_owned());
    run(&RunArgs { mode, file: file.cloned(), work: work.clone(), ..RunArgs::default() })
}

/// What the command line asks for.
fn request(args: &RunArgs) -> Result<StartRun, AppError> {
    Ok(StartRun {
        settings: flags::run(args)?,
        principles: if args.reset_principles { KeptPrinciples::PutAside } else { KeptPrinciples::AsTheyAre },
        fresh: args.work.fresh,
        worktree: args.work.worktree.clone(),
        ..start(&args.work, wanted::job(args)?)?
    })
}

/// The start of a job, with what any work may be told beside its settings.
pub fn start(work: &WorkArgs, job: WantedJob) -> Result<StartRun, AppError> {
    Ok(StartRun {
        unlimited: unlimited(&work.limits),
        script: work.mock.as_deref().map(wanted::script).transpose()?,
        skip_permissions: work.dangerously_skip_permissions,
        allow_dirty: work.allow_dirty,
        gate_later: work.gate_later,
        git_init: work.git_init,
        fleet: if work.fleet { FleetUse::Required } else { FleetUse::AsConfigured },
        trust: (&work.trust).into(),
        ..StartRun::of(job)
    })
}

/// What `--unlimited` means to the configuration.
pub const fn unlimited(limits: &LimitArgs) -> Unlimited {
    if limits.unlimited { Unlimited::Allowed } else { Unlimited::Refused }
}

/// What is said after a run beyond what its view has shown. Where standard output is closed nobody is there to be told.
pub fn told(app: &App, terminal: &TerminalFront, end: &RunEnd) -> ExitCode {
    if terminal.reads_sentences() {
        if let Some(verified) = &end.verification {
            let (tone, mark) =
                if verified.passes { (Tone::Good, Mark::Passed) } else { (Tone::Warn, Mark::Notice) };
            let said = format!(" verification report: {}", from_here(&verified.report));
            let _ = print_lines(&[Line::new().mark(tone, mark).plain(said)]);
        }
        if end.is_elsewhere(app) {
            worktree::tell_left(app, end);
        }
    }
    ExitCode::from(end.exit_code)
}
