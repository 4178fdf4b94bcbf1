//! Which of opencode's flags are Windlass's.

use crate::flags::{self, Owned};

/// Flags, and why they may not be passed through.
const OWNED: Owned = &[
    ("--format", "Windlass reads its events"),
    ("--print-logs", "Windlass reads its log"),
    ("--log-level", "Windlass reads its log"),
    ("--model", "give it to Windlass itself, before the `--`"),
    ("-m", "give it to Windlass itself, before the `--`"),
    ("--continue", "each call is a fresh session"),
    ("-c", "each call is a fresh session"),
    ("--session", "each call is a fresh session"),
    ("-s", "each call is a fresh session"),
    ("--fork", "each call is a fresh session"),
    ("--share", "what it does is not published"),
    ("--attach", "the agent has to work where Windlass looks"),
    ("--dir", "the agent has to work where Windlass looks"),
    ("--command", "each call is given its prompt by Windlass"),
    ("--interactive", "Windlass calls the agent without a person"),
    ("-i", "Windlass calls the agent without a person"),
    ("--auto", "give --dangerously-skip-permissions to Windlass itself, before the `--`"),
    ("--help", "it would do nothing else; run `opencode run --help`"),
    ("-h", "it would do nothing else; run `opencode run --help`"),
    ("--version", "it would do nothing else; run `opencode --version`"),
    ("-v", "it would do nothing else; run `opencode --version`"),
];

/// Why an argument for the agent is refused; `None` = it may be passed through.
pub(super) fn owned_flag(argument: &str) -> Option<&'static str> {
    flags::owned(OWNED, argument)
}

#[cfg(test)]
mod tests {
    use super::*;

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
