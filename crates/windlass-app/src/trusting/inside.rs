//! What was started by a run itself is no person.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use windlass_engine::store::paths;
use windlass_host::process::{RUN_VARIABLE, keeper_above, windlass_above};

use crate::error::AppError;
use crate::here;

/// A person trusts; what a run started is none.
pub fn refuse_below_windlass() -> Result<(), AppError> {
    refuse_inside_a_run()?;
    let Some(process) = windlass_above(&here::state_root()?, &state_root) else { return Ok(()) };
    Err(refused(&format!("process {process}"))
        .hint("Only a person trusts what a repository starts: windlass trust, in a terminal of yours.")
        .hint("What is trusted already: windlass trust --list"))
}

/// Whatever a run starts is below its keeper, also where it took `WINDLASS_RUN` away.
pub fn refuse_below_a_keeper() -> Result<(), AppError> {
    refuse_inside_a_run()?;
    let Some(process) = keeper_above(&here::state_root()?, &state_root) else { return Ok(()) };
    Err(refused(&format!("process {process}")).hint(ONLY_LOOKING))
}

fn state_root(value: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    paths::state_root(value).ok()
}

fn refused(by: &str) -> AppError {
    AppError::usage(format!("refused: this was started by windlass itself ({by})"))
}

const ONLY_LOOKING: &str =
    "Inside a run only verbs that change nothing work: list, show, runs, status, logs, doctor.";

/// Whatever a run starts carries its name in `WINDLASS_RUN`: neither the agent nor a gate may start, stop or undo runs.
pub fn refuse_inside_a_run() -> Result<(), AppError> {
    let Some(run) = env::var_os(RUN_VARIABLE).filter(|run| !run.is_empty()) else {
        return Ok(());
    };
    Err(refused(&format!("run {}", run.to_string_lossy()))
        .hint(ONLY_LOOKING)
        .hint("If this is not within a run: unset WINDLASS_RUN"))
}
