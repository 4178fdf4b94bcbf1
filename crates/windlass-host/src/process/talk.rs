//! A process that is talked with by lines: what it prints comes as events, what it is told is written beside.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// A line that is longer comes in pieces of so many bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// So many events wait to be looked at: whoever prints faster waits.
const WAITING: usize = 64;

/// What happened.
#[derive(Debug, PartialEq, Eq)]
pub enum TalkEvent {
    /// It printed this: a line with its `\n`, or a piece of one that is too long, or that never ended.
    Printed(Vec<u8>),
    /// It prints no more.
    Closed,
    /// It ended, with its exit code or 128 and the number of the signal that ended it.
    Ended(u8),
    /// Somebody wants this process to end.
    AskedToEnd,
}

/// A process that is talked with, in a process group of its own: a signal to ours reaches it through us alone.
#[derive(Debug)]
pub struct Talk {
    events: Receiver<TalkEvent>,
    /// What it is told; gone once its standard input is closed.
    words: Option<Sender<String>>,
    group: Option<Pid>,
}

impl Talk {
    /// Starts it with this process's own environment, directory and standard error.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &OsStr, arguments: &[OsString]) -> io::Result<Talk> {
        // Before there is a child: what comes earlier waits for it.
        let signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        #[expect(clippy::disallowed_methods, reason = "it starts what a keeper was asked for")]
        let mut command = Command::new(program);
        command.args(arguments).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (tell, events) = sync_channel(WAITING);
        let (words, told) = channel();
        if let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) {
            let printed = tell.clone();
            spawn("words", move || write(stdin, &told))?;
            spawn("reader", move || read(stdout, &printed))?;
        }
        let signalled = tell.clone();
        spawn("signals", move || listen(signals, &signalled))?;
        spawn("end", move || wait(child, &tell))?;
        Ok(Talk { events, words: Some(words), group })
    }

    /// Tells it a line. Nothing happens where its standard input is closed.
    pub fn tell(&self, line: String) {
        if let Some(words) = &self.words {
            // Whoever reads no more has ended, or will be seen to.
            let _ = words.send(line);
        }
    }

    /// Closes its standard input, once it was told everything.
    pub fn hang_up(&mut self) {
        self.words = None;
    }

    /// What happens next; `None` where nothing does for so long.
    pub fn next(&self, patience: Duration) -> Option<TalkEvent> {
        self.events.recv_timeout(patience).ok()
    }

    /// Asks it, and what is in its process group, to end: SIGTERM.
    pub fn terminate(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::TERM);
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn write(mut stdin: ChildStdin, told: &Receiver<String>) {
    for mut line in told {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stdout: ChildStdout, events: &SyncSender<TalkEvent>) {
    let mut lines = BufReader::with_capacity(64 * 1024, stdout);
    loop {
        let mut line = Vec::new();
        let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if line.is_empty() || read.is_err() {
            let _ = events.send(TalkEvent::Closed);
            return;
        }
        if events.send(TalkEvent::Printed(line)).is_err() {
            return;
        }
    }
}

fn listen(mut signals: Signals, events: &SyncSender<TalkEvent>) {
    for _ in &mut signals {
        if events.send(TalkEvent::AskedToEnd).is_err() {
            return;
        }
    }
}

fn wait(mut child: Child, events: &SyncSender<TalkEvent>) {
    let code = child.wait().map_or(1, code);
    let _ = events.send(TalkEvent::Ended(code));
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_as_the_other_ended() {
        for (raw, expected) in [(0, 0), (7 << 8, 7), (255 << 8, 255), (9, 137), (15, 143)] {
            assert_eq!(code(ExitStatus::from_raw(raw)), expected, "{raw}");
        }
    }
}
