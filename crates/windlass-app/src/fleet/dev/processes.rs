//! Processes of a fleet that is tried, all below one keeper.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use windlass_core::values::Ended;
use windlass_host::process::signals::{Signal, SignalWatch, suspend_self, watch};
use windlass_host::process::{
    Keeper, KeeperEvent, LastRites, ProcessError, SpawnId, SpawnRequest, adopt_and_kill,
};
use windlass_ui::one_line;

use super::folder::FOLDER_COMMAND;
use crate::error::{AppError, Kind};

/// How long workers may take to give back what they hold, before they are killed.
const GRACE: Duration = Duration::from_secs(3);

/// So much of the end of what a process printed is looked at, in bytes.
const END: u64 = 4096;

/// So many of its last lines are told.
const LINES: usize = 3;

/// What a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It ends last: workers give back to it what they hold.
    Server,
    Worker,
}

/// Something that is to be started.
pub(super) struct Process {
    pub part: Part,
    /// By which it is known.
    pub name: String,
    /// Absolute.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// All of it: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    pub directory: PathBuf,
}

/// What happens next.
pub(super) enum Next {
    /// Somebody wants all of it to end.
    AskedToEnd,
    /// A process has ended.
    Ended {
        part: Part,
        name: String,
        ended: Ended,
        /// Its last lines.
        printed: Vec<String>,
    },
}

enum Event {
    Keeper(KeeperEvent),
    Signal(Signal),
}

struct Running {
    part: Part,
    name: String,
    log: PathBuf,
}

/// All of them.
pub(super) struct Processes {
    keeper: Keeper,
    events: Receiver<Event>,
    running: BTreeMap<SpawnId, Running>,
    next: SpawnId,
    folder: PathBuf,
    _watch: SignalWatch,
}

impl Processes {
    /// None yet. `folder` goes with the last of them, also where this process is killed.
    pub(super) fn start(windlass: &Path, folder: &Path) -> Result<Processes, AppError> {
        let (events, heard) = channel();
        let watch = watched(events.clone())?;
        let keeper = Keeper::start(windlass, move |event| {
            // Nobody listens where it is over.
            let _ = events.send(Event::Keeper(event));
        })?;
        keeper.set_last_rites(&LastRites {
            program: windlass.to_owned(),
            arguments: vec![FOLDER_COMMAND.into(), folder.as_os_str().to_owned()],
            environment: Vec::new(),
        })?;
        let folder = folder.to_owned();
        Ok(Processes { keeper, events: heard, running: BTreeMap::new(), next: 0, folder, _watch: watch })
    }

    /// Starts one; what it prints goes to a file in the folder.
    pub(super) fn spawn(&mut self, process: Process) -> Result<(), AppError> {
        let log = self.folder.join(format!("{}.log", process.name));
        let output = opened(&log, File::options().create(true).append(true))?;
        let errors = output.try_clone().map_err(|error| unopened(&log, &error))?;
        let null = Path::new("/dev/null");
        let id = self.next;
        self.next += 1;
        self.keeper.spawn(SpawnRequest {
            id,
            program: process.program,
            arguments: process.arguments,
            environment: process.environment,
            directory: process.directory,
            stdin: opened(null, File::options().read(true))?.into(),
            stdout: output.into(),
            stderr: OwnedFd::from(errors),
        })?;
        self.running.insert(id, Running { part: process.part, name: process.name, log });
        Ok(())
    }

    /// What happens next; `None` where nothing does for so long.
    pub(super) fn next(&mut self, patience: Option<Duration>) -> Result<Option<Next>, AppError> {
        let event = match patience {
            Some(patience) => match self.events.recv_timeout(patience) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(ProcessError::KeeperGone.into()),
            },
            None => self.events.recv().map_err(|_| ProcessError::KeeperGone)?,
        };
        match event {
            Event::Signal(Signal::Interrupt | Signal::Terminate | Signal::HangUp) => {
                Ok(Some(Next::AskedToEnd))
            }
            Event::Signal(Signal::Suspend) => {
                suspend_self()?;
                Ok(None)
            }
            Event::Keeper(KeeperEvent::Exited { id, ended }) => Ok(self.running.remove(&id).map(|running| {
                let printed = last_lines(&running.log);
                Next::Ended { part: running.part, name: running.name, ended, printed }
            })),
            Event::Keeper(KeeperEvent::SpawnFailed { fault, .. }) => Err(ProcessError::from(fault).into()),
            Event::Keeper(KeeperEvent::Died) => {
                adopt_and_kill();
                Err(AppError::new(
                    Kind::System,
                    "the process that all servers and workers are below was killed",
                ))
            }
            Event::Signal(Signal::Resumed | Signal::WindowChanged)
            | Event::Keeper(
                KeeperEvent::Spawned { .. }
                | KeeperEvent::TreeGone { .. }
                | KeeperEvent::Awakened
                | KeeperEvent::Silenced,
            ) => Ok(None),
        }
    }

    /// Ends all of them, workers first, and waits for that.
    pub(super) fn close(mut self) {
        for (id, _) in self.running.iter().filter(|(_, running)| running.part == Part::Worker) {
            // One that is gone already needs to hear nothing.
            let _ = self.keeper.terminate(*id);
        }
        let began = Instant::now();
        while self.running.values().any(|running| running.part == Part::Worker) {
            let left = GRACE.saturating_sub(began.elapsed());
            if left.is_zero() || self.next(Some(left)).is_err() {
                break;
            }
        }
        self.keeper.close();
    }
}

fn watched(events: Sender<Event>) -> Result<SignalWatch, AppError> {
    let told = watch(move |signal| {
        // Nobody listens where it is over.
        let _ = events.send(Event::Signal(signal));
    });
    Ok(told?)
}

fn opened(path: &Path, options: &std::fs::OpenOptions) -> Result<File, AppError> {
    // outside: a device, or a file in a private folder.
    options.open(path).map_err(|error| unopened(path, &error))
}

fn unopened(path: &Path, error: &std::io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot open {}: {error}", path.display()))
}

/// What is not there has no lines.
fn last_lines(log: &Path) -> Vec<String> {
    let mut end = Vec::new();
    // outside: a file in a private folder.
    let read = File::open(log).and_then(|mut file| {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        file.take(END).read_to_end(&mut end)
    });
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&end);
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(one_line).collect();
    lines[lines.len().saturating_sub(LINES)..].to_vec()
}
