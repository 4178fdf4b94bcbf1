//! `hooks test`: a hook is called once, outside a run, as a run would call it.

use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use windlass_core::hook::HookSetting;
use windlass_core::values::{CheckResult, Ended, Hook, HookOutcome};

use super::attempt::{HookAttempt, HookRoom, HookSaid};
use super::with_setting;
use crate::sandbox::{Guest, Sandbox, SandboxError};
use windlass_host::environment::with;
use windlass_host::process::{
    Keeper, KeeperEvent, ProcessError, RUN_VARIABLE, SpawnRequest, first_of, leftovers,
};

/// How long the keeper may take to end what a hook left.
const SWEEP: Duration = Duration::from_secs(3);

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// As a run would have it. There is no log.
    pub outcome: HookOutcome,
    /// What it printed: the beginning.
    pub stdout: Vec<u8>,
    /// What it complained about: the end.
    pub stderr: String,
}

/// Why it was not called.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// There is no keeper, or no pipe.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The sandbox cannot be entered.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// Calls a hook with this setting, in this sandbox, and waits for its end; nothing that it started outlives that.
/// `program` is the windlass program, absolute: the keeper is started from it. The setting's run is the sandbox's.
///
/// # Errors
/// There is no keeper, or no pipe; or the sandbox cannot be entered, and then nothing is called. A hook that cannot be
/// started is not an error.
pub fn try_out(
    program: &Path,
    hook: &Hook,
    setting: &HookSetting,
    environment: Vec<(OsString, OsString)>,
    sandbox: &Sandbox,
) -> Result<Tried, TrialError> {
    let environment = with(with_setting(environment, setting), [(RUN_VARIABLE, &setting.run.0)]);
    let (say, said) = channel();
    let room = HookRoom {
        hook: hook.name,
        command: hook.command.clone(),
        environment,
        directory: setting.project.clone(),
        log: None,
        id: 1,
    };
    let (attempt, request) = set_up(room, sandbox)?;
    let keeper = Keeper::start(program, move |event| {
        let _ = say.send(event);
    })?;
    if let Some(rites) = sandbox.last_rites() {
        keeper.set_last_rites(&rites)?;
    }
    keeper.spawn(request)?;
    let began = Instant::now();
    let ended = first_of(&said, began + hook.timeout, |event| match event {
        KeeperEvent::Exited { ended, .. } => Some(Ok(ended)),
        KeeperEvent::SpawnFailed { fault, .. } => Some(Err(fault.to_string())),
        KeeperEvent::Died => Some(Ok(Ended::Lost)),
        _ => None,
    });
    let duration = began.elapsed();
    let gone = |event| matches!(event, KeeperEvent::TreeGone { .. } | KeeperEvent::Died).then_some(());
    let _ = keeper.kill_tree().map(|()| first_of(&said, Instant::now() + SWEEP, gone));
    keeper.close();
    sandbox.end();
    let _ = leftovers::end(&setting.run);
    let (result, trouble) = match ended {
        None => (CheckResult::TimedOut, None),
        Some(Ok(ended)) => (result(ended), None),
        Some(Err(why)) => (CheckResult::Lost, Some(why)),
    };
    let HookSaid { answer, stdout, stderr, .. } = attempt.end(result);
    let outcome = HookOutcome {
        result,
        decision: answer.decision,
        reason: trouble.unwrap_or(answer.reason),
        prompt: answer.prompt,
        duration,
        log: String::new(),
    };
    Ok(Tried { outcome, stdout, stderr })
}

/// What is called, behind the sandbox's door.
fn set_up(room: HookRoom, sandbox: &Sandbox) -> Result<(HookAttempt, SpawnRequest), TrialError> {
    let (attempt, request) = HookAttempt::set_up(room)?;
    match sandbox.enter(Guest::Command { variables: &[] }, request) {
        Ok(request) => Ok((attempt, request)),
        Err(error) => {
            attempt.abandon();
            Err(error.into())
        }
    }
}

/// How a hook's command ended.
pub(crate) fn result(ended: Ended) -> CheckResult {
    match ended {
        Ended::Exited(0) => CheckResult::Passed,
        Ended::Exited(code) => CheckResult::Failed(code),
        Ended::Signalled(signal) => CheckResult::Signalled(signal),
        Ended::Lost => CheckResult::Lost,
    }
}
