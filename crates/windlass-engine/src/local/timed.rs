//! The time of a command that runs below a lane's keeper, and how it ended.

use std::time::Duration;

use windlass_core::values::{CheckResult, Ended};

use crate::hook;

/// Whoever sees that the time is up may have been stopped until now, and the word of the end may be waiting: so long it is looked for.
const GRACE: Duration = Duration::from_millis(100);

/// A command's time.
#[derive(Debug)]
pub(super) struct Timed {
    timeout: Duration,
    /// Its time begins when it does.
    began: Option<Duration>,
    /// When it was first seen that the time is up.
    overdue: Option<Duration>,
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
        Timed { timeout, began, overdue: None, end: None }
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
            match self.overdue {
                None => self.overdue = Some(now),
                Some(_) => self.end = Some(End::TimedOut),
            }
        }
        self.end.is_some()
    }

    /// How much of its time is left.
    pub fn left(&self, now: Duration) -> Duration {
        let end = match self.overdue {
            Some(seen) => Some(seen + GRACE),
            None => self.began.map(|began| began + self.timeout),
        };
        end.map_or(self.timeout, |end| end.saturating_sub(now))
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_end_that_is_known_only_after_the_time_is_up_is_no_timeout() {
        let mut timed = Timed::new(SECOND * 3, Some(SECOND));
        assert!(!timed.is_due(SECOND * 3));
        assert_eq!(timed.left(SECOND * 3), SECOND);
        // The runner was stopped meanwhile.
        assert!(!timed.is_due(SECOND * 9));
        timed.exited(Ended::Exited(0));
        assert!(timed.is_due(SECOND * 10));
        assert_eq!(timed.ended(), Some(Ended::Exited(0)));
    }

    #[test]
    fn what_does_not_end_times_out_shortly_after() {
        let mut timed = Timed::new(SECOND * 3, Some(Duration::ZERO));
        assert!(!timed.is_due(SECOND * 3));
        assert_eq!(timed.left(SECOND * 3), GRACE);
        assert!(timed.is_due(SECOND * 3 + GRACE));
        timed.exited(Ended::Exited(0));
        assert_eq!(timed.result(), CheckResult::TimedOut);
    }
}
