//! What a hook prints, and what follows from it. Its standard output and its complaints stand on either side of a NUL.

use windlass_core::hook::{HookEnd, LONGEST_PROMPT, LONGEST_REASON, answer};
use windlass_core::values::{CheckResult, HookDecision, HookName};

pub(crate) fn run(data: &[u8]) {
    let mut halves = data.splitn(2, |byte| *byte == 0);
    let stdout = halves.next().unwrap_or_default();
    let stderr = String::from_utf8_lossy(halves.next().unwrap_or_default());
    for hook in HookName::ALL {
        for result in
            [CheckResult::Passed, CheckResult::Failed(1), CheckResult::Failed(2), CheckResult::TimedOut]
        {
            let said = answer(&HookEnd { hook, result, stdout, stderr: &stderr });
            assert!(said.reason.chars().count() <= LONGEST_REASON && !said.reason.contains(char::is_control));
            assert!(said.prompt.len() <= LONGEST_PROMPT + 32);
            let means_nothing_here = match hook {
                HookName::Started => said.decision == HookDecision::Skip,
                HookName::NextIteration => false,
                HookName::Finished => matches!(said.decision, HookDecision::Skip | HookDecision::Abort),
            };
            assert!(!means_nothing_here, "{hook:?} {result:?}: {said:?}");
            let heard = said.prompt.is_empty() || result == CheckResult::Passed && hook != HookName::Finished;
            assert!(heard, "only an answer has a text for the agent, and only while one will work: {said:?}");
        }
    }
}
