//! What a configuration file of the repository starts or redirects.

use toml::Value;

use super::{Startable, Starter};
use crate::config::{KeyInfo, Layer, Secrecy};

/// Keys and tables (`limits.`) whose values start nothing, open nothing and lead nowhere else. A key that is not among them
/// has to be trusted: so does one that is new.
const INERT: &[&str] = &[
    "limits.",
    "clocks.",
    "agent.model",
    "agent.max_turns",
    "agent.agents_file",
    "agent.background",
    "agent.prices",
    "permissions.",
    "gates.timeout",
    "guard.",
    "goal.",
    "workspace.",
    "plan.",
    "build.",
    "tasks.",
    "source.labels",
    "source.milestone",
    "source.assignee",
    "lanes.",
    "hooks.enabled",
    "hooks.timeout",
    "sandbox.memory",
    "sandbox.processes",
    "sandbox.processors",
    "sandbox.hidden",
    "sandbox.presets",
    "worktree.base",
    "worktree.include",
    "worktree.include_size",
    "worktree.setup_timeout",
    "worktree.port_base",
    "worktree.port_count",
    "verify.",
    "status.",
    "log.",
    "runs.",
    "notify.events",
    "notify.milestone",
    "notify.timeout",
    "notify.retries",
    "notify.secret",
    "git.",
    "commit.",
    "safety.",
    "project.",
    "output.",
];

/// Keys that hold a command for a shell.
const SHELL: &[&str] = &[
    "gates.commands",
    "gates.until",
    "hooks.started",
    "hooks.next_iteration",
    "hooks.finished",
    "worktree.setup",
    "notify.command",
];

/// Values that add a wall, and none that lets something through.
const WALLS: &[(&str, &[&str])] =
    &[("sandbox.kind", &["bwrap", "landlock"]), ("sandbox.network", &["off", "hosts"])];

/// Does a key of the configuration start, open or redirect something?
fn starts(key: &str) -> bool {
    !INERT.iter().any(|inert| if inert.ends_with('.') { key.starts_with(inert) } else { key == *inert })
}

/// The address that a key holds, without its credentials; `None` for any other key.
pub(super) fn shown(key: &str, text: &str) -> Option<String> {
    let info = KeyInfo::find(key).ok().filter(|info| info.secrecy == Secrecy::Address)?;
    Some(info.shown(&Value::String(text.to_owned())).trim_matches('"').to_owned())
}

/// What one file of the configuration starts or redirects; `file` is its path from the repository's top.
pub fn configured(file: &str, layer: &Layer) -> Vec<Startable> {
    let mut found = Vec::new();
    for (key, value) in layer.values().filter(|(key, _)| starts(key)) {
        let walls = WALLS.iter().find(|(known, _)| *known == key).map_or(&[][..], |(_, walls)| walls);
        for text in texts(value) {
            if !walls.contains(&text.as_str()) {
                found.push(Startable::text(Starter::Windlass, file, key, &text));
            }
        }
    }
    found
}

/// What stands for a value: one text for each item of a list, none for what is empty or switched off.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::Boolean(false) => Vec::new(),
        Value::String(text) => vec![text.clone()],
        // A command with its own time: the time starts nothing.
        Value::Table(table) => match table.get("command").and_then(Value::as_str) {
            Some(command) => vec![command.to_owned()],
            None => vec![value.to_string()],
        },
        other => vec![other.to_string()],
    }
}

/// What a startable of a configuration names among the repository's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartableCommand<'a> {
    /// A command for a shell, which may start scripts.
    Shell(&'a str),
    /// The path of a program or a script.
    Path(&'a str),
}

/// What a startable of a configuration names; `None` where it is not a command.
pub fn commands_named(item: &Startable) -> Option<StartableCommand<'_>> {
    let super::Content::Text { text } = &item.content else { return None };
    match item.key.as_str() {
        key if SHELL.contains(&key) => Some(StartableCommand::Shell(text)),
        "agent.command" | "agent.arguments" | "sandbox.setup_script" => Some(StartableCommand::Path(text)),
        _ => None,
    }
}

#[cfg(test)]
pub(super) fn inert() -> &'static [&'static str] {
    INERT
}
