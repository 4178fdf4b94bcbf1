//! Which of opencode's flags are Windlass's.

use crate::flags::Owned;

/// Flags, and why they may not be passed through.
pub(super) const OWNED: Owned = &[
    (&["--format"], "Windlass reads its events"),
    (&["--print-logs", "--log-level"], "Windlass reads its log"),
    (&["--model", "-m"], "agent.model says it, or --model of Windlass itself"),
    (&["--continue", "-c", "--session", "-s", "--fork"], "each call is a fresh session"),
    (&["--share"], "what it does is not published"),
    (&["--attach", "--dir"], "the agent has to work where Windlass looks"),
    (&["--command"], "each call is given its prompt by Windlass"),
    (&["--interactive", "-i"], "Windlass calls the agent without a person"),
    (&["--auto"], "give --dangerously-skip-permissions to Windlass itself"),
    (&["--help", "-h"], "it would do nothing else; run `opencode run --help`"),
    (&["--version", "-v"], "it would do nothing else; run `opencode --version`"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::owned;

    fn owned_flag(argument: &str) -> Option<&'static str> {
        owned(OWNED, argument)
    }

    #[test]
    fn owned_flags_are_refused_in_every_form() {
        for argument in ["--format", "--format=default", "-m", "-mx", "-s", "--", "--auto", "--share", "-i"] {
            assert!(owned_flag(argument).is_some(), "{argument}");
        }
        for argument in ["--variant", "high", "--thinking", "--agent", "--formats", "", "-"] {
            assert_eq!(owned_flag(argument), None, "{argument}");
        }
    }
}
