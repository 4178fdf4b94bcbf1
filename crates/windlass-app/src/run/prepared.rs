//! A job that is about to start, or only looked at: what was asked for, with what files and environment say.

use std::env;
use std::path::PathBuf;

use windlass_core::spec::{Mode, SandboxKind};
use windlass_core::values::Extent;
use windlass_engine::workspace::Workspace;
use windlass_jobs::job;

use super::assignment::Assignment;
use super::request::StartRun;
use crate::agent;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::fleet::FleetUse;
use crate::passthrough;
use crate::principles::RunPrinciples;
use crate::trusting::TrustAnswers;

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
    /// Are its lanes to be on a fleet?
    pub fleet: FleetUse,
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
        let agent = agent::with_arguments(&configuration.resolved, request.script.as_deref());
        passthrough::refuse_owned(agent, &configuration.resolved)?;
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
            fleet: request.fleet,
            trust: request.trust.clone(),
            gate_later: request.gate_later,
        })
    }
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
