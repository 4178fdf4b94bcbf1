//! What a run does differently because it is in a worktree: its variables, its setup command, its copies.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};

use windlass_core::environment::Heir;
use windlass_core::spec::{CommitPolicy, RunSpec};
use windlass_core::values::StopReason;
use windlass_engine::sandbox::Sandbox;
use windlass_engine::worktree::bootstrap::{SetupCommand, SetupError, SetupRoom, run_setup};
use windlass_engine::worktree::{Stage, Worktree};
use windlass_host::environment::inherited;

use crate::agent;
use crate::error::{AppError, Codes, Kind};
use crate::here::Here;
use crate::run::Prepared;
use crate::worktree::at;

/// What agents, checks and hooks here inherit.
pub fn environment(here: &Here) -> Vec<(OsString, OsString)> {
    let mut environment = agent::environment();
    if let Some(worktree) = at(here) {
        let ours = worktree.variables();
        environment.retain(|(name, _)| !ours.iter().any(|(own, _)| own == name));
        environment.extend(ours);
    }
    environment
}

/// Runs the setup command of a worktree that is not ready yet, as the run that is about to begin; `lock` is its directory's.
pub fn set_up(here: &Here, plan: &RunSpec, sandbox: &Sandbox, lock: &[OwnedFd]) -> Result<(), AppError> {
    let Some(mut worktree) = at(here).filter(|worktree| worktree.stage() == Stage::Setup) else {
        return Ok(());
    };
    let bootstrap = worktree.bootstrap().clone();
    if let Some(command) = &bootstrap.setup {
        let locks: Vec<_> = lock.iter().map(AsFd::as_fd).collect();
        let command = SetupCommand {
            command,
            timeout: bootstrap.setup_timeout,
            directory: &worktree.tree.path,
            environment: &inherited(environment(here), &Heir::check(plan)),
            run: &plan.run,
            id: 1,
        };
        let (program, variables) = (here.app.program(), plan.environment.as_slice());
        let room = SetupRoom { program, command, variables, sandbox, locks: &locks };
        run_setup(&room).map_err(|error| not_ready(&worktree, error))?;
    }
    worktree.set_ready().map_err(AppError::system)
}

fn not_ready(worktree: &Worktree, error: SetupError) -> AppError {
    let message = format!("the worktree {} is not ready: {error}", worktree.name);
    let said = match error {
        SetupError::Sandbox(error) => return error.into(),
        SetupError::Process(_) => AppError::new(Kind::System, message),
        SetupError::Interrupted { .. } => {
            AppError::new(Kind::Stopped(StopReason::Interrupted, Codes::AsConfigured), message)
        }
        SetupError::Failed { tail, .. } => {
            let shown = tail.lines().map(windlass_ui::one_line);
            let kind = Kind::Stopped(StopReason::SetupFailed, Codes::AsConfigured);
            shown.fold(AppError::new(kind, message), AppError::hint)
        }
    };
    let path = worktree.tree.path.display();
    said.hint(format!("The next run in it tries the command again. It lies in {path}"))
}

/// Is all that is not committed here what was copied into the worktree? Then windlass may commit.
pub fn holds_copies_alone(here: &Here, request: &Prepared) -> Result<bool, AppError> {
    match at(here) {
        Some(worktree) if request.configuration.resolved.commit == CommitPolicy::Runner => {
            Ok(worktree.work()?.uncommitted.is_empty())
        }
        _ => Ok(false),
    }
}
