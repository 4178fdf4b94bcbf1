//! How checks and hooks of a test's world end.

use std::time::Duration;

use crate::values::{CheckOutcome, CheckResult, HookDecision, HookOutcome};

pub fn check(check: u16, result: CheckResult) -> CheckOutcome {
    CheckOutcome {
        check,
        result,
        duration: Duration::from_secs(1),
        log: String::new(),
        last_line: String::new(),
        telling_line: String::new(),
    }
}

pub fn hook(decision: HookDecision, prompt: &str) -> HookOutcome {
    HookOutcome {
        result: CheckResult::Passed,
        decision,
        reason: "because".to_owned(),
        prompt: prompt.to_owned(),
        duration: Duration::from_secs(1),
        log: String::new(),
    }
}
