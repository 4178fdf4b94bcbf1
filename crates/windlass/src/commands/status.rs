//! `status`: shows one run.

use std::process::ExitCode;

use super::not_connected;
use crate::args::StatusArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &StatusArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("status"))
}
