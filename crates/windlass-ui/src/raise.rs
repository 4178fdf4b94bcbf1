//! Limits that are high enough to go on with, as flags that can be typed: always of the whole, whoever has used of it.

use std::time::Duration;

use windlass_core::values::Cost;

use crate::format;

/// ` --max-cost 10`: of so much money so much was used.
pub fn cost(used: Cost, most: Cost) -> String {
    let raised = Cost::from_micros(beyond(used.micros(), most.micros()));
    format!(" --max-cost {}", raised.dollars())
}

/// ` --max-tokens 400000`: of so many tokens so many were used.
pub fn tokens(used: u64, most: u64) -> String {
    format!(" --max-tokens {}", beyond(used, most))
}

/// ` --max-duration 2h`: of so much time so much was used.
pub fn duration(used: Duration, most: Duration) -> String {
    let seconds = beyond(used.as_secs(), most.as_secs());
    format!(" --max-duration {}", format::flag_duration(Duration::from_secs(seconds)))
}

/// A whole number of times the limit that leaves about as much room as it gave: twice as much where it was just reached. Never
/// nothing, which would be no limit.
pub(crate) fn beyond(used: u64, limit: u64) -> u64 {
    let limit = if limit == 0 { used.max(1) } else { limit };
    let times = used.saturating_add(limit / 2).checked_div(limit).unwrap_or(0).saturating_add(1);
    limit.saturating_mul(times.max(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_limit_is_above_what_was_used_with_room_as_before() {
        let rows = [
            (2, 2, 4),
            (0, 2, 4),
            (3, 4, 8),
            (20, 2, 22),
            (21, 2, 24),
            (7, 5, 10),
            (8, 5, 15),
            (9, 0, 18),
            (0, 0, 2),
        ];
        for (used, limit, raised) in rows {
            assert_eq!(beyond(used, limit), raised, "{used} of {limit}");
            assert!(raised >= used + limit / 2, "{used} of {limit}");
        }
        assert_eq!(beyond(u64::MAX, 3), u64::MAX);
        let seconds = |tenths: u64| Duration::from_millis(tenths * 100);
        assert_eq!(duration(seconds(25), seconds(20)), " --max-duration 4s");
    }
}
