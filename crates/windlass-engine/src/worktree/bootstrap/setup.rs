//! The project's own command in a fresh checkout: below a keeper, in the sandbox, within its time, and nothing that it
//! started outlives it.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use windlass_core::values::{Ended, RunId};

use crate::sandbox::{Guest, Sandbox, SandboxError};
use windlass_host::environment::with;
use windlass_host::process::stream::{StreamReader, Tail};
use windlass_host::process::{
    Keeper, KeeperEvent, ProcessError, RUN_VARIABLE, SpawnId, SpawnRequest, become_subreaper, first_of,
    leftovers, pipe, signals,
};

/// How long the keeper may take to end what the command left.
const SWEEP: Duration = Duration::from_secs(3);

/// Lines of its output that an error shows.
const SHOWN_LINES: usize = 15;

/// What a setup command needs.
#[derive(Debug)]
pub struct SetupRoom<'a> {
    /// The windlass program, absolute: the keeper is started from it.
    pub program: &'a Path,
    /// The command itself.
    pub command: SetupCommand<'a>,
    /// Variables that it gets inside a sandbox beyond the usual ones.
    pub variables: &'a [String],
    /// What it is locked in by.
    pub sandbox: &'a Sandbox,
    /// Locks that stay taken for as long as something of it may be alive.
    pub locks: &'a [BorrowedFd<'a>],
}

/// A setup command did not make the checkout ready.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no keeper, or no pipe.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The sandbox cannot be entered.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// It ended otherwise than with exit code 0.
    #[error("the setup command `{command}` {how}")]
    Failed {
        /// The command.
        command: String,
        /// `failed with exit code 1`, `took longer than 600 s and was ended`, …
        how: String,
        /// The last lines that it printed.
        tail: String,
    },
    /// Somebody pressed Ctrl-C, or asked this process to end.
    #[error("the setup command `{command}` was interrupted")]
    Interrupted {
        /// The command.
        command: String,
    },
}

/// What ends the wait for a command.
enum News {
    Keeper(KeeperEvent),
    Asked,
}

/// Runs the setup command and waits for its end.
///
/// # Errors
/// It could not be started, or it failed; the checkout stays as it left it.
pub fn run_setup(room: &SetupRoom<'_>) -> Result<(), SetupError> {
    become_subreaper()?;
    let (say, news) = channel();
    let asked = say.clone();
    let _watch = signals::watch(move |signal| {
        if matches!(signal, signals::Signal::Interrupt | signals::Signal::Terminate) {
            let _ = asked.send(News::Asked);
        }
    })?;
    let (attempt, request) = SetupAttempt::prepare(&room.command)?;
    let request = room.sandbox.enter(Guest::Command { variables: room.variables }, request)?;
    let keeper = Keeper::start(room.program, move |event| {
        let _ = say.send(News::Keeper(event));
    })?;
    keeper.hold(room.locks)?;
    if let Some(rites) = room.sandbox.last_rites() {
        keeper.set_last_rites(&rites)?;
    }
    keeper.spawn(request)?;
    let end = wait(&news, Instant::now() + room.command.timeout);
    sweep(keeper, &news, room);
    attempt.end(end)
}

/// A setup command, and where it runs.
#[derive(Clone, Copy, Debug)]
pub struct SetupCommand<'a> {
    /// For `sh -c`.
    pub command: &'a str,
    /// Time that it may take.
    pub timeout: Duration,
    /// Where it runs, absolute.
    pub directory: &'a Path,
    /// All of its environment; the run's mark is added.
    pub environment: &'a [(OsString, OsString)],
    /// Whatever it starts carries this name.
    pub run: &'a RunId,
    /// The number by which its keeper knows it.
    pub id: SpawnId,
}

/// A setup command that is about to run, or runs.
#[derive(Debug)]
pub(crate) struct SetupAttempt {
    command: String,
    timeout: Duration,
    tail: Tail,
    readers: Vec<StreamReader>,
}

/// How it ended, or how the wait for it did.
#[derive(Debug)]
pub(crate) enum End {
    /// By itself.
    Ended(Ended),
    /// It never began: why.
    NotStarted(String),
    /// Its time was up.
    TimedOut,
    /// Somebody did not wait for it.
    Asked,
}

fn wait(news: &Receiver<News>, deadline: Instant) -> End {
    let end = first_of(news, deadline, |heard| match heard {
        News::Keeper(KeeperEvent::Exited { ended, .. }) => Some(End::Ended(ended)),
        News::Keeper(KeeperEvent::SpawnFailed { fault, .. }) => Some(End::NotStarted(fault.to_string())),
        News::Keeper(KeeperEvent::Died) => Some(End::Ended(Ended::Lost)),
        News::Keeper(_) => None,
        News::Asked => Some(End::Asked),
    });
    end.unwrap_or(End::TimedOut)
}

/// Ends all that is left of it.
fn sweep(keeper: Keeper, news: &Receiver<News>, room: &SetupRoom<'_>) {
    let gone =
        |heard| matches!(heard, News::Keeper(KeeperEvent::TreeGone { .. } | KeeperEvent::Died)).then_some(());
    let _ = keeper.kill_tree().map(|()| first_of(news, Instant::now() + SWEEP, gone));
    keeper.close();
    room.sandbox.end();
    let _ = leftovers::end(room.command.run);
}

impl SetupAttempt {
    /// Opens its pipes and reads them; the request is for a keeper.
    pub fn prepare(setting: &SetupCommand<'_>) -> Result<(SetupAttempt, SpawnRequest), ProcessError> {
        // outside: a device.
        let nothing = File::open("/dev/null").map_err(ProcessError::system("open /dev/null"))?;
        let (from_stdout, stdout) = pipe()?;
        let (from_stderr, stderr) = pipe()?;
        let tail = Tail::default();
        let reader = |from: OwnedFd| {
            let tail = tail.clone();
            StreamReader::bytes(from, move |bytes| tail.push(bytes))
        };
        let readers = vec![reader(from_stdout)?, reader(from_stderr)?];
        let environment = with(setting.environment.to_vec(), [(RUN_VARIABLE, &setting.run.0)]);
        let request = SpawnRequest {
            id: setting.id,
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), setting.command.into()],
            environment,
            directory: setting.directory.to_owned(),
            stdin: nothing.into(),
            stdout,
            stderr,
        };
        let (command, timeout) = (setting.command.to_owned(), setting.timeout);
        Ok((SetupAttempt { command, timeout, tail, readers }, request))
    }

    /// Reads what is left in the pipes and judges. Nothing may be alive that could still write much.
    pub fn end(self, end: End) -> Result<(), SetupError> {
        self.readers.into_iter().for_each(StreamReader::finish);
        let command = self.command;
        let how = match end {
            End::Ended(Ended::Exited(0)) => return Ok(()),
            End::Asked => return Err(SetupError::Interrupted { command }),
            End::Ended(Ended::Exited(code)) => format!("failed with exit code {code}"),
            End::Ended(Ended::Signalled(signal)) => format!("was ended by signal {signal}"),
            End::Ended(Ended::Lost) => "was lost: nobody saw its end".to_owned(),
            End::NotStarted(why) => format!("could not be started: {why}"),
            End::TimedOut => format!("took longer than {} s and was ended", self.timeout.as_secs()),
        };
        let text = self.tail.text();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let from = lines.len().saturating_sub(SHOWN_LINES);
        Err(SetupError::Failed { command, how, tail: lines.get(from..).unwrap_or_default().join("\n") })
    }
}
