//! `resume`: continues a run.

use std::process::ExitCode;

use windlass_core::config::Layer;

use super::{flags, not_connected};
use crate::args::ResumeArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(args: &ResumeArgs) -> Result<ExitCode, CliError> {
    let _raised: Layer = flags::resume(args)?;
    Err(not_connected("resume"))
}
