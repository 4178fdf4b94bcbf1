//! A process that stands before another one: it starts it, passes signals on, and ends when it ends.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// What is passed on to the one behind.
const PASSED_ON: [i32; 5] = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2];

/// Runs a program with this process's own files and directory, in a process group of its own, so that a signal reaches
/// it once: through us. Returns what this process should end with: its exit code, or 128 and the number of the signal
/// that ended it.
pub fn stand_before(
    program: &OsStr,
    arguments: &[OsString],
    environment: &[(String, String)],
) -> io::Result<u8> {
    // Before there is a child: what comes earlier waits for it. Caught and not ignored, so that the child gets what is
    // usual even where we were started with it ignored.
    let mut signals = Signals::new(PASSED_ON)?;
    #[expect(clippy::disallowed_methods, reason = "it starts what a keeper was asked for")]
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let child = command.spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            if let (Some(group), Some(signal)) = (group, Signal::from_named_raw(signal)) {
                let _ = kill_process_group(group, signal);
            }
        }
    })?;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == group => return Ok(code(status)),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn code(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use rustix::process::waitpid;

    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        clippy::zombie_processes,
        reason = "how it ended is looked at, in a test"
    )]
    fn it_ends_as_the_one_behind_ended() {
        for (script, expected) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)] {
            let child = Command::new("sh").args(["-c", script]).spawn().unwrap();
            let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
            let (_, status) = waitpid(pid, WaitOptions::empty()).unwrap().unwrap();
            assert_eq!(code(status), expected, "{script}");
        }
    }
}
