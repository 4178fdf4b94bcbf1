//! Running one short command to its end.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A command, and what it gets.
#[derive(Debug)]
pub(super) struct Invocation {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// Environment variables it must not inherit.
    pub without: &'static [&'static str],
    /// Environment variables it gets beside those it inherits.
    pub with: Vec<(OsString, OsString)>,
    pub input: Vec<u8>,
    pub timeout: Duration,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Exited(i32),
    Signalled(i32),
    TimedOut,
}

/// What a command said.
#[derive(Debug)]
pub(super) struct Outcome {
    pub ended: Ended,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
}

/// Runs a command in a process group of its own; after its timeout the whole group is killed.
pub(super) fn run(invocation: &Invocation) -> io::Result<Outcome> {
    let mut child = start(invocation)?;
    let deadline = Instant::now() + invocation.timeout;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        // A command that does not want its input closes it; that is no error of ours.
        let writer = scope.spawn(|| stdin.map(|mut pipe| pipe.write_all(&invocation.input)));
        let (done, ends) = mpsc::channel();
        let output = scope.spawn({
            let done = done.clone();
            move || read_all(stdout, &done)
        });
        let errors = scope.spawn(move || read_all(stderr, &done));
        let mut timed_out = false;
        for _ in 0..2 {
            timed_out |= ends
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .is_err();
        }
        if timed_out {
            kill_group(&child);
        }
        let status = child.wait()?;
        drop(writer.join());
        let ended = match (timed_out, status.code()) {
            (true, _) => Ended::TimedOut,
            (false, Some(code)) => Ended::Exited(code),
            (false, None) => Ended::Signalled(status.signal().unwrap_or(0)),
        };
        Ok(Outcome {
            ended,
            output: output.join().unwrap_or_default(),
            errors: errors.join().unwrap_or_default(),
        })
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "until the common runner of short commands is there"
)]
fn start(invocation: &Invocation) -> io::Result<Child> {
    let mut command = std::process::Command::new(&invocation.program);
    command
        .args(&invocation.arguments)
        .current_dir(&invocation.directory)
        .process_group(0);
    for name in invocation.without {
        command.env_remove(name);
    }
    command.envs(invocation.with.iter().map(|(name, value)| (name, value)));
    command.stdin(if invocation.input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

fn read_all(pipe: Option<impl Read>, done: &mpsc::Sender<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before an error is all there is.
        drop(pipe.read_to_end(&mut bytes));
    }
    // Whoever waited may have given up.
    let _ = done.send(());
    bytes
}

fn kill_group(child: &Child) {
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may have ended by itself in the meantime.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}
