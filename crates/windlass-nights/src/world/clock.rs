//! Two clocks: one on the wall, which can be set and goes on while the machine sleeps, and a monotonic one.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::values::Now;

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Milliseconds since 1970.
    wall: i64,
    /// Since the machine started.
    monotonic: Duration,
    /// When the session began, on the monotonic clock.
    session: Duration,
}

/// 2026-11-21T22:00:00Z.
const EVENING: i64 = 1_795_298_400_000;

impl Clock {
    pub fn new() -> Clock {
        Clock { wall: EVENING, monotonic: Duration::ZERO, session: Duration::ZERO }
    }

    /// As the runner sees it.
    pub fn now(&self) -> Now {
        let wall = Timestamp::from_millisecond(self.wall).unwrap_or(Timestamp::MAX);
        Now { wall, monotonic: self.monotonic.saturating_sub(self.session) }
    }

    /// The machine's age.
    pub fn machine(&self) -> Duration {
        self.monotonic
    }

    /// The session's age.
    pub fn monotonic(&self) -> Duration {
        self.monotonic.saturating_sub(self.session)
    }

    pub fn pass(&mut self, time: Duration) {
        self.monotonic += time;
        self.jump(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    }

    /// The wall clock moves alone: it is set, or the machine slept.
    pub fn jump(&mut self, ms: i64) {
        self.wall = self.wall.saturating_add(ms);
    }

    pub fn new_session(&mut self) {
        self.session = self.monotonic;
    }
}
