//! The runner's two clocks, read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::{Timestamp, Unit};
use windlass_core::values::Now;

/// Reads both clocks; its monotonic one stands still while the run is stopped by Ctrl-Z. Times are whole milliseconds,
/// as the journal has them, so that a live state equals the folded one.
#[derive(Debug)]
pub struct Clock {
    origin: Instant,
    stopped_ms: AtomicU64,
}

impl Clock {
    /// A session that begins now.
    pub fn start() -> Clock {
        Clock { origin: Instant::now(), stopped_ms: AtomicU64::new(0) }
    }

    /// Both clocks.
    pub fn now(&self) -> Now {
        let wall = Timestamp::now();
        Now { wall: wall.round(Unit::Millisecond).unwrap_or(wall), monotonic: self.monotonic() }
    }

    /// The session's age without the time it was stopped.
    pub fn monotonic(&self) -> Duration {
        let stopped = self.stopped_ms.load(Ordering::Acquire);
        Duration::from_millis(millis(self.origin.elapsed()).saturating_sub(stopped))
    }

    /// The run was stopped for so long.
    pub fn was_stopped(&self, time: Duration) {
        self.stopped_ms.fetch_add(millis(time), Ordering::AcqRel);
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
