//! Small sums.

use std::time::Duration;

/// The middle one; nothing gives nothing.
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share of them lies; nothing gives nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count is a small number"
)]
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let index = (values.len() as f64 * share) as usize;
    values.get(index).copied().unwrap_or_default()
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Megabytes (of 1,000,000 bytes).
pub fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
