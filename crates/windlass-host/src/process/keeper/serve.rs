//! The keeper process: one thread, one `poll`, no timers but those for a runner that has to be heard of, or kept awake.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpgrp, getpid, kill_process_group};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use windlass_core::values::Ended;

use super::KeeperEvent;
use crate::file::null_device;
use crate::process::error::StartFault;
use crate::process::leftovers::end_commands_of;
use crate::process::protocol::{LastRites, Reply, Request, Spawn, SpawnId};
use crate::process::tree::{Families, Process, descendants, kill_with_descendants};
use crate::process::wire::{self, Inbox, Received};

/// What children get after SIGTERM when the runner is gone.
const LAST_GRACE: Duration = Duration::from_millis(500);

/// How long the tree is killed again and again until it gives up.
const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// How long the last rites may take.
const RITES_PATIENCE: Duration = Duration::from_secs(10);

/// The longest wait between two rounds of killing.
const KILL_PAUSE: Duration = Duration::from_millis(20);

/// Who wakes so late has not been running.
const SLEPT: Duration = Duration::from_secs(1);

/// How often it is looked whether the runner stands still; it is woken where it did the last time as well.
const LOOK: Duration = Duration::from_secs(2);

/// Rounds in which new processes are looked for while the tree is being stopped.
const PAUSE_ROUNDS: u32 = 100;

/// What the keeper process does, from its start to its end. Its standard input is the socket to the runner.
pub fn keeper_main() -> ExitCode {
    let Ok(socket) = take_socket() else {
        return ExitCode::FAILURE;
    };
    match Serving::prepare(socket) {
        Ok(mut serving) => {
            while serving.turn().is_continue() {}
            serving.wind_up();
            ExitCode::SUCCESS
        }
        Err((socket, error)) => {
            let _ = wire::send(&socket, &Reply::Unfit { reason: error.to_string() }, &[]);
            ExitCode::FAILURE
        }
    }
}

/// Moves the socket away from file descriptor 0, so that no child can inherit it.
fn take_socket() -> io::Result<UnixStream> {
    let socket = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(UnixStream::from(socket))
}

/// Signals meant for the runner, or for nobody, must not end the keeper. They are caught rather than ignored: what is
/// ignored would stay ignored in every child.
fn turn_deaf() -> io::Result<()> {
    let heard = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2] {
        signal_hook::flag::register(signal, Arc::clone(&heard))?;
    }
    Ok(())
}

/// Something comes whenever a child ends.
fn watch_children() -> io::Result<UnixStream> {
    let (wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, waker)?;
    Ok(wake)
}

struct Serving {
    socket: UnixStream,
    inbox: Inbox,
    wake: UnixStream,
    /// Those that have not ended.
    children: BTreeMap<SpawnId, Pid>,
    /// Kept open for the runner, and never looked at.
    held: Vec<OwnedFd>,
    /// Run at the very end, while what is held is still held.
    rites: Option<LastRites>,
    paused: bool,
    /// Until when something has to be heard of the runner; `None` where it may be silent.
    silence: Option<Silence>,
    /// Whoever started the keeper.
    runner: Option<Pid>,
    /// Where the runner is to be kept awake.
    awake: Option<Wakefulness>,
}

/// What is known of a runner that is to be kept awake.
#[derive(Clone, Copy)]
struct Wakefulness {
    /// When it is looked at next.
    next: Instant,
    /// It was stopped when it was looked at last.
    was_stopped: bool,
}

impl Wakefulness {
    fn looked(was_stopped: bool) -> Wakefulness {
        Wakefulness { next: Instant::now() + LOOK, was_stopped }
    }
}

/// How long the runner may be silent.
#[derive(Clone, Copy)]
struct Silence {
    patience: Duration,
    until: Instant,
}

impl Silence {
    fn from_now(patience: Duration) -> Silence {
        Silence { patience, until: Instant::now() + patience }
    }
}

/// Is there anything below the keeper?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    /// Nothing: a subreaper without a child has no descendants.
    Nothing,
    Something,
}

impl Serving {
    fn prepare(socket: UnixStream) -> Result<Serving, (UnixStream, io::Error)> {
        let prepared = (|| {
            turn_deaf()?;
            // A session of its own: no terminal's Ctrl-C or hang-up reaches it, and nothing below it can stop at a
            // password prompt on the runner's terminal. It fails only where it is true already.
            let _ = rustix::process::setsid();
            rustix::process::set_child_subreaper(Some(getpid()))?;
            let wake = watch_children()?;
            wire::send(&socket, &Reply::Ready, &[])?;
            Ok(wake)
        })();
        match prepared {
            Ok(wake) => Ok(Serving {
                socket,
                inbox: Inbox::default(),
                wake,
                children: BTreeMap::new(),
                held: Vec::new(),
                rites: None,
                paused: false,
                silence: None,
                runner: rustix::process::getppid().filter(|parent| *parent != Pid::INIT),
                awake: None,
            }),
            Err(error) => Err((socket, error)),
        }
    }

    /// Waits for something and does what it asks. Breaks when the runner is gone.
    fn turn(&mut self) -> ControlFlow<()> {
        let events = PollFlags::IN;
        let mut ready = [PollFd::new(&self.wake, events), PollFd::new(&self.socket, events)];
        let silence = self.silence.map(|silence| silence.until);
        let look = self.awake.filter(|_| self.has_to_be_awake()).map(|awake| awake.next);
        let next = silence.into_iter().chain(look).min();
        let patience = next.map(|next| next.saturating_duration_since(Instant::now()));
        let patience = patience.map(|patience| Timespec::try_from(patience).unwrap_or_default());
        let found = poll(&mut ready, patience.as_ref());
        let [child, socket] = ready.map(|entry| !entry.revents().is_empty());
        self.look_after_runner();
        match found {
            Ok(0) => {
                self.heard_nothing();
                return ControlFlow::Continue(());
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return ControlFlow::Break(()),
        }
        if child {
            self.forget_wakes();
            self.reap();
        }
        if socket { self.serve_requests() } else { ControlFlow::Continue(()) }
    }

    /// The runner stands still. Whoever wakes late stood still as well, and listens for as long again.
    fn heard_nothing(&mut self) {
        let Some(silence) = self.silence.filter(|silence| silence.until <= Instant::now()) else { return };
        if silence.until.elapsed() > SLEPT {
            self.silence = Some(Silence::from_now(silence.patience));
            return;
        }
        self.silence = None;
        if self.reap() == Below::Something {
            self.kill_tree();
            self.tell(&KeeperEvent::Silenced);
        }
    }

    /// Would something below the keeper work on with nobody to count its time? Of a runner that has to be heard of, its silence says so.
    fn has_to_be_awake(&self) -> bool {
        !self.children.is_empty() && !self.paused && self.silence.is_none()
    }

    /// Whoever stopped the runner may be what runs below the keeper.
    fn look_after_runner(&mut self) {
        let Some(awake) = self.awake.filter(|awake| awake.next <= Instant::now()) else { return };
        let runner = self.runner.filter(|_| self.has_to_be_awake()).and_then(Process::find);
        let stopped = runner.filter(Process::is_stopped);
        self.awake = Some(Wakefulness::looked(stopped.is_some()));
        if let Some(runner) = stopped.filter(|_| awake.was_stopped) {
            runner.wake();
            self.tell(&KeeperEvent::Awakened);
        }
    }

    fn serve_requests(&mut self) -> ControlFlow<()> {
        if !matches!(self.inbox.receive(&self.socket), Ok(Received::Bytes)) {
            return ControlFlow::Break(());
        }
        loop {
            match self.inbox.message::<Request>() {
                Ok(None) => return ControlFlow::Continue(()),
                Ok(Some(request)) => {
                    let Ok(files) = self.inbox.files(request.files()) else {
                        return ControlFlow::Break(());
                    };
                    self.obey(request, files);
                }
                Err(_) => return ControlFlow::Break(()),
            }
        }
    }

    fn obey(&mut self, request: Request, files: Vec<OwnedFd>) {
        match request {
            Request::Spawn(spawn) => self.spawn(spawn, files),
            Request::Terminate { id } => self.terminate(id),
            Request::KillTree => {
                let left = self.kill_tree();
                self.tell(&KeeperEvent::TreeGone { left });
            }
            Request::Pause => self.pause(),
            Request::Continue => self.resume(),
            Request::KeepAwake => self.awake = Some(Wakefulness::looked(false)),
            Request::Hold { .. } => self.held.extend(files),
            Request::Beat { patience } => self.silence = Some(Silence::from_now(patience)),
            Request::LastRites(rites) => self.rites = Some(rites),
            Request::Farewell => self.runner = None,
        }
    }

    /// A runner that is gone is noticed at the next read.
    fn tell(&self, event: &KeeperEvent) {
        let _ = wire::send(&self.socket, event, &[]);
    }

    fn spawn(&mut self, spawn: Spawn, files: Vec<OwnedFd>) {
        let id = spawn.id;
        match start(spawn, files) {
            Ok(child) => {
                self.children.insert(id, child);
                self.tell(&KeeperEvent::Spawned { id, pid: child.as_raw_nonzero().get() });
            }
            Err(fault) => self.tell(&KeeperEvent::SpawnFailed { id, fault }),
        }
    }

    fn terminate(&mut self, id: SpawnId) {
        if let Some(child) = self.children.get(&id) {
            let _ = kill_process_group(*child, Signal::TERM);
        }
        if self.paused {
            // What is stopped cannot end in an orderly way.
            self.resume();
        }
    }

    fn pause(&mut self) {
        self.paused = true;
        let mut stopped = Vec::new();
        for _ in 0..PAUSE_ROUNDS {
            let mut found = descendants(getpid());
            found.retain(|process| !stopped.contains(&(process.id, process.start)));
            if found.is_empty() {
                return;
            }
            for process in found {
                let _ = process.signal(Signal::STOP);
                stopped.push((process.id, process.start));
            }
        }
    }

    fn resume(&mut self) {
        self.paused = false;
        for process in descendants(getpid()) {
            let _ = process.signal(Signal::CONT);
        }
    }

    /// Kills everything below, until nothing is left or patience ends; says what is left.
    fn kill_tree(&mut self) -> Vec<i32> {
        let deadline = Instant::now() + KILL_PATIENCE;
        let mut pause = Duration::from_millis(1);
        let own = getpgrp().as_raw_nonzero().get();
        while self.reap() == Below::Something {
            if Instant::now() >= deadline {
                let left = descendants(getpid()).into_iter().filter(|process| !process.is_dead());
                return left.map(|process| process.id.as_raw_nonzero().get()).collect();
            }
            let families = Families::look();
            kill_with_descendants(&families, families.children(getpid()), |group| group == own);
            self.wait_for_child(pause);
            pause = (pause * 2).min(KILL_PAUSE);
        }
        self.paused = false;
        Vec::new()
    }

    /// The runner is gone, or has closed this keeper: a short grace, then the end.
    fn wind_up(&mut self) {
        for child in self.children.values() {
            let _ = kill_process_group(*child, Signal::TERM);
        }
        if self.paused {
            self.resume();
        }
        let deadline = Instant::now() + LAST_GRACE;
        while self.reap() == Below::Something && !self.children.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.wait_for_child(left);
        }
        self.kill_tree();
        // What one that is gone waited for itself, git, is not below this keeper.
        self.runner.into_iter().for_each(end_commands_of);
        if let Some(rites) = self.rites.take() {
            self.see_to(rites);
        }
    }

    /// Runs the last rites to their end, with nothing to read and nobody to tell.
    fn see_to(&mut self, rites: LastRites) {
        let (Ok(stdin), Ok(stdout), Ok(stderr)) = (null_device(), null_device(), null_device()) else {
            return;
        };
        let LastRites { program, arguments, environment } = rites;
        let directory = OsStr::new("/").into();
        let spawn = Spawn { id: SpawnId::MAX, program, arguments, environment, directory };
        let Ok(child) = start(spawn, vec![stdin, stdout, stderr]) else {
            return;
        };
        let deadline = Instant::now() + RITES_PATIENCE;
        // Only this one is waited for: what it may leave running is killed.
        while matches!(
            rustix::process::waitpid(Some(child), WaitOptions::NOHANG),
            Ok(None) | Err(Errno::INTR)
        ) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.wait_for_child(left);
        }
        self.kill_tree();
    }

    fn wait_for_child(&mut self, at_most: Duration) {
        let timeout = Timespec::try_from(at_most).unwrap_or_default();
        let _ = poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], Some(&timeout));
        self.forget_wakes();
    }

    fn forget_wakes(&mut self) {
        while matches!(self.wake.read(&mut [0; 64]), Ok(64)) {}
    }

    /// Reaps whatever has ended, adopted or own, and tells the runner of its own.
    fn reap(&mut self) -> Below {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => self.ended(pid, status),
                Ok(None) => return Below::Something,
                Err(Errno::INTR) => {}
                Err(_) => return Below::Nothing,
            }
        }
    }

    fn ended(&mut self, pid: Pid, status: WaitStatus) {
        let Some(id) = self.children.iter().find_map(|(id, child)| (*child == pid).then_some(*id)) else {
            return;
        };
        self.children.remove(&id);
        let ended = Ended::of(status.exit_status(), status.terminating_signal());
        self.tell(&KeeperEvent::Exited { id, ended });
    }
}

/// Starts a child in a process group of its own. The keeper's copies of the files are closed when it returns.
#[expect(clippy::disallowed_methods, reason = "the keeper is who starts processes")]
fn start(spawn: Spawn, files: Vec<OwnedFd>) -> Result<Pid, StartFault> {
    let program = PathBuf::from(OsString::from(spawn.program));
    let directory = PathBuf::from(OsString::from(spawn.directory));
    let fault = |error: io::Error| StartFault::new(&program, &directory, &error);
    let [stdin, stdout, stderr] = <[OwnedFd; 3]>::try_from(files).map_err(|_| fault(Errno::BADF.into()))?;
    let environment = spawn.environment.into_iter();
    let child = Command::new(&program)
        .args(spawn.arguments.into_iter().map(OsString::from))
        .env_clear()
        .envs(environment.map(|(name, value)| (OsString::from(name), OsString::from(value))))
        .current_dir(&directory)
        .process_group(0)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .map_err(fault)?;
    // The child is reaped with all others; dropping the handle does not end it.
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| fault(Errno::SRCH.into()))
}
