//! A hook that is under way: a command of a person's at a turn of the run.

use std::time::Duration;

use windlass_core::values::{CheckResult, Ended, HookDecision, HookName, HookOutcome};

use super::timed::Timed;
use crate::hook::HookAttempt;

/// Said of a hook that a person ended.
pub(super) const NOT_WAITED_FOR: &str = "it was not waited for any longer";

/// A hook under way.
#[derive(Debug)]
pub(super) struct LiveHook {
    pub hook: HookName,
    attempt: HookAttempt,
    /// Its log as the journal names it: below the run's folder.
    log: String,
    pub timed: Timed,
    /// A person did not wait for it.
    cut: bool,
}

impl LiveHook {
    /// One whose time begins when its process exists.
    pub fn new(hook: HookName, attempt: HookAttempt, log: String, timeout: Duration) -> LiveHook {
        LiveHook { hook, attempt, log, timed: Timed::new(timeout, None), cut: false }
    }

    /// A person does not wait for it any longer.
    pub fn cut(&mut self) {
        self.cut |= !self.timed.is_over();
        self.timed.exited(Ended::Signalled(9));
    }

    /// How it went.
    pub fn outcome(self, now: Duration) -> HookOutcome {
        let result = self.timed.result();
        let said = self.attempt.end(result);
        HookOutcome {
            result,
            decision: said.answer.decision,
            reason: if self.cut { NOT_WAITED_FOR.to_owned() } else { said.answer.reason },
            prompt: said.answer.prompt,
            duration: self.timed.taken(now),
            log: if said.has_log { self.log } else { String::new() },
        }
    }

    /// Nobody waits for it any more.
    pub fn abandon(self) {
        self.attempt.abandon();
    }
}

/// The outcome of a hook that could not be started.
pub(super) fn not_started(why: &str) -> HookOutcome {
    HookOutcome {
        result: CheckResult::Lost,
        decision: HookDecision::Warn,
        reason: why.split_whitespace().collect::<Vec<_>>().join(" "),
        prompt: String::new(),
        duration: Duration::ZERO,
        log: String::new(),
    }
}
