//! An agent that has the user's terminal.
//!
//! It stays in our process group, as an editor does that git starts: what the keys mean (Ctrl-C, Ctrl-Z), a hang-up and
//! another window size reach it without us, `fg` gives the terminal back to both, and there is no moment in which it
//! would read from a terminal that is not its own yet. We are deaf to Ctrl-C and Ctrl-\ meanwhile: they are meant for
//! the agent. A handler, not `SIG_IGN`, which the agent would inherit.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};
use windlass_core::values::Ended;

use super::command::Command;
use super::error::StartFault;
use super::started::Started;
use super::tree::Process;
use super::{ProcessError, adopt_and_kill, become_subreaper, start_thread};

/// How long an agent that was asked to end may take.
const GRACE: Duration = Duration::from_secs(5);

/// How long to look whether a stopped agent is stopped for good: a `fg` continues us a moment before it, or after it.
const SETTLE: Duration = Duration::from_millis(50);

/// What became of an agent that had the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedBack {
    /// How it ended.
    pub ended: Ended,
    /// Somebody wanted us to end (SIGTERM, or the terminal is gone), and it was ended for that.
    pub asked: bool,
    /// Ids of processes it started that could not be ended.
    pub left: Vec<i32>,
}

enum Event {
    Ended(Ended),
    Stopped,
    AskedToEnd,
    TerminalGone,
}

impl Command {
    /// Runs it with our standard input, output and error until it ends, and ends whatever it left running.
    ///
    /// The terminal's modes are afterwards as they were before, however it ended. SIGTERM to us, or a hang-up, asks it
    /// to end and kills it 5 s later; a second one kills it at once. Its timeout and what it was to read do not count.
    pub fn with_terminal(&self) -> Result<HandedBack, ProcessError> {
        become_subreaper()?;
        let modes = Modes::save();
        let (sender, events) = channel();
        let signals = watch_signals(sender.clone())?;
        let started = self.start_with_terminal();
        let result = started.map_err(ProcessError::from).and_then(|child| attend(&child, sender, &events));
        let left = adopt_and_kill();
        modes.restore();
        signals.close();
        let (ended, asked) = result?;
        Ok(HandedBack { ended, asked, left })
    }

    fn start_with_terminal(&self) -> Result<Started, StartFault> {
        let mut command = self.prepared();
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        Started::spawn(&mut command).map_err(|error| self.fault(&error))
    }
}

/// Waits for the agent's end.
fn attend(
    child: &Started,
    sender: Sender<Event>,
    events: &Receiver<Event>,
) -> Result<(Ended, bool), ProcessError> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = id.ok_or(rustix::io::Errno::SRCH).and_then(|id| {
        let handle = rustix::process::pidfd_open(id, PidfdFlags::empty())?;
        Ok((id, handle))
    });
    let (id, handle) = handle.map_err(ProcessError::system("watch the agent"))?;
    start_thread("agent", "start a thread", move || wait(id, &sender))?;
    let mut deadline = None;
    loop {
        match next(events, deadline) {
            Some(Event::Ended(ended)) => return Ok((ended, deadline.is_some())),
            Some(Event::Stopped) => stop_with(id, &handle),
            Some(Event::AskedToEnd | Event::TerminalGone) if deadline.is_some() => {
                send(&handle, Signal::KILL);
            }
            Some(event) => {
                let gone = matches!(event, Event::TerminalGone);
                send(&handle, if gone { Signal::HUP } else { Signal::TERM });
                // A stopped one hears nothing.
                send(&handle, Signal::CONT);
                deadline = Some(Instant::now() + GRACE);
            }
            None => {
                send(&handle, Signal::KILL);
                deadline = Some(Instant::now() + GRACE);
            }
        }
    }
}

/// The next event; `None` when the deadline has come.
fn next(events: &Receiver<Event>, deadline: Option<Instant>) -> Option<Event> {
    let Some(deadline) = deadline else {
        return events.recv().ok();
    };
    events.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

fn send(handle: &OwnedFd, signal: Signal) {
    // It may have ended by itself.
    let _ = rustix::process::pidfd_send_signal(handle, signal);
}

/// The agent stopped itself (Ctrl-Z, where it reads the keys itself): so do we, and the shell takes the terminal. `fg`
/// continues us both; where no shell waits for us, nothing stops and the agent goes on.
fn stop_with(agent: Pid, handle: &OwnedFd) {
    // Where the keys stopped us both, the event is old by the time we are continued.
    thread::sleep(SETTLE);
    if Process::find(agent).is_none_or(|process| process.state != b'T') {
        return;
    }
    let _ = signal_hook::low_level::raise(SIGTSTP);
    send(handle, Signal::CONT);
}

/// Tells of every stop and of the end; reaps it.
fn wait(agent: Pid, events: &Sender<Event>) {
    loop {
        let status =
            match rustix::process::waitid(WaitId::Pid(agent), WaitIdOptions::EXITED | WaitIdOptions::STOPPED)
            {
                Err(rustix::io::Errno::INTR) => continue,
                other => other.ok().flatten(),
            };
        let event = match status {
            Some(status) if status.stopped() => Event::Stopped,
            Some(status) => Event::Ended(Ended::of(status.exit_status(), status.terminating_signal())),
            None => Event::Ended(Ended::Lost),
        };
        let over = matches!(event, Event::Ended(_));
        if events.send(event).is_err() || over {
            return;
        }
    }
}

fn watch_signals(events: Sender<Event>) -> Result<Handle, ProcessError> {
    let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
        .map_err(ProcessError::system("watch for signals"))?;
    let handle = signals.handle();
    let pass_on = move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGTERM => Event::AskedToEnd,
                SIGHUP => Event::TerminalGone,
                // Ctrl-C and Ctrl-\ are the agent's.
                _ => continue,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    };
    start_thread("signals", "start a thread for signals", pass_on)?;
    Ok(handle)
}

/// How the terminal treats what is typed and printed.
struct Modes(Option<Termios>);

impl Modes {
    fn save() -> Modes {
        Modes(tcgetattr(terminal()).ok())
    }

    /// What is still unread is dropped: it was typed for the agent, and the shell would run it.
    fn restore(&self) {
        if let Some(modes) = &self.0 {
            // A terminal that is gone has no modes. Nothing is waited for: output may be held by Ctrl-S.
            let _ = tcsetattr(terminal(), OptionalActions::Now, modes);
            let _ = tcflush(terminal(), QueueSelector::IFlush);
        }
    }
}

fn terminal() -> impl AsFd {
    io::stdin()
}
