//! Which of Claude Code's flags are Windlass's.

/// Flags by their long name, and why they may not be passed through.
const OWNED: &[(&str, &str)] = &[
    ("--print", "every call is made in print mode"),
    ("--output-format", "Windlass reads stream-json"),
    ("--input-format", "the prompt goes to standard input as text"),
    ("--verbose", "stream-json needs it, so it is always set"),
    ("--append-system-prompt", "Windlass gives the system prompt by file; write AGENTS.md instead"),
    ("--append-system-prompt-file", "Windlass gives the system prompt by file; write AGENTS.md instead"),
    ("--system-prompt", "Windlass gives the system prompt by file; write AGENTS.md instead"),
    ("--system-prompt-file", "Windlass gives the system prompt by file; write AGENTS.md instead"),
    ("--settings", "Windlass generates the settings; use permissions.allow in its configuration"),
    ("--permission-mode", "Windlass sets it; use permissions.allow in its configuration"),
    ("--dangerously-skip-permissions", "give it to Windlass itself, before the `--`"),
    (
        "--allow-dangerously-skip-permissions",
        "give --dangerously-skip-permissions to Windlass itself, before the `--`",
    ),
    ("--max-turns", "give it to Windlass itself, before the `--`"),
    ("--max-budget-usd", "give --max-cost to Windlass itself, before the `--`"),
    ("--model", "give it to Windlass itself, before the `--`"),
    ("--continue", "each call is a fresh session"),
    ("--resume", "each call is a fresh session"),
    ("--fork-session", "each call is a fresh session"),
    ("--from-pr", "each call is a fresh session"),
    ("--teleport", "each call is a fresh session"),
    ("--session-id", "each call is a fresh session"),
    ("--no-session-persistence", "it is always set"),
    ("--worktree", "the agent has to work where Windlass looks"),
    ("--tmux", "the agent has to work where Windlass looks"),
    ("--background", "Windlass waits for the agent's end"),
    ("--bg", "Windlass waits for the agent's end"),
    ("--cloud", "the agent has to work where Windlass looks"),
    ("--remote-control", "Windlass calls the agent without a person"),
    ("--desktop", "Windlass calls the agent without a person"),
    ("--help", "it would do nothing else; run `claude --help`"),
    ("--version", "it would do nothing else; run `claude --version`"),
];

/// The same by their letter.
const LETTERS: &[(char, &str)] = &[
    ('p', "--print"),
    ('c', "--continue"),
    ('r', "--resume"),
    ('w', "--worktree"),
    ('h', "--help"),
    ('v', "--version"),
];

/// Why an argument for the agent is refused: Windlass owns this flag. `None` = it may be passed through.
///
/// Takes one argument as it would be passed: `--model`, `--model=opus`, `-p`, `-pc`, `-r0f3a`.
pub(super) fn owned_flag(argument: &str) -> Option<&'static str> {
    if argument == "--" {
        return Some("it would turn Windlass's own flags into a prompt");
    }
    let long = if argument.starts_with("--") {
        argument.split('=').next()?
    } else {
        let letter = argument.strip_prefix('-')?.chars().next()?;
        LETTERS.iter().find(|(known, _)| *known == letter)?.1
    };
    OWNED.iter().find(|(flag, _)| *flag == long).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 33
    #[test]
    fn owned_flags_are_refused_in_every_form() {
        for (flag, reason) in OWNED {
            assert_eq!(owned_flag(flag), Some(*reason));
            assert_eq!(owned_flag(&format!("{flag}=x")), Some(*reason));
        }
        for (letter, flag) in LETTERS {
            assert!(owned_flag(flag).is_some());
            assert_eq!(owned_flag(&format!("-{letter}")), owned_flag(flag));
            assert_eq!(owned_flag(&format!("-{letter}x")), owned_flag(flag));
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
