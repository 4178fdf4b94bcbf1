//! `pipeline`: a goal is planned in phases, and worked off.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::pipeline::{PlanPipeline, WantedPipeline, is_valid};
use windlass_app::run::{Goal, NamedTasks, StartRun, WantedJob};
use windlass_app::{App, AppError};
use windlass_core::spec::PipelinePhase;
use windlass_core::values::{ExitCodes, Named, StopReason};
use windlass_ui::{PipelineShown, pipeline_json, pipeline_text, pipelines_json, pipelines_text};

use super::terminal::TerminalFront;
use super::{Shape, app, dry_run, flags, print, print_bytes, run, stdout, success};
use crate::args::{PipelineArgs, PipelineVerb, WorkArgs};

/// Does it.
pub fn run(args: &PipelineArgs) -> Result<ExitCode, AppError> {
    match &args.verb {
        None => plan(args),
        Some(PipelineVerb::List { json }) => {
            let shown = app()?.pipelines()?;
            Shape::of(*json)
                .print(|| pipelines_json(&shown), || pipelines_text(&shown, &stdout()))
                .map(success)
        }
        Some(PipelineVerb::Show(named)) => {
            show(&app()?.pipeline(&named.id)?, Shape::of(named.json)).map(success)
        }
        Some(PipelineVerb::Validate(named)) => {
            let shown = app()?.pipeline(&named.id)?;
            show(&shown, Shape::of(named.json))?;
            let failed = StopReason::GatesFailing.exit_code(ExitCodes::default());
            Ok(ExitCode::from(if is_valid(&shown) { 0 } else { failed }))
        }
    }
}

fn show(shown: &PipelineShown, shape: Shape) -> Result<(), AppError> {
    shape.print(|| pipeline_json(shown), || pipeline_text(shown, &stdout()))
}

fn plan(args: &PipelineArgs) -> Result<ExitCode, AppError> {
    if args.work.watch {
        return Err(AppError::usage("a pipeline is several runs, and --watch shows one")
            .hint("Leave it out, and look at them from another terminal: windlass watch"));
    }
    let request = request(args)?;
    let terminal = Arc::new(TerminalFront::new(args.work.output.json));
    let app = App::here(terminal)?;
    if args.work.dry_run {
        dry_run::show(&app.rehearse_pipeline(&request)?, Shape::of(args.work.output.json))?;
        return Ok(ExitCode::SUCCESS);
    }
    let end = app.plan_pipeline(&request)?;
    if args.work.output.json {
        print_bytes(&pipeline_json(&end.shown))?;
    } else if !args.work.output.quiet {
        print(&format!("\n{}", pipeline_text(&end.shown, &stdout())))?;
    }
    Ok(ExitCode::from(end.exit_code))
}

/// What the command line asks for.
fn request(args: &PipelineArgs) -> Result<PlanPipeline, AppError> {
    let work = &args.work;
    refuse(work)?;
    // Phases have no checks and no commits, and tasks as many iterations as they need.
    let planning = WorkArgs { gates: Vec::new(), lanes: None, commit: None, ..work.clone() };
    let mut execution = work.clone();
    execution.limits.max_iterations = None;
    let execution = args.run.then(|| start(&execution)).transpose()?;
    let redo_from = args.redo_from.as_deref().map(phase).transpose()?;
    Ok(PlanPipeline { wanted: wanted(args)?, planning: start(&planning)?, execution, redo_from })
}

fn wanted(args: &PipelineArgs) -> Result<WantedPipeline, AppError> {
    if let Some(id) = &args.resume {
        return Ok(WantedPipeline::Known(id.clone()));
    }
    let goal = match (&args.file, args.source.as_deref()) {
        (Some(path), _) => Goal::read(path),
        (None, Some("-")) => Goal::read_from(io::stdin().lock()),
        (None, Some(text)) => Goal::new(text, "the goal", None),
        (None, None) => Err(AppError::usage("there is no goal: say what is to be planned")
            .hint("windlass pipeline 'A command line tool that keeps to-do lists'")
            .hint("windlass pipeline -f FILE")
            .hint("windlass pipeline --resume ID        (all pipelines: windlass pipeline list)")),
    };
    goal.map(WantedPipeline::New)
}

fn phase(name: &str) -> Result<PipelinePhase, AppError> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = PipelinePhase::all().map(|phase| phase.name()).collect();
        AppError::usage(format!("there is no phase `{name}`: {}", names.join(", ")))
    })
}

/// What does not go together with planning.
fn refuse(work: &WorkArgs) -> Result<(), AppError> {
    if !work.until.is_empty() {
        return Err(AppError::usage("a pipeline is done when every task is, and takes no --until")
            .hint("A check that every task has to pass is a gate: --gate CMD"));
    }
    if work.worktree.is_some() {
        return Err(AppError::usage("a pipeline is planned where its files are, and takes no --worktree")
            .hint("Plan first and commit the documents, then: windlass run --mode tasks -f FILE --worktree NAME"));
    }
    Ok(())
}

fn start(work: &WorkArgs) -> Result<StartRun, AppError> {
    let tasks = WantedJob::Tasks(NamedTasks::default());
    Ok(StartRun { settings: flags::work(work)?, ..run::start(work, tasks)? })
}
