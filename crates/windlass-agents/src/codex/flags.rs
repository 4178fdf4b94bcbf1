//! Which of Codex's flags are Windlass's.

use crate::flags::Owned;

/// Flags, and why they may not be passed through.
pub(super) const OWNED: Owned = &[
    (&["--json", "--experimental-json", "--output-last-message", "-o"], "Windlass reads its events"),
    (&["--ephemeral"], "it is always set"),
    (&["--output-schema"], "Windlass asks for structured answers itself"),
    (&["--sandbox", "-s"], "Windlass sets it; give --dangerously-skip-permissions to Windlass itself"),
    (&["--full-auto"], "Windlass sets the sandbox"),
    (
        &["--dangerously-bypass-approvals-and-sandbox", "--yolo"],
        "give --dangerously-skip-permissions to Windlass itself",
    ),
    (&["--ask-for-approval", "-a"], "Windlass calls the agent without a person"),
    (&["--model", "-m"], "agent.model says it, or --model of Windlass itself"),
    (&["--cd", "-C"], "the agent has to work where Windlass looks"),
    (&["--help", "-h"], "it would do nothing else; run `codex --help`"),
    (&["--version", "-V"], "it would do nothing else; run `codex --version`"),
    (&["resume"], "each call is a fresh session"),
    (&["review"], "each call is given its prompt by Windlass"),
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
