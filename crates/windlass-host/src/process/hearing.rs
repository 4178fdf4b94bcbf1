//! Waiting for what a process says, and the pipes that it says it through.

use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::ProcessError;

/// The first of what is said that matters; `None` when the time is up, or when nobody is left who could speak.
pub fn first_of<S, T>(said: &Receiver<S>, deadline: Instant, matters: impl Fn(S) -> Option<T>) -> Option<T> {
    loop {
        let heard = said.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
        if let Some(found) = matters(heard) {
            return Some(found);
        }
    }
}

/// Starts a thread; `doing` says of an error what the thread was for.
pub fn start_thread<T: Send + 'static>(
    name: impl Into<String>,
    doing: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, ProcessError> {
    thread::Builder::new()
        .name(name.into())
        .spawn(work)
        .map_err(|source| ProcessError::Thread { action: doing, source })
}

/// A pipe: the end to read from, and the end to write to.
///
/// # Errors
/// The system has none to give.
pub fn pipe() -> Result<(OwnedFd, OwnedFd), ProcessError> {
    let (read, write) = std::io::pipe().map_err(ProcessError::system("make a pipe"))?;
    Ok((read.into(), write.into()))
}
