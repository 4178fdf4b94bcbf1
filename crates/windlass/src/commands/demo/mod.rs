//! `demo`: the whole loop in a scratch repository, without any account.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::configuration::Configuration;
use windlass_app::run::assignment::Assignment;
use windlass_app::run::{Goal, Prepared};
use windlass_app::trusting::TrustAnswers;
use windlass_app::{App, AppError, Kind};
use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::values::{Check, CheckKind, RunId};
use windlass_git::git;

use super::terminal::TerminalFront;
use super::{flags, print};
use crate::args::DemoArgs;

/// What the scripted agent does in the demo.
pub const SCRIPT: &str = include_str!("script.toml");

/// The goal.
pub const GOAL: &str = include_str!("goal.md");

/// The command that decides whether a claim counts.
pub const GATE: &str = "sh test.sh";

/// The project's files: name and content. They are committed before the run begins.
pub const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("greet.sh", include_str!("project/greet.sh")),
    ("test.sh", include_str!("project/test.sh")),
];

/// Does it.
pub fn run(args: &DemoArgs) -> Result<ExitCode, AppError> {
    let directory = scratch()?;
    write_project(&directory)?;
    let app = App::here(Arc::new(TerminalFront::new(args.output.json)))?;
    let end = app.start_prepared(&prepared(&directory, args)?)?;
    if !args.output.json && !args.output.quiet {
        print(&farewell(&end.run, &directory.display().to_string()))?;
    }
    Ok(ExitCode::from(end.exit_code))
}

/// Where it all is, and what can be typed here.
fn farewell(run: &RunId, directory: &str) -> String {
    format!(
        "\nAll of it is in {directory}, where the commands above work.\n  \
         see all it did   windlass -C {directory} logs -v\n  \
         undo its work    windlass -C {directory} restore {run} 1 --before\n"
    )
}

/// A new folder that stays, so that people can look at it.
fn scratch() -> Result<PathBuf, AppError> {
    let folder = tempfile::Builder::new().prefix("windlass-demo-").tempdir_in(env::temp_dir());
    let folder = folder.map_err(|error| trouble("create a folder for the demo", &error))?.keep();
    folder.canonicalize().map_err(|error| trouble("find the demo's folder", &error))
}

fn write_project(directory: &Path) -> Result<(), AppError> {
    for (name, content) in PROJECT {
        fs::write(directory.join(name), content)
            .map_err(|error| trouble("write the demo's project", &error))?;
    }
    git::create_with_everything(directory, "A greeting with a failing test")
        .map_err(|error| AppError::new(Kind::System, format!("the demo needs git: {error}")))
}

/// The demo decides for itself: no configuration file and no variable changes what it shows.
fn prepared(directory: &Path, args: &DemoArgs) -> Result<Prepared, AppError> {
    let output: Layer = flags::output(&args.output)?;
    let mut resolved = Resolved::merge(&[output], Mode::Goal, Unlimited::Refused)?;
    resolved.checks.push(Check {
        kind: CheckKind::Gate,
        command: GATE.to_owned(),
        timeout: std::time::Duration::from_mins(1),
    });
    // A shell script that the gate starts counts as the gate's own; here it is what is worked on.
    resolved.guard.protected.push("!greet.sh".to_owned());
    resolved.clocks.delay = std::time::Duration::from_millis(300);
    Ok(Prepared {
        directory: directory.to_owned(),
        assignment: Assignment::of_goal(Goal { text: GOAL.to_owned(), file: None }, directory),
        configuration: Configuration { resolved, files: Vec::new(), notices: Vec::new() },
        mock: Some("builtin:demo".to_owned()),
        skip_permissions: false,
        allow_dirty: false,
        trust: TrustAnswers::default(),
        gate_later: false,
    })
}

fn trouble(what: &str, error: &std::io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot {what}: {error}"))
}
