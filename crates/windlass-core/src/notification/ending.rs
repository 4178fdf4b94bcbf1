//! What the end of a run tells, by its reason.

use crate::values::{Grounds, NotifyEvent, StopReason};

/// The event that comes before `run_end`; `None` where a person stopped the run (which is not an error), or where it came
/// to a limit.
pub(super) const fn event(reason: StopReason) -> Option<NotifyEvent> {
    match reason {
        StopReason::Complete | StopReason::NothingToDo | StopReason::Stagnated | StopReason::NoChanges => {
            Some(NotifyEvent::Completion)
        }
        StopReason::NeedsHuman | StopReason::Blocked => Some(NotifyEvent::NeedsHuman),
        reason if reason.is_error() => Some(NotifyEvent::Error),
        _ => None,
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
        reason => reason.few_words(),
    }
}
