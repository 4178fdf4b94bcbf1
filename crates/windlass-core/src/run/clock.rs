//! The run's own time: what counts against `--max-duration`.

use std::time::Duration;

use crate::fact::Now;

/// Time that counts: the sessions of a run, without waits for usage limits and without the time between a crash and
/// its resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    /// What earlier sessions counted.
    earlier: Duration,
    /// Waits of this session that are over.
    waited: Duration,
    /// A wait that is not over began then, on this session's monotonic clock.
    waiting_since: Option<Duration>,
    /// Waits of all sessions that are over.
    waited_in_all: Duration,
}

impl Clock {
    /// The time that counts, now.
    #[must_use]
    pub fn active(&self, now: Now) -> Duration {
        let counted = self.waiting_since.unwrap_or(now.monotonic).saturating_sub(self.waited);
        self.earlier + counted
    }

    /// The time spent waiting for usage limits.
    #[must_use]
    pub fn waited(&self, now: Now) -> Duration {
        let open = self.waiting_since.map_or(Duration::ZERO, |since| now.monotonic.saturating_sub(since));
        self.waited_in_all + open
    }

    pub(crate) fn wait_begins(&mut self, now: Now) {
        self.waiting_since.get_or_insert(now.monotonic);
    }

    pub(crate) fn wait_ends(&mut self, now: Now) {
        if let Some(since) = self.waiting_since.take() {
            let waited = now.monotonic.saturating_sub(since);
            self.waited += waited;
            self.waited_in_all += waited;
        }
    }

    /// A new session begins; `last` is the last moment that the old one journalled.
    pub(crate) fn new_session(&mut self, last: Now) {
        let was_waiting = self.waiting_since.is_some();
        self.earlier = self.active(last);
        self.wait_ends(last);
        self.waited = Duration::ZERO;
        self.waiting_since = was_waiting.then_some(Duration::ZERO);
    }
}
