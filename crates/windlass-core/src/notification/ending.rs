//! What the end of a run tells, by its reason.

use crate::config::NotifyEvent;
use crate::values::{Grounds, StopReason};

/// The event that comes before `run_end`; `None` where a person stopped the run (which is no error), or where it came
/// to a limit.
pub(super) const fn event(reason: StopReason) -> Option<NotifyEvent> {
    match reason {
        StopReason::Complete | StopReason::NothingToDo | StopReason::Stagnated | StopReason::NoChanges => {
            Some(NotifyEvent::Completion)
        }
        StopReason::NeedsHuman | StopReason::Blocked => Some(NotifyEvent::NeedsHuman),
        StopReason::ConsecutiveFailures
        | StopReason::AgentUnavailable
        | StopReason::LimitWaitExceeded
        | StopReason::GatesFailing
        | StopReason::Locked
        | StopReason::HookAbort
        | StopReason::HookSkips
        | StopReason::DiskFull
        | StopReason::DestructiveChange
        | StopReason::SetupFailed
        | StopReason::Internal
        | StopReason::Missing => Some(NotifyEvent::Error),
        StopReason::Interrupted
        | StopReason::Terminated
        | StopReason::StopRequested
        | StopReason::MaxIterations
        | StopReason::MaxCost
        | StopReason::MaxTokens
        | StopReason::MaxDuration => None,
    }
}

/// The first line of that event's body.
pub(super) const fn head(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Complete => "TASK COMPLETE ✅",
        StopReason::NothingToDo => "NOTHING TO DO ✅",
        StopReason::Stagnated | StopReason::NoChanges => "STAGNATED ⚠️",
        StopReason::NeedsHuman | StopReason::Blocked => "A PERSON IS NEEDED",
        _ => "ERROR ENCOUNTERED ⚠️",
    }
}

/// What it means, in a few words.
pub(super) const fn words(reason: StopReason, grounds: Grounds) -> &'static str {
    match reason {
        StopReason::Complete => reason.told(grounds),
        StopReason::NothingToDo => "nothing to do",
        StopReason::MaxIterations => "reached its most iterations",
        StopReason::MaxCost => "its budget is spent",
        StopReason::MaxTokens => "its tokens are used up",
        StopReason::MaxDuration => "its time is up",
        StopReason::Stagnated => "stagnated",
        StopReason::NoChanges => "stagnated: nothing changes",
        StopReason::Blocked => "blocked",
        StopReason::StopRequested | StopReason::Interrupted | StopReason::Terminated => "stopped by a person",
        StopReason::NeedsHuman => "a person is needed",
        StopReason::ConsecutiveFailures => "too many failures in a row",
        StopReason::AgentUnavailable => "the agent is unavailable",
        StopReason::LimitWaitExceeded => "the usage limit resets too late",
        StopReason::GatesFailing => "the checks keep refusing the work",
        StopReason::Locked => "another run works there",
        StopReason::HookAbort => "a hook ended it",
        StopReason::HookSkips => "a hook skipped too often",
        StopReason::DiskFull => "the disk is full",
        StopReason::DestructiveChange => "something was destroyed",
        StopReason::SetupFailed => "a checkout could not be set up",
        StopReason::Internal => "a defect of Windlass",
        StopReason::Missing => "something is missing",
    }
}
