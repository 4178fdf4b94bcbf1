//! Which of Claude Code's flags are Windlass's.

use crate::flags::Owned;

/// Flags, and why they may not be passed through.
pub(super) const OWNED: Owned = &[
    (&["--print", "-p"], "every call is made in print mode"),
    (&["--output-format"], "Windlass reads stream-json"),
    (&["--input-format"], "the prompt goes to standard input as text"),
    (&["--verbose"], "stream-json needs it, so it is always set"),
    (
        &["--append-system-prompt", "--append-system-prompt-file", "--system-prompt", "--system-prompt-file"],
        "Windlass gives the system prompt by file; write AGENTS.md instead",
    ),
    (&["--settings"], "Windlass generates the settings; use permissions.allow in its configuration"),
    (&["--permission-mode"], "Windlass sets it; use permissions.allow in its configuration"),
    (&["--model"], "agent.model says it, or --model of Windlass itself"),
    (&["--max-turns"], "agent.max_turns says it, or --max-turns of Windlass itself"),
    (&["--dangerously-skip-permissions"], "it is never saved; give it to Windlass itself, for one run"),
    (&["--allow-dangerously-skip-permissions"], "give --dangerously-skip-permissions to Windlass itself"),
    (&["--max-budget-usd"], "limits.max_cost says it, or --max-cost of Windlass itself"),
    (
        &["--continue", "-c", "--resume", "-r", "--fork-session", "--from-pr", "--teleport", "--session-id"],
        "each call is a fresh session",
    ),
    (&["--no-session-persistence"], "it is always set"),
    (&["--worktree", "-w", "--tmux", "--cloud"], "the agent has to work where Windlass looks"),
    (&["--background", "--bg"], "Windlass waits for the agent's end"),
    (&["--remote-control", "--desktop"], "Windlass calls the agent without a person"),
    (&["--help", "-h"], "it would do nothing else; run `claude --help`"),
    (&["--version", "-v"], "it would do nothing else; run `claude --version`"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::owned;

    fn owned_flag(argument: &str) -> Option<&'static str> {
        owned(OWNED, argument)
    }

    // rows: 33
    #[test]
    fn owned_flags_are_refused_in_every_form() {
        for (flags, reason) in OWNED {
            for flag in *flags {
                let rest = if flag.starts_with("--") { "=x" } else { "x" };
                assert_eq!(owned_flag(flag), Some(*reason));
                assert_eq!(owned_flag(&format!("{flag}{rest}")), Some(*reason));
            }
        }
        assert!(owned_flag("--").is_some());
    }

    // rows: 33
    #[test]
    fn other_arguments_go_through() {
        for argument in [
            "--add-dir",
            "--add-dir=/x",
            "../lib",
            "--mcp-config",
            "-d",
            "-n",
            "--models",
            "-",
            "",
            "p",
            "--allowedTools",
            "Bash(-p)",
        ] {
            assert_eq!(owned_flag(argument), None, "{argument}");
        }
    }
}
