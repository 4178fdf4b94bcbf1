//! The time of a command that runs below a lane's keeper, and how it ended.

use std::time::Duration;

use windlass_core::values::{CheckResult, Ended};

use crate::hook;

/// A command's time.
#[derive(Debug)]
pub(super) struct Timed {
    timeout: Duration,
    /// Its time begins when it does.
    began: Option<Duration>,
    end: Option<End>,
}

/// How a command ended, or how the wait for it did.
#[derive(Clone, Copy, Debug)]
enum End {
    Ended(Ended),
    TimedOut,
}

impl Timed {
    /// A command whose time begins then; `None` = when its process exists.
    pub fn new(timeout: Duration, began: Option<Duration>) -> Timed {
        Timed { timeout, began, end: None }
    }

    /// Its process exists.
    pub fn begin(&mut self, now: Duration) {
        self.began = Some(now);
    }

    /// It ended. Whatever is said of its end first holds.
    pub fn exited(&mut self, ended: Ended) {
        self.end.get_or_insert(End::Ended(ended));
    }

    /// Has it ended?
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Has it ended, or has it to be ended now?
    pub fn is_due(&mut self, now: Duration) -> bool {
        if self.end.is_none() && self.left(now).is_zero() {
            self.end = Some(End::TimedOut);
        }
        self.end.is_some()
    }

    /// How much of its time is left.
    pub fn left(&self, now: Duration) -> Duration {
        self.began.map_or(self.timeout, |began| (began + self.timeout).saturating_sub(now))
    }

    /// How long it has taken.
    pub fn taken(&self, now: Duration) -> Duration {
        now.saturating_sub(self.began.unwrap_or(now))
    }

    /// How it ended; lost where nobody saw that. `None` = its time was up.
    pub fn ended(&self) -> Option<Ended> {
        match self.end.unwrap_or(End::Ended(Ended::Lost)) {
            End::Ended(ended) => Some(ended),
            End::TimedOut => None,
        }
    }

    /// What that is to a check, or a hook.
    pub fn result(&self) -> CheckResult {
        self.ended().map_or(CheckResult::TimedOut, hook::result)
    }
}
