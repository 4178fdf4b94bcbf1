//! Which of Codex's flags are Windlass's.

use crate::flags::{self, Owned};

/// Flags, and why they may not be passed through.
const OWNED: Owned = &[
    ("--json", "Windlass reads its events"),
    ("--experimental-json", "Windlass reads its events"),
    ("--ephemeral", "it is always set"),
    ("--output-schema", "Windlass asks for structured answers itself"),
    ("--output-last-message", "Windlass reads its events"),
    ("-o", "Windlass reads its events"),
    (
        "--sandbox",
        "Windlass sets it; give --dangerously-skip-permissions to Windlass itself, before the `--`",
    ),
    ("-s", "Windlass sets it; give --dangerously-skip-permissions to Windlass itself, before the `--`"),
    ("--full-auto", "Windlass sets the sandbox"),
    (
        "--dangerously-bypass-approvals-and-sandbox",
        "give --dangerously-skip-permissions to Windlass itself, before the `--`",
    ),
    ("--yolo", "give --dangerously-skip-permissions to Windlass itself, before the `--`"),
    ("--ask-for-approval", "Windlass calls the agent without a person"),
    ("-a", "Windlass calls the agent without a person"),
    ("--model", "give it to Windlass itself, before the `--`"),
    ("-m", "give it to Windlass itself, before the `--`"),
    ("--cd", "the agent has to work where Windlass looks"),
    ("-C", "the agent has to work where Windlass looks"),
    ("--help", "it would do nothing else; run `codex --help`"),
    ("-h", "it would do nothing else; run `codex --help`"),
    ("--version", "it would do nothing else; run `codex --version`"),
    ("-V", "it would do nothing else; run `codex --version`"),
    ("resume", "each call is a fresh session"),
    ("review", "each call is given its prompt by Windlass"),
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
        for argument in ["--json", "--model=x", "-m", "-mx", "-s", "-sread-only", "--", "--yolo", "resume"] {
            assert!(owned_flag(argument).is_some(), "{argument}");
        }
        for argument in [
            "-c",
            "-cmodel_provider=x",
            "model_provider=\"x\"",
            "--profile",
            "-p",
            "--add-dir",
            "--modelling",
            "",
            "-",
        ] {
            assert_eq!(owned_flag(argument), None, "{argument}");
        }
    }
}
