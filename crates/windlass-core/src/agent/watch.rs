//! One call, watched: its clocks, and the report at its end.

use std::time::Duration;

use crate::agent::Digest;
use crate::fact::{CallReport, Cut, Ended};

/// The bounds of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallClocks {
    /// Without a byte from the agent.
    pub silence: Duration,
    /// The whole call.
    pub wall: Duration,
    /// Why the call is cut when `wall` runs out: [`Cut::WallClock`], or [`Cut::Duration`] where the run ends first.
    pub wall_means: Cut,
    /// After the last result, until the process must have ended.
    pub linger: Duration,
    /// The same while background tasks run.
    pub linger_background: Duration,
}

/// What has become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// End the call.
    Cut(Cut),
    /// The process is gone and its pipes are closed, or have been drained for long enough: take the report.
    Finished,
}

/// One call as it is seen from outside. All times are monotonic, on the clock of [`Now`](crate::fact::Now).
#[derive(Debug)]
pub struct CallWatch {}

impl CallWatch {
    /// A call that is starting now.
    #[must_use]
    pub fn new(_started: Duration, _clocks: CallClocks) -> CallWatch {
        CallWatch {}
    }
    /// A digest came.
    pub fn observe(&mut self, _at: Duration, _digest: &Digest) {}
    /// Bytes came, of whatever kind (a heartbeat, half a line).
    pub fn bytes(&mut self, _at: Duration) {}
    /// The process ended.
    pub fn exited(&mut self, _at: Duration, _ended: Ended) {}
    /// Both pipes reached their end.
    pub fn pipes_closed(&mut self, _at: Duration) {}
    /// The runner has begun to end the call; no further [`Due::Cut`] is raised.
    pub fn cut(&mut self, _cut: Cut) {}
    /// What is due at this time, if anything.
    #[must_use]
    pub fn due(&self, _at: Duration) -> Option<Due> {
        None
    }
    /// When [`due`](CallWatch::due) may next say something new without a further event.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        None
    }
    /// The report.
    #[must_use]
    pub fn report(self, _at: Duration, _stderr_tail: &str) -> Option<CallReport> {
        None
    }
}
