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
    let index = (values.len().saturating_sub(1) as f64 * share).round() as usize;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_there() {
        let values = || vec![9.0, 1.0, 5.0, 3.0, 7.0];
        assert_eq!((median(values()), quantile(values(), 0.1), quantile(values(), 0.25)), (5.0, 1.0, 3.0));
        assert_eq!((median(Vec::new()), quantile(vec![2.0], 1.0)), (0.0, 2.0));
    }
}
