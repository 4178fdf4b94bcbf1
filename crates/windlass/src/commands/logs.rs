//! `logs`: shows what an agent said and did.

use std::process::ExitCode;

use super::not_connected;
use crate::args::LogsArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &LogsArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("logs"))
}
