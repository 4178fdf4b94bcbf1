//! Waits for usage limits and outages.

use jiff::Timestamp;
use windlass_core::values::{Class, between};

use super::Board;

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) since: Timestamp,
    pub(crate) until: Timestamp,
    pub(crate) class: Class,
    /// The limit has named the time at which it resets; else it is only asked again then.
    pub(crate) is_named: bool,
}

impl Board {
    pub(super) fn back_off(&mut self, until: Timestamp, class: Class) {
        let since = self.backoff.map_or(self.now, |backoff| backoff.since);
        let calls = self.lanes.values().filter_map(|lane| lane.last_call.as_ref());
        let mut resets = calls.filter_map(|call| call.limit.as_ref()?.resets_at);
        let is_named = resets.any(|reset| reset > self.now && reset <= until);
        self.backoff = Some(Backoff { since, until, class, is_named });
    }

    /// Nobody worked, and nobody waited, since the last session's last event.
    pub(super) fn rest_between_sessions(&mut self, last: Timestamp) {
        self.idle += between(last, self.now);
        if let Some(backoff) = &mut self.backoff {
            self.waited += between(backoff.since, last);
            backoff.since = self.now;
        }
    }

    pub(super) fn release(&mut self) {
        if let Some(backoff) = self.backoff.take() {
            self.waits += 1;
            self.waited += between(backoff.since, self.now);
        }
    }

    /// The run ends, perhaps in the midst of a wait.
    pub(super) fn leave_waiting(&mut self) {
        self.left_waiting = self.backoff.filter(|backoff| backoff.until > self.now);
        self.release();
    }
}
