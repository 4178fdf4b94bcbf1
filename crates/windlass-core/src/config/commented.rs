//! A configuration file that says nothing yet: every key stands in it as a comment.

use crate::values::Named;
use std::fmt::Write as _;

use toml::Value;

use super::error::{ConfigError, FileKind};
use super::keys;
use super::reference::{KeyReference, key_reference};
use super::setting::Secrecy;

/// What a project's file begins with.
const HEADING: &str = "\
# What Windlass does in this project. Take the `# ` before a key away to change it.
# It overrides the user's own file; a workspace's file, variables
# (WINDLASS_LIMITS__MAX_COST=5) and flags override it.
";

/// A project's configuration file in which every key is a comment with its default, and `gates.commands` one with the
/// commands that could be gates there. Secrets are left out: the file is meant to be committed.
pub fn commented_file(gates: &[&str]) -> Result<String, ConfigError> {
    let mut text = HEADING.to_owned();
    let mut last_table = "";
    for KeyReference { key, default, in_modes } in key_reference()? {
        if key.secrecy == Secrecy::Secret || key.belongs_in(FileKind::Project).is_err() {
            continue;
        }
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        // Writing to a string cannot fail.
        if table != last_table {
            let _ = writeln!(text, "\n[{table}]");
            last_table = table;
        }
        let _ = write!(text, "# {}", key.help);
        for (mode, default) in in_modes.iter().filter(|(mode, _)| !mode.judges()) {
            let _ = write!(text, " In {} mode {default}.", mode.name());
        }
        let offered = Some(gates).filter(|gates| key.name == keys::GATES.name && !gates.is_empty());
        let default = match offered {
            Some(gates) => {
                let _ = write!(text, " None = []; those of this project could be:");
                Some(Value::from(gates.to_vec()).to_string())
            }
            None => default,
        };
        let _ = match default {
            Some(default) => writeln!(text, "\n# {name} = {default}"),
            None => writeln!(text, " Nothing unless set; for example:\n# {name} = {}", example(key.name)),
        };
    }
    Ok(text)
}

/// A value for a key that has no default, as TOML: the line is to be right once it counts.
fn example(key: &str) -> &'static str {
    match key {
        "limits.max_cost" => "20",
        "limits.max_tokens" => "5000000",
        "agent.use" => "\"codex\"",
        "agent.model" => "\"sonnet\"",
        "agent.max_turns" => "50",
        "notify.url" => "\"https://ntfy.sh/a-topic-of-your-own\"",
        "notify.webhook" => "\"https://example.com/windlass\"",
        "web.url" => "\"https://night.example.org\"",
        "notify.command" => "\"cat >> notifications.jsonl\"",
        // Commands and paths: nothing.
        _ => "\"\"",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{FileKind, KEYS, KeyInfo, Layer};
    use super::*;

    fn shown_keys() -> impl Iterator<Item = &'static KeyInfo> {
        KEYS.iter().filter(|key| key.secrecy != Secrecy::Secret && key.belongs_in(FileKind::Project).is_ok())
    }

    #[test]
    fn it_names_every_key_and_says_nothing() {
        let text = commented_file(&[]).unwrap();
        let layer = Layer::parse(FileKind::Project, Path::new("config.toml"), &text).unwrap();
        assert_eq!(layer.values().count(), 0);
        assert!(!text.contains("[project]"), "what is the user's alone: {text}");
        for key in shown_keys().filter(|key| key.secrecy == Secrecy::Open) {
            let name = key.name.split('.').nth(1).unwrap();
            assert!(text.contains(&format!("\n# {name} = ")), "{name}");
        }
    }

    #[test]
    fn every_line_can_be_uncommented() {
        let text = commented_file(&["cargo test", "echo \"it's\""]).unwrap();
        assert!(text.contains("could be:\n# commands = [\"cargo test\", "), "{text}");
        let is_value = |line: &&str| {
            let name = line.strip_prefix("# ").and_then(|rest| rest.split_once(" = ")).map(|(name, _)| name);
            name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        };
        let uncommented: Vec<&str> =
            text.lines().map(|line| if is_value(&line) { &line[2..] } else { line }).collect();
        let layer =
            Layer::parse(FileKind::Project, Path::new("config.toml"), &uncommented.join("\n")).unwrap();
        assert_eq!(layer.values().count(), shown_keys().count(), "{uncommented:?}");
        assert_eq!(layer.value("gates.commands").unwrap().as_array().unwrap().len(), 2);
    }
}
