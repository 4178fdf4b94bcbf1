//! What was started by a run itself is no person.

use std::env;

use windlass_engine::store::paths;
use windlass_host::process::{RUN_VARIABLE, windlass_above};

use crate::error::AppError;
use crate::here;

/// A person trusts; what a run started is none.
pub fn refuse_below_windlass() -> Result<(), AppError> {
    refuse_inside_a_run()?;
    let root = |value: &dyn Fn(&str) -> Option<std::ffi::OsString>| paths::state_root(value).ok();
    let Some(process) = windlass_above(&here::state_root()?, &root) else { return Ok(()) };
    Err(AppError::usage(format!("refused: this was started by windlass itself (process {process})"))
        .hint("Only a person trusts what a repository starts: windlass trust, in a terminal of yours.")
        .hint("What is trusted already: windlass trust --list"))
}

/// Whatever a run starts carries its name in `WINDLASS_RUN`: neither the agent nor a gate may start, stop or undo runs.
pub fn refuse_inside_a_run() -> Result<(), AppError> {
    let Some(run) = env::var_os(RUN_VARIABLE).filter(|run| !run.is_empty()) else {
        return Ok(());
    };
    let message = format!("refused: this was started by windlass itself (run {})", run.to_string_lossy());
    Err(AppError::usage(message)
        .hint("Inside a run only verbs that change nothing work: list, show, runs, status, logs, doctor.")
        .hint("If this is not within a run: unset WINDLASS_RUN"))
}
