//! `stop`: ends a run after its current iteration.

use std::process::ExitCode;

use super::not_connected;
use crate::args::StopArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &StopArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("stop"))
}
