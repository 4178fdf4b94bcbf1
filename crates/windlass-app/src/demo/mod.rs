//! `demo`: the whole loop in a scratch repository, without any account.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::values::{Check, CheckKind};
use windlass_git::git;

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::fleet::FleetUse;
use crate::here::Here;
use crate::principles::RunPrinciples;
use crate::run::assignment::Assignment;
use crate::run::launch;
use crate::run::{Goal, Prepared, RunEnd};
use crate::trusting::TrustAnswers;

/// What the scripted agent does in the demo.
pub const SCRIPT: &str = include_str!("script.toml");

/// The goal.
const GOAL: &str = include_str!("goal.md");

/// The command that decides whether a claim counts.
const GATE: &str = "sh test.sh";

/// The project's files: name and content. They are committed before the run begins.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("greet.sh", include_str!("project/greet.sh")),
    ("test.sh", include_str!("project/test.sh")),
];

impl App {
    /// Makes a scratch project in a folder, and has the scripted agent work in it. It decides for itself: no configuration file
    /// and no variable changes what it shows.
    pub fn demo(&self, folder: PathBuf, settings: Layer) -> Result<RunEnd, AppError> {
        let prepared = prepared(folder, settings)?;
        write_project(&prepared.directory)?;
        launch::start(&Here::at(self, prepared.directory.clone())?, &prepared)
    }
}

/// A new folder for the demo. It stays, so that people can look at it.
pub fn scratch() -> Result<PathBuf, AppError> {
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

fn prepared(directory: PathBuf, settings: Layer) -> Result<Prepared, AppError> {
    let mut resolved = Resolved::merge(&[settings], Mode::Goal, Unlimited::Refused)?;
    resolved.checks.push(Check::new(CheckKind::Gate, GATE.to_owned(), Duration::from_mins(1)));
    // A shell script that the gate starts counts as the gate's own; here it is what is worked on.
    resolved.guard.protected.push("!greet.sh".to_owned());
    resolved.clocks.delay = Duration::from_millis(300);
    Ok(Prepared {
        assignment: Assignment::of_goal(Goal { text: GOAL.to_owned(), file: None }, &directory),
        directory,
        configuration: Configuration { resolved, files: Vec::new(), notices: Vec::new() },
        mock: Some("builtin:demo".to_owned()),
        skip_permissions: false,
        part_of: None,
        allow_dirty: false,
        fleet: FleetUse::AsConfigured,
        trust: TrustAnswers::default(),
        principles: RunPrinciples::None,
        gate_later: false,
    })
}

fn trouble(what: &str, error: &io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot {what}: {error}"))
}
