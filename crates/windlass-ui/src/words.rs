//! The vocabulary in words for people.

use windlass_agents::Activity;
use windlass_core::spec::Depth;
use windlass_core::values::{CheckResult, Class, ExitCodes, StopReason, Verdict};

use crate::line::{Mark, Tone};

/// A verdict: its colour, its mark, its word.
pub(crate) const fn verdict(verdict: Verdict) -> (Tone, Mark, &'static str) {
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

/// How closely a verifying agent looks.
pub(crate) const fn depth(depth: Depth) -> &'static str {
    match depth {
        Depth::Quick => "quick",
        Depth::Standard => "standard",
        Depth::Deep => "deep",
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

/// Is this ending an error, whichever exit codes are used?
pub(crate) const fn is_error(reason: StopReason) -> bool {
    reason.exit_code(ExitCodes::Simple) == 1
}

/// The colour and the mark of an ending.
pub(crate) const fn ending(reason: StopReason) -> (Tone, Mark) {
    match reason {
        StopReason::Complete | StopReason::NothingToDo => (Tone::Good, Mark::Done),
        reason if is_error(reason) => (Tone::Bad, Mark::Failed),
        _ => (Tone::Warn, Mark::Notice),
    }
}

/// A stop reason as a sentence.
pub(crate) const fn stop_reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Complete => "The job is done.",
        StopReason::NothingToDo => "There was nothing to do before the first iteration.",
        StopReason::MaxIterations => "The iterations are used up; the job is not shown to be done.",
        StopReason::MaxCost => "The money is used up; the job is not shown to be done.",
        StopReason::MaxTokens => "The tokens are used up; the job is not shown to be done.",
        StopReason::MaxDuration => "The time is used up; the job is not shown to be done.",
        StopReason::Stagnated => "Too many iterations in a row brought nothing new.",
        StopReason::NoChanges => "The last iteration changed nothing.",
        StopReason::Blocked => "Every open task waits for another one or is parked.",
        StopReason::StopRequested => "Stopped after the iteration, as asked.",
        StopReason::NeedsHuman => "Only a person can decide what comes next.",
        StopReason::Interrupted => "Stopped by Ctrl-C.",
        StopReason::Terminated => "Stopped by SIGTERM.",
        StopReason::ConsecutiveFailures => "Too many iterations in a row failed.",
        StopReason::AgentUnavailable => "The agent cannot be used.",
        StopReason::LimitWaitExceeded => "The usage limit resets later than this run may wait.",
        StopReason::GatesFailing => "Five claims in a row were refused for the same failures.",
        StopReason::Locked => "Another run holds this directory.",
        StopReason::HookAbort => "A hook ended the run.",
        StopReason::HookSkips => "A hook skipped ten iterations in a row.",
        StopReason::DiskFull => "The disk is full.",
        StopReason::DestructiveChange => "The agent destroyed something that it must not touch.",
        StopReason::SetupFailed => "The setup command failed.",
        StopReason::Internal => "Windlass itself failed; please report it.",
        StopReason::Missing => "Instructions or plan are missing.",
    }
}
