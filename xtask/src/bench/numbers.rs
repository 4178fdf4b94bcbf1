//! Small sums.

use std::time::Duration;

/// The middle one; nothing gives nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Megabytes (of 1,000,000 bytes).
pub fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
