//! What follows `--` (or stands in `agent.arguments`) goes to the agent as it is, except for flags that windlass gives
//! it itself: those are refused by name, with what to say instead.

use std::ffi::OsString;

use crate::error::CliError;

/// Claude Code's flags that windlass owns, and what to say instead; empty where there is nothing.
const OWNED: &[(&str, &str)] = &[
    ("-p", "--prompt"),
    ("--print", "--prompt"),
    ("--output-format", ""),
    ("--input-format", ""),
    ("--verbose", "--verbose before the `--`"),
    ("--append-system-prompt", "AGENTS.md in the project"),
    ("--append-system-prompt-file", "AGENTS.md in the project"),
    ("--system-prompt", "AGENTS.md in the project"),
    ("--system-prompt-file", "AGENTS.md in the project"),
    ("--settings", "permissions.allow in .windlass/config.toml"),
    ("--permission-mode", "permissions.allow in .windlass/config.toml"),
    ("--allowedTools", "permissions.allow in .windlass/config.toml"),
    ("--allowed-tools", "permissions.allow in .windlass/config.toml"),
    (
        "--dangerously-skip-permissions",
        "--dangerously-skip-permissions before the `--`",
    ),
    (
        "--allow-dangerously-skip-permissions",
        "--dangerously-skip-permissions before the `--`",
    ),
    ("--permission-prompt-tool", ""),
    ("--model", "--model before the `--`"),
    ("--max-turns", "--max-turns before the `--`"),
    ("--max-budget-usd", "--max-cost before the `--`"),
    ("--no-session-persistence", ""),
    ("--session-id", ""),
    ("--continue", ""),
    ("-c", ""),
    ("--resume", ""),
    ("-r", ""),
    ("--fork-session", ""),
    ("--json-schema", ""),
    ("--worktree", ""),
    ("-w", ""),
    ("--version", ""),
    ("-v", ""),
    ("--help", ""),
    ("-h", ""),
];

/// The arguments as texts.
///
/// # Errors
/// Arguments that are not UTF-8, and flags that windlass owns.
pub fn texts(arguments: &[OsString]) -> Result<Vec<String>, CliError> {
    let texts = arguments.iter().map(|argument| {
        argument.to_str().map(str::to_owned).ok_or_else(|| {
            CliError::usage(format!(
                "the agent's argument `{}` is not UTF-8",
                argument.to_string_lossy()
            ))
        })
    });
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    refuse_owned(&texts)?;
    Ok(texts)
}

/// Refuses flags that windlass owns.
///
/// # Errors
/// The first such flag.
pub fn refuse_owned(arguments: &[String]) -> Result<(), CliError> {
    for argument in arguments {
        let flag = argument
            .split_once('=')
            .map_or(argument.as_str(), |(flag, _)| flag);
        if let Some((_, instead)) = OWNED.iter().find(|(owned, _)| *owned == flag) {
            let error = CliError::usage(format!(
                "`{flag}` cannot be given to the agent: windlass sets it itself"
            ));
            return Err(if instead.is_empty() {
                error
            } else {
                error.hint(format!("Use {instead} instead."))
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_that_windlass_owns_are_refused() {
        for (argument, refused) in [
            ("--add-dir", false),
            ("--modelling", false),
            ("model", false),
            ("--model", true),
            ("--model=opus", true),
            ("-p", true),
            ("--dangerously-skip-permissions", true),
            ("--resume", true),
        ] {
            assert_eq!(texts(&[argument.into()]).is_err(), refused, "{argument}");
        }
    }
}
