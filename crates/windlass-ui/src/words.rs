//! The vocabulary in words for people.

use windlass_agents::Activity;
use windlass_core::values::{CheckResult, CheckStage, Class, Ended, StopReason, Verdict};

use crate::line::{Mark, Tone};

/// A verdict: its colour, its mark, its word.
pub const fn verdict(verdict: Verdict) -> (Tone, Mark, &'static str) {
    match verdict {
        Verdict::Worked => (Tone::Good, Mark::Passed, "worked"),
        Verdict::Idle => (Tone::Warn, Mark::Nothing, "idle"),
        Verdict::Failed => (Tone::Bad, Mark::Failed, "failed"),
        Verdict::ClaimAccepted => (Tone::Good, Mark::Done, "accepted"),
        Verdict::ClaimRefused => (Tone::Warn, Mark::Failed, "refused"),
        Verdict::ClaimUnsupported => (Tone::Warn, Mark::Doubtful, "unproven"),
    }
}

/// How a call went, where its own words are missing.
pub(crate) const fn class(class: Class) -> &'static str {
    match class {
        Class::Success => "the call succeeded",
        Class::Auth => "the agent is not logged in",
        Class::Billing => "the account has no credit",
        Class::Permission => "the account may not do this",
        Class::Config => "the agent cannot work as configured",
        Class::UsageLimit => "usage limit",
        Class::Outage => "outage",
        Class::ContextTooLong => "the conversation became too long",
        Class::MaxTurns => "out of turns",
        Class::BudgetExhausted => "the budget is used up",
        Class::TaskFailure => "the agent failed",
        Class::Interrupted => "interrupted",
        Class::Unknown => "the call went wrong in an unknown way",
    }
}

/// What the agent is doing.
pub(crate) const fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Starting => "starting",
        Activity::Thinking => "thinking",
        Activity::Writing => "writing",
        Activity::Reading => "reading",
        Activity::Editing => "editing",
        Activity::Running => "running a command",
        Activity::UsingTool => "using a tool",
        Activity::Delegating => "a sub-agent works",
        Activity::Compacting => "compacting its context",
        Activity::Retrying => "retrying a request",
    }
}

/// What a process exited with, or the signal that ended it.
pub(crate) const fn exit_or_signal(ended: Ended) -> (Option<i32>, Option<i32>) {
    match ended {
        Ended::Exited(code) => (Some(code), None),
        Ended::Signalled(signal) => (None, Some(signal)),
        Ended::Lost => (None, None),
    }
}

/// How a check's command ended.
pub(crate) fn check_result(result: CheckResult) -> String {
    match result {
        CheckResult::Passed => "passed".to_owned(),
        // What a shell says of a program that it could not start.
        CheckResult::Failed(126) => "exit 126: something it starts may not be executed".to_owned(),
        CheckResult::Failed(127) => "exit 127: something it starts is missing".to_owned(),
        CheckResult::Failed(code) => format!("exit {code}"),
        CheckResult::Signalled(signal) => format!("signal {signal}"),
        CheckResult::TimedOut => "timed out".to_owned(),
        CheckResult::Lost => "could not be run".to_owned(),
    }
}

/// Which tree a check judged, where that is not the work as the agent left it.
pub(crate) const fn judged_tree(stage: CheckStage) -> &'static str {
    match stage {
        CheckStage::Baseline | CheckStage::Candidate => "",
        CheckStage::Committed => ", on the commit",
        CheckStage::Merged => ", on the merged work",
    }
}

/// The colour and the mark of an ending.
pub(crate) const fn ending(reason: StopReason) -> (Tone, Mark) {
    match reason {
        StopReason::Complete | StopReason::NothingToDo => (Tone::Good, Mark::Done),
        reason if reason.is_error() => (Tone::Bad, Mark::Failed),
        _ => (Tone::Warn, Mark::Notice),
    }
}
