//! The hooks that runs here call: which there are, and one of them tried out.

use std::path::Path;
use std::process;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::config::{Layer, Resolved, Unlimited};
use windlass_core::hook::HookSetting;
use windlass_core::spec::{Mode, SandboxKind};
use windlass_core::values::{Grounds, Hook, HookCommand, HookName, Named, RunId, StopReason};
use windlass_engine::hook::{self, FoundHooks, Listed, TrialError};
use windlass_engine::sandbox::Sandbox;
use windlass_host::process::become_subreaper;
use windlass_ui::HookRow;

pub use windlass_engine::hook::Tried;

use crate::agent;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::sandbox;
use crate::trusting::{self, Asked, Purpose, TrustAnswers};

/// The hooks of a project.
pub struct Hooks {
    /// Each that there can be.
    pub rows: Vec<HookRow>,
    /// What a person should know of them.
    pub notices: Vec<String>,
}

/// A hook that is to be tried out.
#[derive(Clone, Debug)]
pub struct TryHook {
    /// Which.
    pub hook: HookName,
    /// The iteration that it is told.
    pub iteration: u32,
    /// Why the run ended, as it is told; only that of the end is.
    pub stop_reason: StopReason,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

impl App {
    /// The hooks that a run here would call, and those that it would not.
    pub fn hooks(&self) -> Result<Hooks, AppError> {
        let Looked { here, found, .. } = Looked::at(self, Unlimited::NotAsked)?;
        let rows = found.listed.iter().map(|listed| row(&here.directory, listed)).collect();
        Ok(Hooks { rows, notices: found.notices })
    }

    /// Calls a hook as a run would that nobody made.
    ///
    /// # Errors
    /// A run would not call it, it is not trusted, or it cannot be called.
    pub fn try_hook(&self, request: &TryHook) -> Result<Tried, AppError> {
        let Looked { here, configuration, found } = Looked::at(self, Unlimited::Allowed)?;
        let hook = callable(&found, request.hook)?;
        trusting::require(&Asked {
            here: &here,
            configuration: &configuration,
            purpose: Purpose::Hooks,
            reader: None,
            answers: &request.trust,
        })?;
        let resolved = &configuration.resolved;
        let mut setting = setting(&here, resolved, request);
        become_subreaper()?;
        let sandbox = if resolved.sandbox.kind == SandboxKind::None {
            Sandbox::none()
        } else {
            let (sandbox, session) = sandbox::open_session(&here, resolved, "hooks test", hook.name.name())?;
            // Whatever has this mark is the sandbox's, and ended with it.
            setting.run = session.session().clone();
            sandbox
        };
        let tried = hook::try_out(self.program(), &hook, &setting, agent::environment(), &sandbox);
        sandbox::leave(self, &sandbox, &setting.run)?;
        tried.map_err(|error| match error {
            TrialError::Sandbox(error) => error.into(),
            TrialError::Process(error) => error.into(),
        })
    }
}

/// The project's hooks, and what says so.
struct Looked {
    here: Here,
    configuration: Configuration,
    found: FoundHooks,
}

impl Looked {
    fn at(app: &App, unlimited: Unlimited) -> Result<Looked, AppError> {
        let here = Here::find(app)?;
        let flags = Layer::default();
        let configuration = Configuration::load(&here.directory, None, Mode::Goal, flags, unlimited)?;
        let found = hook::find(&here.directory, &configuration.resolved.hooks);
        Ok(Looked { here, configuration, found })
    }
}

fn row(directory: &Path, listed: &Listed) -> HookRow {
    let (source, command) = match &listed.command {
        None => (None, None),
        Some(HookCommand::Shell(command)) => (Some("command"), Some(command.clone())),
        Some(HookCommand::File(path)) => {
            let shown = path.strip_prefix(directory).unwrap_or(path);
            (Some("file"), Some(shown.to_string_lossy().into_owned()))
        }
    };
    HookRow {
        hook: listed.name,
        source,
        command,
        called: listed.command.is_some() && listed.problem.is_none(),
        problem: listed.problem.clone(),
        remedy: listed.remedy.clone(),
        timeout_ms: u64::try_from(listed.timeout.as_millis()).unwrap_or(u64::MAX),
    }
}

/// A hook that a run would call; why it would not.
fn callable(found: &FoundHooks, name: HookName) -> Result<Hook, AppError> {
    if let Some(hook) = found.hooks().into_iter().find(|hook| hook.name == name) {
        return Ok(hook);
    }
    let listed = found.listed.iter().find(|listed| listed.name == name);
    let problem = listed.and_then(|listed| listed.problem.as_ref());
    let said = |why: &str| AppError::usage(format!("a run would not call the hook `{}`: {why}", name.name()));
    match (problem, listed.and_then(|listed| listed.remedy.as_ref())) {
        (Some(problem), Some(remedy)) => Err(said(problem).hint(format!("So that it does: {remedy}"))),
        (Some(problem), None) => Err(said(problem)),
        (None, _) => Err(said("there is none").hint(format!(
            "Make one: an executable file .windlass/hooks/{0}, or windlass config set hooks.{0} '…'",
            name.name()
        ))),
    }
}

/// What it is told: a run that nobody made.
fn setting(here: &Here, resolved: &Resolved, request: &TryHook) -> HookSetting {
    let &TryHook { hook, iteration, stop_reason, .. } = request;
    let is_end = hook == HookName::Finished;
    let head = here.repository.as_ref().and_then(|repository| repository.head().ok()?.commit());
    HookSetting {
        hook,
        iteration,
        last_exit_code: 0,
        total_commits: 0,
        commits_made: 0,
        duration: Duration::ZERO,
        last_duration: Duration::ZERO,
        total_iterations: if is_end { iteration } else { iteration.saturating_sub(1) },
        last_commit: head.map(|head| head.to_string()).unwrap_or_default(),
        grounds: Grounds::Shown,
        ending: is_end.then_some(stop_reason),
        project: here.directory.clone(),
        mode: Mode::Goal,
        max_iterations: resolved.limits.iterations,
        // There is no run, and so no folder of one.
        log_folder: here.project.path().to_owned(),
        started: Timestamp::now(),
        plan_file: None,
        spec_folder: None,
        run: RunId(format!("hook-{}", process::id())),
        resumed: false,
    }
}
