//! What the runner holds of a keeper.

use std::ffi::OsString;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use windlass_core::values::Ended;

use super::KEEPER_COMMAND;
use crate::process::error::{ProcessError, StartFault};
use crate::process::hearing::start_thread;
use crate::process::protocol::{self, Reply, Request, Spawn, SpawnId, Text};
use crate::process::started::Started;
use crate::process::tree::Process;
use crate::process::wire::{self, FILES_PER_MESSAGE, Inbox, Received};

/// How long a keeper may take to come up; generous, since a loaded machine is not a fault.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// How long a keeper may take to end: its own grace, its own patience, and a little.
const CLOSE_PATIENCE: Duration = Duration::from_secs(5);

/// How much longer where it has last rites to see to.
const RITES_PATIENCE: Duration = Duration::from_secs(15);

/// A keeper that has not said after so long that all below it is gone stands still, whatever holds it: it promises 2 s, and a
/// loaded machine is not a fault.
const CLEARING_PATIENCE: Duration = Duration::from_secs(10);

/// How often that is looked at.
const LOOK_AFTER_CLEARING: Duration = Duration::from_secs(2);

/// What a keeper is to start.
#[derive(Debug)]
pub struct SpawnRequest {
    /// A name by which events and [`Keeper::terminate`] know it; unique for this keeper.
    pub id: SpawnId,
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments, without the program's name.
    pub arguments: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs, absolute.
    pub directory: PathBuf,
    /// Its standard input. A file needs nobody to write to a pipe.
    pub stdin: OwnedFd,
    /// Its standard output: usually a pipe's writing end.
    pub stdout: OwnedFd,
    /// Its standard error.
    pub stderr: OwnedFd,
}

impl SpawnRequest {
    /// The same as a command of this process: its program, arguments, directory and environment, without its files.
    pub fn command(&self) -> crate::process::Command {
        let mut command =
            crate::process::Command::new(&self.program).arguments(&self.arguments).directory(&self.directory);
        for (name, _) in std::env::vars_os() {
            command = command.environment(name, None);
        }
        for (name, value) in &self.environment {
            command = command.environment(name, Some(value));
        }
        command
    }
}

/// What a keeper runs when its runner is gone and nothing is left below it: it ends what lives elsewhere, such as the
/// containers of an engine. It is given 10 s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRites {
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments, without the program's name.
    pub arguments: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a keeper has to say, as it is written to the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum KeeperEvent {
    /// It was started.
    Spawned {
        /// Which.
        id: SpawnId,
        /// Its process id, which is its process group too.
        pid: i32,
    },
    /// It was not started.
    SpawnFailed {
        /// Which.
        id: SpawnId,
        /// Why.
        fault: StartFault,
    },
    /// It ended. What it started may still be there.
    Exited {
        /// Which.
        id: SpawnId,
        /// How.
        ended: Ended,
    },
    /// Everything below the keeper is gone.
    TreeGone {
        /// Except for these process ids, which could not be killed.
        left: Vec<i32>,
    },
    /// Somebody had stopped this process (SIGSTOP); the keeper let it go on, as [`Keeper::keep_awake`] asked.
    Awakened,
    /// [`Pulse::beat`] was not heard in time: everything below the keeper was ended.
    Silenced,
    /// The keeper itself is gone, unasked, and its orphans have fallen to this process: now is the time for
    /// [`adopt_and_kill`](crate::process::adopt_and_kill). Nothing follows.
    #[serde(skip)]
    Died,
}

/// Since when a keeper is to end all below it, and has not said that it has.
type Clearing = Mutex<Option<Instant>>;

/// A running keeper. All methods can be called from any thread; what comes of them comes as [`KeeperEvent`]s.
///
/// Dropping it ends the keeper and all below it, without waiting for that; [`Keeper::close`] waits.
#[derive(Debug)]
pub struct Keeper {
    process: Process,
    line: Arc<Line>,
    closing: Arc<AtomicBool>,
    has_rites: AtomicBool,
    clearing: Arc<Clearing>,
    /// Its other end is dropped when the keeper has been reaped.
    gone: Receiver<()>,
}

impl Keeper {
    /// Starts a keeper and waits until it is ready. `windlass_program` is absolute and calls
    /// [`keeper_main`](super::keeper_main) for the argument [`KEEPER_COMMAND`].
    ///
    /// `on_event` is called in a thread of the keeper's own, in the order things happened.
    pub fn start(
        windlass_program: &Path,
        on_event: impl Fn(KeeperEvent) + Send + 'static,
    ) -> Result<Keeper, ProcessError> {
        // Until the keeper has a session of its own, a Ctrl-C at the terminal ends it.
        let started = start_process(windlass_program).or_else(|error| match error {
            ProcessError::KeeperMute(_) => start_process(windlass_program),
            other => Err(other),
        })?;
        let StartedKeeper { child, process, socket } = started;
        let line = Arc::new(Line { socket, process, sending: Mutex::new(()) });
        let closing = Arc::new(AtomicBool::new(false));
        let clearing: Arc<Clearing> = Arc::default();
        let (going, gone) = channel();
        let keeper = Keeper {
            process,
            line: Arc::clone(&line),
            closing: Arc::clone(&closing),
            has_rites: AtomicBool::new(false),
            clearing: Arc::clone(&clearing),
            gone,
        };
        let listen = move || {
            let heard = |event: KeeperEvent| {
                if matches!(event, KeeperEvent::TreeGone { .. }) {
                    *since(&clearing) = None;
                }
                on_event(event);
            };
            listen(child, &line.socket, &clearing, &heard);
            if !closing.load(Ordering::Acquire) {
                on_event(KeeperEvent::Died);
            }
            drop(going);
        };
        start_thread("keeper", "start a thread for the keeper", listen)?;
        Ok(keeper)
    }

    /// The keeper's own process id.
    pub fn pid(&self) -> i32 {
        self.process.id.as_raw_nonzero().get()
    }

    /// Starts a program, in a process group of its own, and closes our copies of its files: [`KeeperEvent::Spawned`], later [`KeeperEvent::Exited`]; or
    /// [`KeeperEvent::SpawnFailed`].
    pub fn spawn(&self, request: SpawnRequest) -> Result<(), ProcessError> {
        let SpawnRequest { id, program, arguments, environment, directory, stdin, stdout, stderr } = request;
        let spawn = Spawn {
            id,
            program: program.as_os_str().into(),
            arguments: texts(&arguments),
            environment: variables(&environment),
            directory: directory.as_os_str().into(),
        };
        self.send(&Request::Spawn(spawn), &[stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])
    }

    /// Sends SIGTERM to a program's process group, and wakes what [`Keeper::pause`] stopped. Nothing happens where it
    /// has ended already.
    pub fn terminate(&self, id: SpawnId) -> Result<(), ProcessError> {
        self.send(&Request::Terminate { id }, &[])
    }

    /// Kills and reaps everything below the keeper: [`KeeperEvent::TreeGone`], at the latest after 2 s; [`KeeperEvent::Died`]
    /// where the keeper stands still and cannot be woken.
    pub fn kill_tree(&self) -> Result<(), ProcessError> {
        // Before it is asked: its answer may be here before this thread goes on, and whoever waited from then on would wait for
        // another one, and end a keeper that does nothing wrong.
        since(&self.clearing).get_or_insert_with(Instant::now);
        self.send(&Request::KillTree, &[])
    }

    /// Lets the keeper go on where somebody stopped it: whatever runs below it can do that, and nothing would be seen to
    /// end any more.
    pub fn wake(&self) {
        if let Some(now) = Process::find(self.process.id).filter(|now| now.start == self.process.start) {
            now.wake();
        }
    }

    /// From now on the keeper lets this process go on (SIGCONT) where somebody has stopped it for some seconds while something
    /// runs below the keeper: nobody would count its time. Whoever is to be suspended calls [`Keeper::pause`] before.
    pub fn keep_awake(&self) -> Result<(), ProcessError> {
        self.send(&Request::KeepAwake, &[])
    }

    /// Stops everything below the keeper where it is (SIGSTOP).
    pub fn pause(&self) -> Result<(), ProcessError> {
        self.send(&Request::Pause, &[])
    }

    /// Lets everything below the keeper go on (SIGCONT).
    pub fn resume(&self) -> Result<(), ProcessError> {
        self.send(&Request::Continue, &[])
    }

    /// Has the keeper keep these files open until it ends: a lock among them stays taken for as long as something of
    /// the run may still be alive. At most 32 at once.
    pub fn hold(&self, files: &[BorrowedFd<'_>]) -> Result<(), ProcessError> {
        self.send(&Request::Hold { count: files.len() }, files)
    }

    /// Says what the keeper is to run when it winds up, whether this process was killed or closes it. It takes the place
    /// of what was said before.
    pub fn set_last_rites(&self, rites: &LastRites) -> Result<(), ProcessError> {
        let LastRites { program, arguments, environment } = rites;
        self.has_rites.store(true, Ordering::Release);
        let rites = protocol::LastRites {
            program: program.as_os_str().into(),
            arguments: texts(arguments),
            environment: variables(environment),
        };
        self.send(&Request::LastRites(rites), &[])
    }

    /// Ends the keeper and everything below it, and waits for that: 2.5 s at the longest, unless the keeper itself
    /// hangs or has last rites to see to. There will be no [`KeeperEvent::Died`].
    pub fn close(self) {
        self.closing.store(true, Ordering::Release);
        // One that is gone already needs to hear nothing.
        let _ = self.send(&Request::Farewell, &[]);
        self.part();
        let rites = if self.has_rites.load(Ordering::Acquire) { RITES_PATIENCE } else { Duration::ZERO };
        if self.gone.recv_timeout(CLOSE_PATIENCE + rites) == Err(RecvTimeoutError::Timeout) {
            let _ = self.process.signal(Signal::KILL);
            let _ = self.gone.recv_timeout(CLOSE_PATIENCE);
        }
    }

    fn part(&self) {
        self.closing.store(true, Ordering::Release);
        let _ = self.line.socket.shutdown(Shutdown::Write);
    }

    fn send(&self, request: &Request, files: &[BorrowedFd<'_>]) -> Result<(), ProcessError> {
        self.line.send(request, files)
    }

    /// By this the keeper is told that this process does not stand still.
    pub fn pulse(&self) -> Pulse {
        Pulse(Arc::clone(&self.line))
    }
}

/// Tells a keeper that whoever started it does not stand still. It outlives its [`Keeper`], and is then told in vain.
#[derive(Clone, Debug)]
pub struct Pulse(Arc<Line>);

impl Pulse {
    /// Where this is not said again within so long, the keeper ends all below it, once: [`KeeperEvent::Silenced`].
    pub fn beat(&self, patience: Duration) -> Result<(), ProcessError> {
        self.0.send(&Request::Beat { patience }, &[])
    }
}

/// The way to a keeper.
#[derive(Debug)]
struct Line {
    socket: UnixStream,
    process: Process,
    /// One message at a time.
    sending: Mutex<()>,
}

impl Line {
    /// Nothing happens where it is not stopped.
    fn wake(&self) {
        let _ = self.process.signal(Signal::CONT);
    }

    fn send(&self, request: &Request, files: &[BorrowedFd<'_>]) -> Result<(), ProcessError> {
        if files.len() > FILES_PER_MESSAGE {
            return Err(ProcessError::TooManyFiles(files.len()));
        }
        // One that is stopped would hear nothing, and take nothing once the way to it is full.
        self.wake();
        let _one_at_a_time = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        wire::send(&self.socket, request, files).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => ProcessError::KeeperGone,
            _ => ProcessError::System { action: "speak to the keeper", source: error },
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.part();
    }
}

fn texts(texts: &[OsString]) -> Vec<Text> {
    texts.iter().map(|text| text.as_os_str().into()).collect()
}

fn variables(variables: &[(OsString, OsString)]) -> Vec<(Text, Text)> {
    variables.iter().map(|(name, value)| (name.as_os_str().into(), value.as_os_str().into())).collect()
}

struct StartedKeeper {
    child: Started,
    process: Process,
    socket: UnixStream,
}

#[expect(clippy::disallowed_methods, reason = "this is where keepers are started")]
fn start_process(program: &Path) -> Result<StartedKeeper, ProcessError> {
    let (socket, theirs) =
        UnixStream::pair().map_err(ProcessError::system("make a socket for the keeper"))?;
    let mut command = Command::new(program);
    command
        .arg(KEEPER_COMMAND)
        // It belongs to no run, for whoever looks for leftovers, and keeps no folder busy.
        .env_remove(crate::process::RUN_VARIABLE)
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child =
        Started::spawn(&mut command).map_err(|error| StartFault::new(program, Path::new("/"), &error))?;
    // Closes our copy of its end: otherwise its death would never be seen.
    drop(command);
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    match (wait_until_ready(&socket), id.and_then(Process::find)) {
        (Ok(()), Some(process)) => Ok(StartedKeeper { child, process, socket }),
        (outcome, _) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(ProcessError::KeeperMute(outcome.err().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into())))
        }
    }
}

fn wait_until_ready(socket: &UnixStream) -> io::Result<()> {
    let mut inbox = Inbox::default();
    socket.set_read_timeout(Some(START_PATIENCE))?;
    while inbox.receive(socket)? == Received::Bytes {
        match inbox.message::<Reply>()? {
            None => {}
            // It says nothing more before it is asked, so that nothing can be lost with this inbox.
            Some(Reply::Ready) => return socket.set_read_timeout(Some(LOOK_AFTER_CLEARING)),
            Some(Reply::Unfit { reason }) => return Err(io::Error::other(reason)),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

fn since(clearing: &Clearing) -> MutexGuard<'_, Option<Instant>> {
    clearing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the keeper says next; `false` where it is gone. One that stands still is ended.
fn hears(inbox: &mut Inbox, (child, socket): (&mut Started, &UnixStream), clearing: &Clearing) -> bool {
    loop {
        match inbox.receive(socket) {
            Ok(Received::Bytes) => return true,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                if since(clearing).is_some_and(|since| since.elapsed() >= CLEARING_PATIENCE) {
                    let _ = child.kill();
                }
            }
            _ => return false,
        }
    }
}

/// Passes on what the keeper says, until it is gone; returns when it has been reaped.
///
/// The order matters: its socket closes before its orphans are passed on, its death is reported after that.
fn listen(mut child: Started, socket: &UnixStream, clearing: &Clearing, on_event: &impl Fn(KeeperEvent)) {
    let mut inbox = Inbox::default();
    while hears(&mut inbox, (&mut child, socket), clearing) {
        loop {
            match inbox.message::<KeeperEvent>() {
                Ok(None) => break,
                Ok(Some(event)) => on_event(event),
                Err(_) => {
                    // It talks nonsense, so it cannot be trusted with a run.
                    let _ = child.kill();
                    break;
                }
            }
        }
    }
    let _ = child.wait();
}
