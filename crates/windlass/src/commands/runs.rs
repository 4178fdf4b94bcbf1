//! `runs`: lists all runs.

use std::process::ExitCode;

use super::not_connected;
use crate::args::RunsArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &RunsArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("runs"))
}
