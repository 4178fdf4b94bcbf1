//! A program under way, and how it ended.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::processes::{descendants, kill};
use super::waiting::wait_until;
use crate::contract;
use crate::evidence::{Watched, watched};

/// How long the pipes may stay open after the program itself has ended.
const DRAIN: Duration = Duration::from_secs(2);

/// A program that was started, in a process group of its own. It is killed, with all its descendants, when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Collector,
    stderr: Collector,
    ended: bool,
    watched: Option<Watched>,
}

/// How a program ended and what it said.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// All of its standard error.
    pub stderr: Vec<u8>,
    /// It did not end by itself in time and was killed, with what it had started.
    pub timed_out: bool,
    /// It ended, but something it started kept its output open; what came later is not in here.
    pub output_held: bool,
    /// From its start to its end.
    pub duration: Duration,
}

impl Running {
    /// Starts `command` with an empty stdin.
    pub fn start(command: &mut Command) -> Self {
        Self::spawn(command.stdin(Stdio::null()))
    }

    /// Starts `command` and gives it `input` as its stdin, then closes that.
    pub fn start_with_input(command: &mut Command, input: impl Into<Vec<u8>>) -> Self {
        let mut running = Self::spawn(command.stdin(Stdio::piped()));
        let mut stdin = running.child.stdin.take().expect("the stdin that was asked for");
        let input = input.into();
        // A program that does not read its input is free not to: the thread ends with the pipe.
        thread::spawn(move || stdin.write_all(&input));
        running
    }

    fn spawn(command: &mut Command) -> Self {
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
        let mut child =
            started.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        let stdout = Collector::start(child.stdout.take().expect("the stdout that was asked for"));
        let stderr = Collector::start(child.stderr.take().expect("the stderr that was asked for"));
        Self { child, stdout, stderr, ended: false, watched: watched(command) }
    }

    /// The process id, which is also its group's.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the process alone.
    pub fn signal(&self, signal: Signal) {
        // It may have ended by itself just now; the test sees that in the outcome.
        let _ = kill_process(self.pid(), signal);
    }

    /// Sends a signal to its whole group, as a terminal does for Ctrl-C.
    pub fn signal_group(&self, signal: Signal) {
        let _ = kill_process_group(self.pid(), signal);
    }

    /// What it has written to stdout so far.
    pub fn stdout_so_far(&self) -> String {
        self.stdout.text()
    }

    /// What it has written to stderr so far.
    pub fn stderr_so_far(&self) -> String {
        self.stderr.text()
    }

    /// Waits until stdout holds `needle`; `false` where that took longer than `patience` or the program has ended.
    pub fn wait_for_stdout(&mut self, needle: &str, patience: Duration) -> bool {
        wait_until(patience, || self.stdout.text().contains(needle) || self.has_ended())
            && self.stdout.text().contains(needle)
    }

    /// As [`Running::wait_for_stdout`], for stderr.
    pub fn wait_for_stderr(&mut self, needle: &str, patience: Duration) -> bool {
        wait_until(patience, || self.stderr.text().contains(needle) || self.has_ended())
            && self.stderr.text().contains(needle)
    }

    /// Whether the process has ended. What it started may live on.
    pub fn has_ended(&mut self) -> bool {
        self.try_wait().is_some()
    }

    /// Waits for the end, at most so long; then kills it and everything it started. Never hangs.
    pub fn wait(mut self, patience: Duration) -> Outcome {
        let started = Instant::now();
        let in_time = wait_until(patience, || self.has_ended());
        if !in_time {
            self.kill_tree();
        }
        let status = self.child.wait().expect("the status of a child of ours");
        let duration = started.elapsed();
        self.ended = true;
        let drained = wait_until(DRAIN, || self.stdout.is_complete() && self.stderr.is_complete());
        let outcome = Outcome {
            code: status.code(),
            signal: status.signal(),
            stdout: self.stdout.bytes(),
            stderr: self.stderr.bytes(),
            timed_out: !in_time,
            output_held: !drained,
            duration,
        };
        if let Some(watched) = &self.watched {
            watched.ended(outcome.code, outcome.signal, &outcome.stdout, &outcome.stderr);
        }
        outcome
    }

    fn try_wait(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the status of a child of ours")
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Stops the tree from the top, so that nobody can start anything between being seen and being killed.
    fn kill_tree(&mut self) {
        self.signal(Signal::STOP);
        let tree = descendants(self.id());
        self.signal(Signal::KILL);
        self.signal_group(Signal::KILL);
        for process in tree {
            kill(process);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended && self.try_wait().is_none() {
            self.kill_tree();
            let _ = self.child.wait();
        }
    }
}

impl Outcome {
    /// Standard output as text; bytes that are not UTF-8 are replaced.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text; bytes that are not UTF-8 are replaced.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Standard output as JSON, one value per line. Empty lines are skipped; what Windlass prints is held to its [contract].
    ///
    /// # Panics
    /// Where a line is not JSON, or not as `docs/json-schema.json` says.
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        contract::hold(&self.stdout);
        let text = self.stdout_text();
        let lines = text.split('\n').filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:.300}")))
            .collect()
    }

    /// Passes a program that ended by itself with 0.
    ///
    /// # Panics
    /// Otherwise, with all it said.
    #[track_caller]
    pub fn expect_success(&self, what: &str) {
        self.expect_code(0, what);
    }

    /// Passes a program that ended by itself with `code`.
    ///
    /// # Panics
    /// Otherwise, with all it said.
    #[track_caller]
    pub fn expect_code(&self, code: i32, what: &str) {
        assert!(
            self.code == Some(code) && !self.timed_out,
            "{what}: expected exit code {code}, got {:?}, signal {:?}{}\n--- stdout\n{}\n--- stderr\n{}",
            self.code,
            self.signal,
            if self.timed_out { ", killed for taking too long" } else { "" },
            self.stdout_text(),
            self.stderr_text(),
        );
    }
}

/// Reads a pipe to its end in a thread of its own.
#[derive(Debug)]
struct Collector {
    received: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Collector {
    fn start(mut pipe: impl Read + Send + 'static) -> Self {
        let received = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&received);
        let thread = thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                lock(&into).extend_from_slice(&buffer[..count]);
            }
        });
        Self { received, thread }
    }

    fn is_complete(&self) -> bool {
        self.thread.is_finished()
    }

    fn bytes(&self) -> Vec<u8> {
        lock(&self.received).clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&lock(&self.received)).into_owned()
    }
}

fn lock(received: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}
