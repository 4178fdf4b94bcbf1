//! `sandbox shell`: a person where an agent would work.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::process::ExitCode;

use windlass_core::config::{Layer, keys};
use windlass_core::spec::SandboxKind;
use windlass_core::values::Ended;
use windlass_host::process::{RUN_VARIABLE, SpawnRequest};

use super::super::warn;
use super::Place;
use crate::args::SandboxShellArgs;
use crate::commands::app;
use windlass_app::agent;
use windlass_app::here::Here;
use windlass_app::sandbox as room;
use windlass_app::trusting::Purpose;
use windlass_app::{AppError, Kind};

/// Starts what is meant by its name inside, or the best shell there is.
const COMMAND: &str = "exec \"$@\"";
const SHELL: &str = "if command -v bash >/dev/null 2>&1; then exec bash; else exec sh; fi";

/// Whether programs may put input into a terminal as if it had been typed: there since Linux 6.2, `0` or `1`.
const TYPING: &str = "/proc/sys/dev/tty/legacy_tiocsti";
const WARNING: &str = "what runs inside can type into this terminal, and so outside, because the kernel lets it; \
                       since Linux 6.2 this refuses it: sysctl dev.tty.legacy_tiocsti=0";

/// Does it; the exit code is that of what ran inside.
pub fn run(args: &SandboxShellArgs) -> Result<ExitCode, AppError> {
    let mut flags = Layer::default();
    if let Some(kind) = &args.sandbox {
        flags.flag(&keys::SANDBOX_KIND, "--sandbox", kind)?;
    }
    if let Some(network) = &args.network {
        flags.flag(&keys::SANDBOX_NETWORK, "--network", network)?;
    }
    let place = Place::find(flags)?;
    if place.resolved().sandbox.kind == SandboxKind::None {
        return Err(AppError::usage("no sandbox is configured here, and none is named")
            .hint("Name one: windlass sandbox shell --sandbox bwrap")
            .hint("Which ones work here: windlass sandbox"));
    }
    place.require_trust(Purpose::Shell, &args.trust)?;
    let here = Here::at(&app()?, place.directory.clone())?;
    let kind = place.resolved().sandbox.kind.name();
    let (sandbox, session) = room::open_session(&here, place.resolved(), "sandbox shell", kind)?;
    if matches!(place.resolved().sandbox.kind, SandboxKind::Bwrap | SandboxKind::Landlock)
        // outside: a device.
        && File::open("/dev/tty").is_ok()
        // outside: a setting of the kernel.
        && takes_typing(fs::read_to_string(TYPING).ok().as_deref())
    {
        warn(WARNING);
    }
    let request = sandbox.enter_at_terminal(request(args, &here, session.session().0.as_ref())?)?;
    let handed_back = request.command().with_terminal();
    sandbox.end();
    std::iter::from_fn(|| sandbox.news()).for_each(|news| warn(&news));
    room::take_over(&sandbox, session.session())?.iter().for_each(|notice| warn(notice));
    let handed_back = handed_back.map_err(|error| AppError::new(Kind::System, error.to_string()))?;
    Ok(ExitCode::from(match handed_back.ended {
        Ended::Exited(code) => u8::try_from(code).unwrap_or(1),
        Ended::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(1),
        Ended::Lost => 1,
    }))
}

/// Does the kernel take what a program types? `setting` is what [`TYPING`] holds, where it is there.
fn takes_typing(setting: Option<&str>) -> bool {
    setting.is_none_or(|value| value.trim() != "0")
}

fn request(
    args: &SandboxShellArgs,
    here: &Here,
    session: &std::ffi::OsStr,
) -> Result<SpawnRequest, AppError> {
    let null = || {
        // outside: a device.
        File::options()
            .read(true)
            .write(true)
            .open("/dev/null")
            .map(OwnedFd::from)
            .map_err(|error| AppError::new(Kind::System, format!("cannot open /dev/null: {error}")))
    };
    let script = if args.command.is_empty() { SHELL } else { COMMAND };
    let words = ["-c", script, "sh"].map(OsString::from);
    let mut environment = agent::environment();
    environment.push((RUN_VARIABLE.into(), session.to_owned()));
    Ok(SpawnRequest {
        id: 0,
        program: "/bin/sh".into(),
        arguments: words.into_iter().chain(args.command.iter().cloned()).collect(),
        environment,
        directory: here.directory.clone(),
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
