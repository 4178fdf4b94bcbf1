//! Modes: how an iteration is prompted and how progress is read. One file per mode.

mod goal;

use crate::fact::CallReport;
use crate::run::{Job, Mode};

/// Does this call claim that the job is done? Each mode has one source of claims.
#[must_use]
pub fn claims(job: &Job, report: &CallReport) -> bool {
    match job.mode {
        Mode::Goal => goal::claims(&job.completion_signal, report),
    }
}
