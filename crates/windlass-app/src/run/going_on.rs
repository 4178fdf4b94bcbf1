//! Whether a run that ended, or was cut off, can go on.

use windlass_core::values::{Needs, StopReason};
use windlass_engine::store::RunSummary;

/// Did it end where it can simply go on?
pub fn is_open(run: &RunSummary) -> bool {
    run.ending.is_none_or(|ending| goes_on(ending.stop_reason))
}

/// Is it gone on with by whoever works on the same job? What is parked is tried again by a new run alone.
pub fn goes_on_with_its_job(run: &RunSummary) -> bool {
    is_open(run) && run.ending.is_none_or(|ending| ending.stop_reason != StopReason::Blocked)
}

/// Does it keep a new run of its job from beginning by accident, in its directory?
pub fn holds_its_job(run: &RunSummary) -> bool {
    goes_on_with_its_job(run) && has_begun(run)
}

/// Has anything been called in it, or done without a call? One that ended before stands in no one's way. That a call cost nothing
/// says nothing: at a usage limit, or without a login, none does.
pub fn has_begun(run: &RunSummary) -> bool {
    run.called || run.iterations > 0
}

/// Does a run that ended so go on without anything being raised?
pub fn goes_on(reason: StopReason) -> bool {
    reason.needs() == Needs::Nothing
}
