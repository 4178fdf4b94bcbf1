//! Threads that are known by their names.

use std::thread::{Builder, JoinHandle};

use windlass_host::process::ProcessError;

/// Begins one, which gives something when it ends.
///
/// # Errors
/// The system has no room for it.
pub(crate) fn start<T: Send + 'static>(
    name: impl Into<String>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, ProcessError> {
    Builder::new().name(name.into()).spawn(work).map_err(ProcessError::system("start a thread"))
}
