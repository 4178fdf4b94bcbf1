//! Waits for usage limits and outages.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::run::RESET_MARGIN;
use windlass_core::values::{Class, between, later};

use super::Board;

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) since: Timestamp,
    pub(crate) until: Timestamp,
    pub(crate) class: Class,
    /// It ends when the limit resets, as that said; else the limit is only asked again then.
    pub(crate) is_named: bool,
    /// From when on the run's own clock stands still; `None` while it goes on.
    uncounted: Option<Timestamp>,
}

impl Board {
    /// Says how long a session has been at work since the last fact, by its last sign of life: of a call that was cut off, no fact says
    /// it.
    pub fn works_unseen(&mut self, unseen: Duration) {
        self.unseen = unseen;
    }

    pub(super) fn back_off(&mut self, until: Timestamp, class: Class) {
        let since = self.backoff.map_or(self.now, |backoff| backoff.since);
        let calls = self.lanes.values().filter_map(|lane| lane.last_call.as_ref());
        let mut resets = calls.filter_map(|call| call.limit.as_ref()?.resets_at);
        // A limit that refuses again and again is not asked as often as it would have it.
        let is_named =
            resets.any(|reset| reset > self.now && reset <= until && until <= later(reset, RESET_MARGIN));
        let before = self.backoff.and_then(|backoff| backoff.uncounted);
        let uncounted = before.or_else(|| (class == Class::UsageLimit).then_some(self.now));
        self.backoff = Some(Backoff { since, until, class, is_named, uncounted });
    }

    /// Nobody worked, and nobody waited, since the last session's last event.
    pub(super) fn rest_between_sessions(&mut self, last: Timestamp) {
        self.idle += between(last, self.now);
        if let Some(backoff) = self.backoff {
            self.count_wait(backoff, last);
            let uncounted = backoff.uncounted.map(|_| self.now);
            self.backoff = Some(Backoff { since: self.now, uncounted, ..backoff });
        }
    }

    /// How long nobody worked until then, the wait that is under way included.
    pub(crate) fn waited_until(&self, now: Timestamp) -> Duration {
        self.waited + self.backoff.map_or(Duration::ZERO, |backoff| between(backoff.since, now))
    }

    pub(super) fn release(&mut self) {
        if let Some(backoff) = self.backoff.take() {
            self.waits += 1;
            self.count_wait(backoff, self.now);
        }
    }

    /// It lasted until then. An outage counts as work by the run's own clock, and is none.
    fn count_wait(&mut self, backoff: Backoff, until: Timestamp) {
        self.waited += between(backoff.since, until);
        self.counted_waits += between(backoff.since, backoff.uncounted.unwrap_or(until));
    }

    /// The run ends, perhaps in the midst of a wait.
    pub(super) fn leave_waiting(&mut self) {
        self.left_waiting = self.backoff.filter(|backoff| backoff.until > self.now);
        self.release();
    }
}
