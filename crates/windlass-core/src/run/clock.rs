//! The run's own time: what counts against `--max-duration`.

use std::time::Duration;

use crate::values::Now;

/// Time that counts: the sessions of a run, without waits for usage limits and without the time between a crash and
/// its resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    /// What earlier sessions counted, as far as their facts say.
    earlier: Duration,
    /// How long they worked after that, until they were killed.
    unseen: Duration,
    /// Waits of this session that are over.
    waited: Duration,
    /// A wait that is not over began then, on this session's monotonic clock.
    waiting_since: Option<Duration>,
}

impl Clock {
    /// The time that counts, now.
    pub fn active(&self, now: Now) -> Duration {
        let counted = self.waiting_since.unwrap_or(now.monotonic).saturating_sub(self.waited);
        self.earlier.saturating_add(self.unseen).saturating_add(counted)
    }

    pub(crate) fn wait_begins(&mut self, now: Now) {
        self.waiting_since.get_or_insert(now.monotonic);
    }

    pub(crate) fn wait_ends(&mut self, now: Now) {
        if let Some(since) = self.waiting_since.take() {
            let waited = now.monotonic.saturating_sub(since);
            self.waited = self.waited.saturating_add(waited);
        }
    }

    /// A new session begins; `last` is the last moment that the old one journalled, and `unseen` how long all of them worked after
    /// theirs.
    pub(crate) fn new_session(&mut self, last: Now, unseen: Duration) {
        let was_waiting = self.waiting_since.is_some();
        self.earlier = self.active(last).saturating_sub(self.unseen);
        self.unseen = unseen;
        self.wait_ends(last);
        self.waited = Duration::ZERO;
        self.waiting_since = was_waiting.then_some(Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn at(second: u64) -> Now {
        Now { wall: Timestamp::UNIX_EPOCH, monotonic: seconds(second) }
    }

    // rows: 57
    #[test]
    fn neither_waits_nor_the_time_after_a_crash_count() {
        let mut clock = Clock::default();
        clock.wait_begins(at(10));
        assert_eq!(clock.active(at(40)), seconds(10));
        clock.wait_ends(at(40));
        assert_eq!(clock.active(at(50)), seconds(20));
        clock.wait_begins(at(60));
        assert_eq!(clock.active(at(65)), seconds(30));
        // The runner died at some time after 70; the wait goes on in a session whose clock begins anew.
        clock.new_session(at(70), Duration::ZERO);
        assert_eq!(clock.active(at(5)), seconds(30));
        clock.wait_ends(at(5));
        assert_eq!(clock.active(at(15)), seconds(40));
        clock.new_session(at(15), seconds(6));
        assert_eq!(clock.active(at(7)), seconds(53));
        clock.new_session(at(8), seconds(6));
        assert_eq!(clock.active(at(1)), seconds(55));
    }
}
