//! What reaches the select loop.

use std::io;

use windlass_core::report::Report;
use windlass_core::values::{LaneId, Standing, StopReason};

use windlass_host::process::KeeperEvent;
use windlass_host::process::signals::Signal;

/// One thing that happened outside the loop.
#[derive(Debug)]
pub(super) enum Event {
    /// A lane's keeper spoke.
    Keeper(LaneId, KeeperEvent),
    /// Something in a call's stream may have moved its clocks.
    Stirred,
    /// The job's own file was read while an agent works there.
    StatusSeen(LaneId, Standing),
    /// A call's raw log cannot be written any more.
    LogFailed(io::Error),
    /// A signal came.
    Signal(Signal),
    /// The worker has carried an effect out.
    Worked(Report),
    /// The worker could not carry an effect out.
    WorkFailed(WorkError),
}

/// Why the worker could not carry an effect out.
#[derive(Debug)]
pub(super) struct WorkError {
    /// What the run ends with.
    pub stop_reason: StopReason,
    /// One sentence.
    pub detail: String,
}
