//! `restore`: puts files back.

use std::process::ExitCode;

use super::not_connected;
use crate::args::RestoreArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &RestoreArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("restore"))
}
