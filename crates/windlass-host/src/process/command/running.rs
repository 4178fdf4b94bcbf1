//! The short commands that run now: they end when a person wants that, and none outlives the process that waits for it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal};

/// The groups of those that run. One list, as there is one process.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Marks a short command with the process that waits for it.
pub const WAITING_VARIABLE: &str = "WINDLASS_WAITING";

/// A command is on the list for as long as this lives: no longer than until it is reaped.
pub struct Listed(i32);

impl Listed {
    pub fn new(group: Pid) -> Listed {
        let group = group.as_raw_nonzero().get();
        list().insert(group);
        Listed(group)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        list().remove(&self.0);
    }
}

/// Sends a signal to all short commands that this process waits for. One that waits for the other end of a pipe ends by it,
/// and takes its lock files with it.
pub fn signal_commands(signal: Signal) {
    for group in list().iter().filter_map(|group| Pid::from_raw(*group)) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

fn list() -> std::sync::MutexGuard<'static, BTreeSet<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
