//! Waiting for something to become true, without sleeping for luck.

use std::thread;
use std::time::{Duration, Instant};

/// Asks `condition` again and again, at first every millisecond, later every 20, until it holds or `patience` is over.
/// Answers whether it held; it is asked at least once, and a last time at the end.
pub fn wait_until(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    loop {
        if condition() {
            return true;
        }
        let Some(left) = deadline.checked_duration_since(Instant::now()) else {
            return false;
        };
        thread::sleep(pause.min(left)); // sleep: between two questions, bounded by the deadline
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
