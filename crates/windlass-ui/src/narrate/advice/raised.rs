//! Flags that raise the limits of a run so that it can go on.

use std::time::Duration;

use windlass_core::spec::RunSpec;
use windlass_core::values::{Cost, StopReason};

use crate::board::Board;
use crate::format;

/// Limits of which a run can have reached several.
const LIMITS: [StopReason; 4] =
    [StopReason::MaxIterations, StopReason::MaxCost, StopReason::MaxTokens, StopReason::MaxDuration];

/// The flag that raises the limit which ended the run.
pub(super) fn of(board: &Board, plan: &RunSpec, limit: StopReason) -> String {
    let limits = &plan.limits;
    match limit {
        StopReason::MaxIterations => {
            let most = u64::from(limits.iterations.unwrap_or(50));
            format!(" --max-iterations {}", beyond(u64::from(board.tally.total()), most))
        }
        StopReason::MaxCost => {
            let most = limits.cost.unwrap_or(Cost::from_micros(5_000_000));
            let spent = board.charged.cost + limits.spent_before;
            let raised = Cost::from_micros(beyond(spent.micros(), most.micros()));
            format!(" --max-cost {}", raised.dollars())
        }
        StopReason::MaxTokens => {
            format!(" --max-tokens {}", beyond(board.tokens.total(), limits.tokens.unwrap_or(1_000_000)))
        }
        StopReason::MaxDuration => {
            let seconds = beyond(active(board).as_secs(), limits.duration.unwrap_or_default().as_secs());
            format!(" --max-duration {}", format::flag_duration(Duration::from_secs(seconds)))
        }
        _ => String::new(),
    }
}

/// Flags that raise the other limits that the run has reached: it would end at once otherwise.
pub(super) fn others(board: &Board, plan: &RunSpec, reason: StopReason) -> String {
    let reached = LIMITS.into_iter().filter(|limit| *limit != reason && is_reached(board, plan, *limit));
    reached.map(|limit| of(board, plan, limit)).collect()
}

fn is_reached(board: &Board, plan: &RunSpec, limit: StopReason) -> bool {
    let limits = &plan.limits;
    match limit {
        StopReason::MaxIterations => limits.iterations.is_some_and(|most| board.tally.total() >= most),
        StopReason::MaxCost => limits.budget().is_some_and(|most| board.charged.cost >= most),
        StopReason::MaxTokens => limits.tokens.is_some_and(|most| board.tokens.total() >= most),
        StopReason::MaxDuration => limits.duration.is_some_and(|most| active(board) >= most),
        _ => false,
    }
}

/// The time of the run that counts, as it was when it ended.
fn active(board: &Board) -> Duration {
    board.ending.as_ref().map_or(Duration::ZERO, |ending| ending.duration)
}

/// A whole number of times the limit that leaves about as much room as it gave: twice as much where it was just reached.
fn beyond(used: u64, limit: u64) -> u64 {
    let times = used.saturating_add(limit / 2).checked_div(limit).unwrap_or(0).saturating_add(1);
    limit.saturating_mul(times.max(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_limit_is_above_what_was_used_with_room_as_before() {
        let rows =
            [(2, 2, 4), (0, 2, 4), (3, 4, 8), (20, 2, 22), (21, 2, 24), (7, 5, 10), (8, 5, 15), (9, 0, 0)];
        for (used, limit, raised) in rows {
            assert_eq!(beyond(used, limit), raised, "{used} of {limit}");
            assert!(limit == 0 || raised >= used + limit / 2, "{used} of {limit}");
        }
        assert_eq!(beyond(u64::MAX, 3), u64::MAX);
    }
}
