//! Threads that are known by their names.

use std::thread::{Builder, JoinHandle};

use windlass_host::process::ProcessError;

/// Begins one.
///
/// # Errors
/// The system has no room for it.
pub(crate) fn start(
    name: impl Into<String>,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, ProcessError> {
    Builder::new().name(name.into()).spawn(work).map_err(ProcessError::system("start a thread"))
}
