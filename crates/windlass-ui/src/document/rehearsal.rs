//! `run --dry-run --json`: what a run would be, for machines.

use std::path::Path;

use serde_json::{Value, json};
use windlass_core::config::ValueOrigin;

use super::config::value_json;
use crate::document::document;

/// A run that was prepared and not begun.
#[derive(Clone, Copy, Debug)]
pub struct RehearsedRun<'a> {
    /// Where it would work.
    pub directory: &'a Path,
    /// Its goal, in few words.
    pub goal: &'a str,
    /// The tasks that would be worked off, and how often at most.
    pub tasks: Option<&'a str>,
    /// Who would work.
    pub agent: &'a str,
    /// What would become of its work beyond this machine.
    pub way_out: Option<&'a str>,
    /// What a person should know before it begins, a sentence each.
    pub notices: &'a [&'a str],
    /// Why it would not begin, a sentence each; none: it would.
    pub problems: &'a [String],
    /// The hooks that would be called, with their commands.
    pub hooks: &'a [(&'static str, String)],
    /// Each value of the configuration, and who said it.
    pub configuration: &'a [ValueOrigin],
    /// What would be appended to the agent's own system prompt.
    pub system_prompt: &'a str,
    /// The first prompt.
    pub prompt: &'a str,
    /// What the agent may do, as its file says it.
    pub settings: &'a str,
    /// Variables that it would get; without a value those that would be removed.
    pub environment: &'a [(String, Option<String>)],
    /// The command line, as a shell takes it.
    pub command: &'a str,
}

/// It as one line of JSON.
pub fn rehearsal_json(run: &RehearsedRun<'_>) -> Vec<u8> {
    let hooks = run.hooks.iter().map(|(hook, command)| json!({ "hook": hook, "command": command }));
    let environment = run.environment.iter().map(|(name, value)| json!({ "name": name, "value": value }));
    // One agent's file is JSON; another has a form of its own.
    let settings = serde_json::from_str(run.settings).unwrap_or_else(|_| Value::from(run.settings));
    document(
        "rehearsal",
        &json!({
            "directory": run.directory.to_string_lossy(),
            "goal": run.goal,
            "tasks": run.tasks,
            "agent": run.agent,
            "way_out": run.way_out,
            "notices": run.notices,
            "problems": run.problems,
            "hooks": hooks.collect::<Vec<_>>(),
            "configuration": run.configuration.iter().map(value_json).collect::<Vec<_>>(),
            "system_prompt": run.system_prompt,
            "prompt": run.prompt,
            "settings": settings,
            "environment": environment.collect::<Vec<_>>(),
            "command": run.command,
        }),
    )
}
