//! Threads that are known by their names.

use std::thread::JoinHandle;

use windlass_host::process::{ProcessError, start_thread};

/// Begins one, which gives something when it ends.
///
/// # Errors
/// The system has no room for it.
pub(crate) fn start<T: Send + 'static>(
    name: impl Into<String>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, ProcessError> {
    start_thread(name, "start a thread", work)
}
