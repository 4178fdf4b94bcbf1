//! A flag that nobody knows: what was most likely meant, and where flags for the agent go.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use windlass_app::AppError;
use windlass_ui::one_line;

use crate::args::Cli;

/// Flags of claude-loop and `DevLoop` that are something else here, and what that is.
const ELSEWHERE: [(&str, &str); 12] = [
    ("--list-worktrees", "Worktrees are listed by: windlass worktree list"),
    ("--cleanup-worktree", "Worktrees that are merged are removed by: windlass worktree clean --all"),
    ("--resume", "A run is continued by: windlass resume"),
    ("--plan", "A goal is planned, and then worked through, by: windlass pipeline GOAL --run"),
    ("--plan-only", "A goal is planned, phase after phase, by: windlass pipeline GOAL"),
    ("--auto-update", "Windlass never updates itself: leave it out."),
    ("-n", "DevLoop's -n counted iterations: -m N, for all of the run and not for further ones"),
    ("-t", "DevLoop's -t was a limit on tokens: --max-tokens N"),
    ("--token-limit", "A limit on tokens is: --max-tokens N"),
    ("-c", "DevLoop's -c was a limit on cost: --max-cost DOLLARS"),
    ("--cost-limit", "A limit on cost is: --max-cost DOLLARS"),
    ("-w", "DevLoop's -w named the folder to work in: windlass -C DIR, before the verb or after it"),
];

/// Verbs that start an agent and take flags for it.
const WITH_AGENT_ARGUMENTS: [&str; 3] = ["run", "plan", "build"];

fn is_verb(word: &str) -> bool {
    Cli::command().find_subcommand(word).is_some()
}

/// What is wrong with the command line, where it is a flag that nobody knows.
pub fn flag(answer: &clap::Error, arguments: &[OsString]) -> Option<AppError> {
    let text = |kind| match answer.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg).filter(|_| answer.kind() == ErrorKind::UnknownArgument)?;
    let flag = Some(one_line(&flag)).filter(|flag| flag.starts_with('-'))?;
    let error = AppError::usage(format!("windlass does not know {flag}"));
    if let Some((_, hint)) = ELSEWHERE.iter().find(|(known, _)| *known == flag) {
        return Some(error.hint(*hint));
    }
    // Most likely it is mistyped: nothing is said of flags for the agent then.
    if let Some(meant) = text(ContextKind::SuggestedArg) {
        return Some(error.hint(format!("Did you mean {meant}?")));
    }
    let verb = arguments.iter().skip(1).filter_map(|word| word.to_str()).find(|word| is_verb(word));
    let agents = verb.filter(|verb| WITH_AGENT_ARGUMENTS.contains(verb));
    Some(match (agents, verb) {
        (Some(verb), _) => {
            error.hint(format!("What is for the agent comes after --: windlass {verb} … -- {flag}"))
        }
        (None, Some(verb)) => error.hint(format!("All that it knows: windlass {} --help", one_line(verb))),
        (None, None) => error.hint("All that it knows: windlass --help"),
    })
}
