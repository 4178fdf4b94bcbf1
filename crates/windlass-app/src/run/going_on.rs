//! Whether a run that ended, or was cut off, can go on.

use windlass_core::values::StopReason;
use windlass_engine::store::RunSummary;

/// Did it end where it can simply go on?
pub fn is_open(run: &RunSummary) -> bool {
    run.ending.is_none_or(|ending| goes_on(ending.stop_reason))
}

/// Has anything been called in it, or done without a call? One that ended before stands in no one's way. That a call cost nothing
/// says nothing: at a usage limit, or without a login, none does.
pub fn has_begun(run: &RunSummary) -> bool {
    run.called || run.iterations > 0
}

/// Does a run that ended so go on without anything being raised?
pub fn goes_on(reason: StopReason) -> bool {
    needs(reason) == Needs::Nothing
}

/// What an ended run needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing: it can simply go on.
    Nothing,
    /// This limit, raised.
    Higher(&'static str),
    /// It is done.
    NewRun,
}

/// What a run that ended so needs.
pub(super) fn needs(reason: StopReason) -> Needs {
    match reason {
        // Whoever has put a plan there begins with it.
        StopReason::Complete | StopReason::NothingToDo | StopReason::Missing => Needs::NewRun,
        StopReason::MaxIterations => Needs::Higher("--max-iterations"),
        StopReason::MaxCost => Needs::Higher("--max-cost"),
        StopReason::MaxTokens => Needs::Higher("--max-tokens"),
        StopReason::MaxDuration => Needs::Higher("--max-duration"),
        StopReason::Stagnated | StopReason::NoChanges => Needs::Higher("--stagnation-threshold"),
        _ => Needs::Nothing,
    }
}
