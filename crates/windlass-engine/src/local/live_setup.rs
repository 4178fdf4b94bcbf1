//! A setup command that is under way in the fresh checkout of a lane.

use super::timed::Timed;
use crate::worktree::bootstrap::{End, SetupAttempt, SetupError};

/// A setup command under way.
#[derive(Debug)]
pub(super) struct LiveSetup {
    pub attempt: SetupAttempt,
    pub timed: Timed,
}

impl LiveSetup {
    /// How it ended.
    pub fn end(self) -> Result<(), SetupError> {
        self.attempt.end(self.timed.ended().map_or(End::TimedOut, End::Ended))
    }

    /// It could not be started.
    pub fn not_started(self, why: String) -> Result<(), SetupError> {
        self.attempt.end(End::NotStarted(why))
    }
}
