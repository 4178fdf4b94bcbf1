//! Short commands that the runner itself waits for: git, an agent's `--version`.

mod interruption;
mod pipes;
mod running;

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use windlass_core::values::Ended;

use super::ProcessError;
use super::error::StartFault;
use super::started::Started;
pub use interruption::Interruption;
use pipes::{Pipes, Turn};
use running::Listed;
pub(super) use running::WAITING_VARIABLE;
pub use running::signal_commands;

/// How long a command may take unless said otherwise.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Longer ones are this long, so that no sum overflows.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(24 * 365);

/// How much of each output is kept unless said otherwise, in bytes.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;

/// After the command's end: its pipes are read until nothing came for this long, should somebody hold them open.
const DRAIN: Duration = Duration::from_millis(250);

/// A command: a program with arguments, never a shell line.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(OsString, Option<OsString>)>,
    stdin: Vec<u8>,
    timeout: Duration,
    output_limit: usize,
    keeps: Keeps,
    interruption: Interruption,
}

/// Which part is kept of more output than is kept in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Keeps {
    /// The beginning: what is read whole or not at all.
    #[default]
    Beginning,
    /// The end of standard output: logs.
    End,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub ended: Ended,
    /// What it printed.
    pub stdout: Captured,
    /// What it complained about.
    pub stderr: Captured,
}

impl Output {
    /// Exit 0?
    pub const fn succeeded(&self) -> bool {
        matches!(self.ended, Ended::Exited(0))
    }
}

/// An output, or the part of it that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// What was kept.
    pub bytes: Vec<u8>,
    /// How many bytes beyond the limit were dropped; 0 = it is whole.
    pub dropped: u64,
}

impl Captured {
    /// As text; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Command {
    /// A command without arguments, in the current directory, with our environment, nothing to read, 60 s to run and
    /// 64 MiB to print. A bare program name is looked up in `PATH`.
    pub fn new(program: impl Into<PathBuf>) -> Command {
        Command {
            program: program.into(),
            arguments: Vec::new(),
            directory: PathBuf::from("."),
            environment: Vec::new(),
            stdin: Vec::new(),
            timeout: TIMEOUT,
            output_limit: OUTPUT_LIMIT,
            keeps: Keeps::Beginning,
            interruption: Interruption::default(),
        }
    }

    /// Adds an argument.
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Command {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Command {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Where to run it.
    pub fn directory(mut self, directory: impl AsRef<Path>) -> Command {
        directory.as_ref().clone_into(&mut self.directory);
        self
    }

    /// Sets a variable, or removes it (`None`).
    pub fn environment(mut self, name: impl AsRef<OsStr>, value: Option<&OsStr>) -> Command {
        self.environment.push((name.as_ref().to_owned(), value.map(OsStr::to_owned)));
        self
    }

    /// What it reads. Without it, its standard input is empty.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Command {
        self.stdin = bytes.into();
        self
    }

    /// How long it may take.
    pub const fn timeout(mut self, timeout: Duration) -> Command {
        self.timeout = timeout;
        self
    }

    /// It is ended once this is so.
    pub fn interrupted_by(mut self, interruption: &Interruption) -> Command {
        self.interruption = interruption.clone();
        self
    }

    /// How many bytes are kept of the beginning of each of its outputs; it may print more.
    pub const fn output_limit(mut self, bytes: usize) -> Command {
        self.output_limit = bytes;
        self
    }

    /// The same, and of standard output the last ones are kept: for logs.
    pub const fn output_end(mut self, bytes: usize) -> Command {
        self.keeps = Keeps::End;
        self.output_limit(bytes)
    }

    /// Runs it in a process group of its own and waits for its end.
    ///
    /// An exit code other than 0 is not an error; see [`Output::succeeded`]. When the timeout comes, the group is killed.
    pub fn run(self) -> Result<Output, ProcessError> {
        let deadline = Instant::now() + self.timeout.min(LONGEST_TIMEOUT);
        let mut child = self.start()?;
        let listed = id(&child).map(Listed::new);
        match self.exchange(&mut child, listed, deadline) {
            Ok(output) => Ok(output),
            Err(error) => {
                kill_group(&child);
                let _ = child.wait();
                Err(error)
            }
        }
    }

    fn start(&self) -> Result<Started, StartFault> {
        let mut command = self.prepared();
        command
            .process_group(0)
            .stdin(if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Started::spawn(&mut command).map_err(|error| self.fault(&error))
    }

    /// Program, arguments, directory and environment.
    #[expect(clippy::disallowed_methods, reason = "this is the place for short commands")]
    pub(super) fn prepared(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory);
        command.env(WAITING_VARIABLE, std::process::id().to_string());
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Why it could not be started.
    pub(super) fn fault(&self, error: &std::io::Error) -> StartFault {
        StartFault::new(&self.program, &self.directory, error)
    }

    /// Feeds and reads the child until it has ended and its pipes are empty.
    fn exchange(
        &self,
        child: &mut Started,
        mut listed: Option<Listed>,
        deadline: Instant,
    ) -> Result<Output, ProcessError> {
        let end = watch_end(child)?;
        let mut pipes = Pipes::new(child, &self.stdin, self.output_limit, self.keeps)?;
        let mut status: Option<ExitStatus> = None;
        loop {
            let until = match (status, self.interruption.asked_every()) {
                (Some(_), _) => deadline.min(Instant::now() + DRAIN),
                (None, Some(pause)) => deadline.min(Instant::now() + pause),
                (None, None) => deadline,
            };
            let turn = pipes.turn(status.is_none().then_some(&end), until)?;
            if turn == Turn::Ended {
                // Once it is reaped, its number may be given away.
                drop(listed.take());
                status = child.try_wait().map_err(ProcessError::system("wait for a command"))?;
            }
            let late = Instant::now() >= deadline;
            match status {
                Some(status) if turn == Turn::Quiet || pipes.are_read() || late => {
                    let (stdout, stderr) = pipes.into_captured();
                    return Ok(Output { ended: Ended::of(status.code(), status.signal()), stdout, stderr });
                }
                None if late => return Err(self.timed_out()),
                None if self.interruption.is_due() => {
                    return Err(ProcessError::Interrupted(self.program.clone()));
                }
                _ => {}
            }
        }
    }

    fn timed_out(&self) -> ProcessError {
        ProcessError::TimedOut {
            program: self.program.clone(),
            directory: self.directory.clone(),
            after: self.timeout,
        }
    }
}

fn id(child: &Started) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Its number cannot have been given away: only we reap it, and have not.
fn kill_group(child: &Started) {
    if let Some(group) = id(child) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// Something that becomes readable when the child ends.
fn watch_end(child: &Started) -> Result<OwnedFd, ProcessError> {
    let handle =
        id(child).ok_or(Errno::SRCH).and_then(|id| rustix::process::pidfd_open(id, PidfdFlags::empty()));
    handle.map_err(ProcessError::system("watch a command"))
}

#[cfg(test)]
mod tests;
