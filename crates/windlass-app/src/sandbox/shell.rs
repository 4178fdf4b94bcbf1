//! A shell, or a command, where an agent would work.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;

use windlass_core::config::Layer;
use windlass_core::spec::SandboxKind;
use windlass_core::values::{Ended, Named};
use windlass_host::file::null_device;
use windlass_host::process::{RUN_VARIABLE, SpawnRequest};

use super::project::Project;
use super::{leave, open_session};
use crate::agent;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::trusting::{Purpose, TrustAnswers};

/// Starts what is meant by its name inside, or the best shell there is.
const COMMAND: &str = "exec \"$@\"";
const SHELL: &str = "if command -v bash >/dev/null 2>&1; then exec bash; else exec sh; fi";

/// Whether programs may put input into a terminal as if it had been typed: there since Linux 6.2, `0` or `1`.
const TYPING: &str = "/proc/sys/dev/tty/legacy_tiocsti";
const WARNING: &str = "what runs inside can type into this terminal, and so outside, because the kernel lets it; \
                       since Linux 6.2 this refuses it: sysctl dev.tty.legacy_tiocsti=0";

impl App {
    /// Hands the terminal of this process to a command in the project's sandbox; how that ended.
    ///
    /// # Errors
    /// No sandbox is configured, or it cannot be entered.
    pub fn enter_sandbox(
        &self,
        settings: Layer,
        command: &[OsString],
        trust: &TrustAnswers,
    ) -> Result<Ended, AppError> {
        let project = Project::find(self, settings)?;
        let kind = &project.settings().kind;
        if *kind == SandboxKind::None {
            return Err(AppError::usage("no sandbox is configured here, and none is named")
                .hint("Name one: windlass sandbox shell --sandbox bwrap")
                .hint("Which ones work here: windlass sandbox"));
        }
        project.require_trust(Purpose::Shell, trust)?;
        let (sandbox, session) =
            open_session(&project.here()?, project.resolved(), "sandbox shell", kind.name())?;
        if matches!(kind, SandboxKind::Bwrap | SandboxKind::Landlock)
            // outside: a device.
            && File::open("/dev/tty").is_ok()
            // outside: a setting of the kernel.
            && takes_typing(fs::read_to_string(TYPING).ok().as_deref())
        {
            self.notice(WARNING);
        }
        let spawn = spawn(command, self.directory(), session.session().0.as_ref())?;
        let handed_back = sandbox.enter_at_terminal(spawn)?.command().with_terminal();
        sandbox.end();
        leave(self, &sandbox, session.session())?;
        Ok(handed_back?.ended)
    }
}

/// Does the kernel take what a program types? `setting` is what [`TYPING`] holds, where it is there.
fn takes_typing(setting: Option<&str>) -> bool {
    setting.is_none_or(|value| value.trim() != "0")
}

fn spawn(command: &[OsString], directory: &Path, session: &OsStr) -> Result<SpawnRequest, AppError> {
    let failed = |error| AppError::new(Kind::System, format!("cannot open /dev/null: {error}"));
    let null = || null_device().map_err(failed);
    let script = if command.is_empty() { SHELL } else { COMMAND };
    let words = ["-c", script, "sh"].map(OsString::from);
    let mut environment = agent::environment();
    environment.push((RUN_VARIABLE.into(), session.to_owned()));
    Ok(SpawnRequest {
        id: 0,
        program: "/bin/sh".into(),
        arguments: words.into_iter().chain(command.iter().cloned()).collect(),
        environment,
        directory: directory.to_owned(),
        stdin: null()?,
        stdout: null()?,
        stderr: null()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_kernel_that_says_no_takes_no_typing() {
        for (setting, expected) in [(None, true), (Some("1\n"), true), (Some("0\n"), false), (Some(""), true)]
        {
            assert_eq!(takes_typing(setting), expected, "{setting:?}");
        }
    }
}
