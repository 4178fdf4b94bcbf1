//! The configuration: which value holds, who said it, which keys and files there are.

use std::fmt::Write as _;
use std::path::Path;
use windlass_core::values::Named;

use serde::Serialize;
use serde_json::{Value, json};
use windlass_core::config::{KeyReference, Origin, Secrecy, Shape, ValueOrigin};

use crate::document::document;
use crate::format;
use crate::harmless::{harmless, one_line};
use crate::line::{Line, Tone, rendered, width};
use crate::terminal::{Glyphs, Terminal};

/// A value is cut to no fewer columns than this.
const NARROWEST_VALUE: usize = 12;

/// A file that may hold configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigFile {
    /// `user`, `project` or `workspace`.
    pub layer: &'static str,
    /// Where it is.
    pub path: String,
    /// What is there.
    #[serde(flatten)]
    pub state: ConfigFileState,
}

/// What there is of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ConfigFileState {
    /// It is there.
    There {
        /// How many keys it says something of.
        values: usize,
    },
    /// It is not there.
    Missing,
    /// It cannot be used.
    Broken {
        /// Why: sentences.
        problem: String,
    },
}

/// Every value with who said it, table by table; every line ends with a newline.
pub fn config_table(values: &[ValueOrigin], terminal: &Terminal) -> String {
    if values.is_empty() {
        return "nothing is set: the defaults hold (`windlass config list` shows them)\n".to_owned();
    }
    let names = values.iter().map(|value| name(value).len()).max().unwrap_or(0);
    let origins = values.iter().map(|value| width(&origin_in_short(&value.origin))).max().unwrap_or(0);
    // Two columns before the name, and between the columns.
    let room = terminal.width.map_or(usize::MAX, |width| width.saturating_sub(names + origins + 6));
    let written = values.iter().map(|value| width(&written(value))).max().unwrap_or(0);
    let column = written.min(room.max(NARROWEST_VALUE));
    let mut lines = Vec::new();
    for table in values.chunk_by(|one, other| table(one) == table(other)) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(table.first().map(|value| Line::new().strong(self::table(value)).render(terminal)));
        lines.extend(table.iter().map(|value| row(value, names, column, terminal)));
    }
    lines.extend(sources(values, terminal));
    let rows = lines.iter().map(|line| line.trim_end().to_owned() + "\n");
    rows.collect()
}

fn table(value: &ValueOrigin) -> &'static str {
    value.name.split('.').next().unwrap_or_default()
}

fn name(value: &ValueOrigin) -> &'static str {
    value.name.split('.').next_back().unwrap_or_default()
}

fn written(value: &ValueOrigin) -> String {
    value.value.as_deref().map_or_else(|| "none".to_owned(), one_line)
}

fn row(value: &ValueOrigin, names: usize, column: usize, terminal: &Terminal) -> String {
    let is_default = value.origin.is_default();
    let (tone, text) = (if is_default { Tone::Plain } else { Tone::Strong }, written(value));
    let cell = Line::new().tone(if value.value.is_none() { Tone::Dim } else { tone }, text.as_str());
    let gap = " ".repeat(column.saturating_sub(width(&text)));
    let origin = Line::new().dim(format!("{gap}  {}", origin_in_short(&value.origin))).render(terminal);
    format!("  {:<names$}  {}{origin}", name(value), cell.render_cut(terminal, column))
}

/// The files that the origins stand for.
fn sources(values: &[ValueOrigin], terminal: &Terminal) -> Vec<String> {
    let mut lines = Vec::new();
    for wanted in ["workspace", "project", "user"] {
        let mut files = values.iter().filter_map(|value| file_of(&value.origin));
        if let Some((layer, path, _)) = files.find(|(layer, ..)| *layer == wanted) {
            if lines.is_empty() {
                lines.push(String::new());
            }
            let line = Line::new().dim(format!("{layer:<9}  ")).plain(one_line(&path.to_string_lossy()));
            lines.push(line.render(terminal));
        }
    }
    lines
}

fn file_of(origin: &Origin) -> Option<(&'static str, &Path, usize)> {
    let Origin::File(kind, path, line) = origin else { return None };
    Some((kind.name(), path, *line))
}

/// `project:3`: the files are named below the table.
fn origin_in_short(origin: &Origin) -> String {
    match (file_of(origin), origin) {
        (Some((layer, _, line)), _) => format!("{layer}:{line}"),
        (None, Origin::Environment(_)) => "environment".to_owned(),
        (None, other) => one_line(&other.to_string()),
    }
}

/// One value as a person or a shell takes it: texts without quotes, a list with one item per line. With `Origin`, a last
/// line says who said it. `None` where there is no value.
pub fn config_value(value: &ValueOrigin, told: OriginTold, terminal: &Terminal) -> Option<String> {
    value.value.as_ref()?;
    let lines = match value.json() {
        Value::Array(items) => items.iter().map(bare).collect(),
        one => vec![bare(&one)],
    };
    let mut text: String = lines.iter().map(|line| line.clone() + "\n").collect();
    if terminal.interactive {
        text = harmless(&text).into_owned();
    }
    if told == OriginTold::Yes {
        let line = Line::new().dim(format!("from {}", one_line(&value.origin.to_string())));
        text.push_str(&line.render(terminal));
        text.push('\n');
    }
    // A value is nobody's punctuation, but a mask is ours.
    Some(if terminal.glyphs == Glyphs::Ascii { text.replace('•', "*") } else { text })
}

/// Is it said who said a value?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginTold {
    /// It is.
    Yes,
    /// Only the value is wanted.
    No,
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Every value with who said it, as one line of JSON.
pub fn config_json(values: &[ValueOrigin]) -> Vec<u8> {
    let values: Vec<Value> = values.iter().map(value_json).collect();
    document("config", &json!({ "values": values }))
}

/// One value as one line of JSON.
pub fn config_value_json(value: &ValueOrigin) -> Vec<u8> {
    document("config_value", &value_json(value))
}

pub(super) fn value_json(value: &ValueOrigin) -> Value {
    let origin = match (&value.origin, file_of(&value.origin)) {
        (_, Some((layer, path, line))) => {
            json!({ "layer": layer, "file": path.to_string_lossy(), "line": line })
        }
        (Origin::DefaultFor(mode), None) => json!({ "layer": "default", "mode": mode.name() }),
        (Origin::Environment(name), None) => json!({ "layer": "environment", "name": name }),
        (Origin::Flag(name), None) => json!({ "layer": "flag", "name": name }),
        (_, None) => json!({ "layer": "default" }),
    };
    json!({ "key": value.name, "value": value.json(), "origin": origin })
}

/// Every key there is: what it holds, what holds without it, what it is for; every line ends with a newline.
pub fn keys_text(keys: &[KeyReference], terminal: &Terminal) -> String {
    let mut text = String::new();
    for KeyReference { key, default, in_modes } in keys {
        let mut holds = default.clone().unwrap_or_else(|| "none".to_owned());
        for (mode, default) in in_modes {
            let _ = write!(holds, "; {} {default}", mode.name());
        }
        let head = Line::hanging(4).strong(key.name).plain(format!("  {holds}"));
        let what = Line::hanging(4).plain(format!("    {}", key.help));
        let kind = Line::hanging(4).dim(format!("    {}", key.expected));
        text.push_str(&rendered(&[head, what, kind], terminal));
    }
    text
}

/// Every key there is as one line of JSON.
pub fn keys_json(keys: &[KeyReference]) -> Vec<u8> {
    let keys: Vec<Value> = keys
        .iter()
        .map(|KeyReference { key, default, in_modes }| {
            let modes: serde_json::Map<String, Value> =
                in_modes.iter().map(|(mode, default)| (mode.name().to_owned(), as_json(default))).collect();
            json!({
                "key": key.name,
                "kind": key.expected,
                "list": key.shape == Shape::List,
                "secret": key.secrecy == Secrecy::Secret,
                "default": default.as_deref().map_or(Value::Null, as_json),
                "default_in": modes,
                "variable": key.variable(),
                "help": key.help,
            })
        })
        .collect();
    document("config_keys", &json!({ "keys": keys }))
}

fn as_json(written: &str) -> Value {
    ValueOrigin { name: "", value: Some(written.to_owned()), origin: Origin::Default }.json()
}

/// Which files there are, strongest first; every line ends with a newline.
pub fn config_files_text(files: &[ConfigFile], terminal: &Terminal) -> String {
    let mut text = String::new();
    for file in files {
        let (tone, state) = match &file.state {
            ConfigFileState::There { values } => (Tone::Plain, format::count(*values as u64, "value")),
            ConfigFileState::Missing => (Tone::Dim, "not there".to_owned()),
            ConfigFileState::Broken { .. } => (Tone::Bad, "broken".to_owned()),
        };
        let head = Line::new()
            .strong(format!("{:<9}", file.layer))
            .tone(tone, format!("  {state:<9}  "))
            .plain(one_line(&file.path));
        let problems = match &file.state {
            ConfigFileState::Broken { problem } => problem.as_str(),
            _ => "",
        };
        let problems = problems
            .lines()
            .map(|problem| Line::hanging(22).plain(format!("{}{}", " ".repeat(22), one_line(problem))));
        text.push_str(&rendered(&std::iter::once(head).chain(problems).collect::<Vec<_>>(), terminal));
    }
    text
}

/// Which files there are as one line of JSON, strongest first.
pub fn config_files_json(files: &[ConfigFile]) -> Vec<u8> {
    document("config_files", &json!({ "files": files }))
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
