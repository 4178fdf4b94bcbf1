//! Kinds of values that are lists.

use std::time::Duration;

use serde_json::{Value as Json, json};
use toml::Value;

use super::{PositiveSpan, Refusal, Setting, Shape, Text};
use crate::price::Price;
use crate::typed::shown;

/// Texts; in the environment one per line.
impl Setting for Vec<String> {
    const EXPECTED: &'static str = "a list of texts";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let items = value.as_array().ok_or(Refusal::Kind)?;
        items.iter().map(|item| Text::read(item).map(|Text(text)| text)).collect()
    }
}

/// Prices of models; in the environment one per line.
impl Setting for Vec<Price> {
    const EXPECTED: &'static str = "a list of prices, each such as `claude-opus-5-5 input=4 output=20`";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let items = value.as_array().ok_or(Refusal::Kind)?;
        items.iter().map(|item| Ok(item.as_str().ok_or(Refusal::Kind)?.parse::<Price>()?)).collect()
    }
}

/// A command that checks, and how long it may take where that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSetting {
    /// For `sh -c`.
    pub command: String,
    /// Instead of `gates.timeout`.
    pub timeout: Option<Duration>,
}

/// Commands that check; in the environment one per line.
impl Setting for Vec<CheckSetting> {
    const EXPECTED: &'static str = "a list of commands, each a text or { command = \"…\", timeout = \"…\" }";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        value.as_array().ok_or(Refusal::Kind)?.iter().map(read_check).collect()
    }

    fn schema() -> Json {
        let check = json!({
            "type": "object",
            "properties": { "command": Text::schema(), "timeout": PositiveSpan::schema() },
            "required": ["command"],
            "additionalProperties": false,
        });
        json!({ "type": "array", "items": { "anyOf": [Text::schema(), check] } })
    }
}

fn read_check(value: &Value) -> Result<CheckSetting, Refusal> {
    let Some(table) = value.as_table() else {
        return Ok(CheckSetting { command: read_command(value)?, timeout: None });
    };
    if let Some(unknown) = table.keys().find(|key| *key != "command" && *key != "timeout") {
        return Err(Refusal::Because(format!(
            "a command has no key `{}`; it takes `command` and `timeout`",
            shown(unknown)
        )));
    }
    let command = table.get("command").map_or(Err(Refusal::Kind), read_command)?;
    let timeout =
        table.get("timeout").map(PositiveSpan::read).transpose()?.map(|PositiveSpan(timeout)| timeout);
    Ok(CheckSetting { command, timeout })
}

/// A command with something in it that a shell runs: what is nothing but a comment always passes, and shows nothing.
fn read_command(value: &Value) -> Result<String, Refusal> {
    let Text(command) = Text::read(value)?;
    let is_nothing = |line: &str| line.trim().is_empty() || line.trim().starts_with('#');
    if command.lines().all(is_nothing) {
        return Err(Refusal::Because("it is empty: a comment alone checks nothing".to_owned()));
    }
    Ok(command)
}

/// One item per line.
pub(super) fn lines(text: &str) -> Value {
    Value::Array(
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Value::String(line.to_owned()))
            .collect(),
    )
}
