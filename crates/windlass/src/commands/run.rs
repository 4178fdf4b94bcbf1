//! `run`: a goal from prompt to proof.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::config::Resolved;

use super::configuration::Configuration;
use super::goal::Goal;
use super::audience::Show;
use super::here::{Here, working_directory};
use super::{flags, launch, passthrough, print};
use crate::args::RunArgs;
use crate::error::{CliError, Kind};
use crate::scripted_agent::Script;

/// All that the command line, the environment and the files say about a run that is about to start.
#[derive(Debug)]
pub struct Request {
    /// The working directory: canonical.
    pub directory: PathBuf,
    /// What is to be done.
    pub goal: Goal,
    /// The resolved configuration, and the files it was read from.
    pub configuration: Configuration,
    /// The scripted agent's script instead of a real agent: a built-in's name or a canonical path; already checked.
    pub mock: Option<String>,
    /// `--dangerously-skip-permissions`.
    pub skip_permissions: bool,
    /// `--allow-dirty`.
    pub allow_dirty: bool,
}

impl Request {
    /// Reads all of it.
    ///
    /// # Errors
    /// Whatever cannot be the beginning of a run; nothing has been touched by then.
    pub fn read(args: &RunArgs) -> Result<Request, CliError> {
        let flags = flags::run(args)?;
        let directory = working_directory()?;
        let goal = Goal::read(args)?;
        let configuration = Configuration::load(&directory, flags, flags::unlimited(&args.limits))?;
        passthrough::refuse_owned(&configuration.resolved.agent.arguments)?;
        let mock = args.mock.as_deref().map(checked_script).transpose()?;
        if args.dangerously_skip_permissions && mock.is_none() {
            refuse_root_without_sandbox()?;
        }
        let skip_permissions = args.dangerously_skip_permissions;
        Ok(Request {
            directory,
            goal,
            configuration,
            mock,
            skip_permissions,
            allow_dirty: args.allow_dirty,
        })
    }
}

/// Runs it to its end; the exit code says how it ended.
///
/// # Errors
/// Whatever keeps the run from starting.
pub fn run(args: &RunArgs) -> Result<ExitCode, CliError> {
    let request = Request::read(args)?;
    if args.dry_run {
        print(&described(&request))?;
        return Ok(ExitCode::SUCCESS);
    }
    let here = Here::at(request.directory.clone())?;
    let resolved = &request.configuration.resolved;
    launch::start(&here, &request, Show::new(resolved.level, resolved.emoji, args.output.json))
}

/// The script's name for a process that may be started elsewhere; a wrong script is refused before anything begins.
fn checked_script(source: &str) -> Result<String, CliError> {
    Script::load(source)?;
    if source.starts_with("builtin:") {
        return Ok(source.to_owned());
    }
    let path = Path::new(source).canonicalize().map_err(|error| {
        CliError::new(
            Kind::Configuration,
            format!("cannot read the script {source}: {error}"),
        )
    })?;
    path.into_os_string().into_string().map_err(|path| {
        CliError::new(
            Kind::Configuration,
            format!("the script's path {} is not UTF-8", path.to_string_lossy()),
        )
    })
}

/// Claude Code refuses this too, but only once it runs, and in words that do not say what to do.
fn refuse_root_without_sandbox() -> Result<(), CliError> {
    let says_sandbox = env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    if !rustix::process::geteuid().is_root() || says_sandbox {
        return Ok(());
    }
    Err(CliError::usage("`--dangerously-skip-permissions` is refused for root outside a sandbox")
        .hint("Run as an ordinary user, or without the flag: permissions.allow lists what the agent may do.")
        .hint("In a container or a virtual machine that may be lost, set IS_SANDBOX=1."))
}

/// What `--dry-run` prints about configuration: every value, and who said it.
fn described(request: &Request) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("directory", &request.directory.display().to_string());
    line("goal", &request.goal.title());
    line(
        "agent",
        request
            .mock
            .as_deref()
            .unwrap_or(&request.configuration.resolved.agent.command),
    );
    text.push('\n');
    text.push_str(&configuration_with_origins(&request.configuration.resolved));
    text
}

fn configuration_with_origins(resolved: &Resolved) -> String {
    let mut text = String::new();
    for value in resolved.origins() {
        let shown = value.value.as_deref().unwrap_or("(none)");
        let _ = writeln!(text, "{:<30} {shown:<28} {}", value.name, value.origin);
    }
    text
}
