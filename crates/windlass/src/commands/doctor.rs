//! `doctor`: is this machine ready.

use std::process::ExitCode;

use super::not_connected;
use crate::args::DoctorArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &DoctorArgs) -> Result<ExitCode, CliError> {
    Err(not_connected("doctor"))
}
