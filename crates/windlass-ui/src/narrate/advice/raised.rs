//! Flags that raise the limits of a run so that it can go on.

use std::time::Duration;

use windlass_core::spec::RunSpec;
use windlass_core::values::{Cost, StopReason};

use crate::board::Board;
use crate::raise;

/// Limits of which a run can have reached several.
const LIMITS: [StopReason; 4] =
    [StopReason::MaxIterations, StopReason::MaxCost, StopReason::MaxTokens, StopReason::MaxDuration];

/// The flag that raises the limit which ended the run.
pub(super) fn of(board: &Board, plan: &RunSpec, limit: StopReason) -> String {
    let limits = &plan.limits;
    match limit {
        StopReason::MaxIterations => {
            let most = u64::from(limits.iterations.unwrap_or(50));
            format!(" --max-iterations {}", raise::beyond(begun_before_the_last(board), most))
        }
        StopReason::MaxCost => {
            let most = limits.cost.unwrap_or(Cost::from_micros(5_000_000));
            raise::cost(board.charged.cost + limits.spent_before, most)
        }
        StopReason::MaxTokens => {
            let (used, most) = (board.tokens.total(), limits.tokens.unwrap_or(1_000_000));
            match limits.whole_pipeline() {
                Some(whole) => {
                    raise::tokens(used.saturating_add(whole.tokens_before), whole.tokens.unwrap_or(most))
                }
                None => raise::tokens(used, most),
            }
        }
        StopReason::MaxDuration => {
            let (used, most) = (active(board), limits.duration.unwrap_or_default());
            match limits.whole_pipeline() {
                Some(whole) => raise::duration(
                    used.saturating_add(whole.duration_before),
                    whole.duration.unwrap_or(most),
                ),
                None => raise::duration(used, most),
            }
        }
        _ => String::new(),
    }
}

/// Iterations that a limit must exceed for all that has begun to go on: those that have ended, and those before one that has not,
/// where a resumption has lowered the limit below that.
fn begun_before_the_last(board: &Board) -> u64 {
    let newest = board.lanes.values().map(|lane| lane.iteration).max().unwrap_or(0);
    u64::from(board.tally.total().max(newest.saturating_sub(1)))
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
