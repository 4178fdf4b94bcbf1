//! The reference of all keys, made from the same rows that reading uses.

use crate::values::Named;
use std::fmt::Write as _;
use strum::IntoEnumIterator;

use serde_json::{Map, Value as Json, json};

use super::error::ConfigError;
use super::keys::{KEYS, KeyInfo};
use super::resolve::{Resolved, Unlimited, written_as_json};
use crate::spec::Mode;

/// A key with what holds where nobody says anything.
#[derive(Clone, Debug)]
pub struct KeyReference {
    /// The key.
    pub key: &'static KeyInfo,
    /// Its default as TOML; `None` where it has none.
    pub default: Option<String>,
    /// Modes with another default, and that one as TOML.
    pub in_modes: Vec<(Mode, String)>,
}

/// Every key, table by table.
pub fn key_reference() -> Result<Vec<KeyReference>, ConfigError> {
    let defaults = Resolved::merge(&[], Mode::Goal, Unlimited::Refused)?;
    let reference = KEYS.iter().zip(defaults.origins()).map(|(key, default)| KeyReference {
        key,
        default: default.value.clone(),
        in_modes: Mode::iter().filter_map(|mode| Some((mode, in_mode(mode, key)?))).collect(),
    });
    Ok(reference.collect())
}

fn in_mode(mode: Mode, key: &KeyInfo) -> Option<String> {
    let (_, default) = mode.defaults().iter().find(|(name, _)| *name == key.name)?;
    Some(key.shown(&default.value()))
}

/// The table in `docs/configuration.md`, every line with its end.
pub fn key_table() -> Result<String, ConfigError> {
    let mut table = "| key | default | what |\n|---|---|---|\n".to_owned();
    for KeyReference { key, default, in_modes } in key_reference()? {
        let mut cell = default.map_or_else(|| "none".to_owned(), |default| format!("`{default}`"));
        for (mode, default) in in_modes {
            let _ = write!(cell, "; {} `{default}`", mode.name());
        }
        let _ = writeln!(table, "| `{}` | {cell} | {} |", key.name, key.help);
    }
    Ok(table)
}

/// `docs/config-schema.json`: the shape of a configuration file, as JSON Schema, for editors.
pub fn config_schema() -> Result<String, ConfigError> {
    let mut tables: Map<String, Json> = Map::new();
    for KeyReference { key, default, .. } in key_reference()? {
        let Some((table, name)) = key.name.split_once('.') else { continue };
        let mut schema = (key.schema)();
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".to_owned(), json!(key.help));
            fields.extend(
                default.as_deref().and_then(written_as_json).map(|default| ("default".to_owned(), default)),
            );
        }
        let table = tables
            .entry(table)
            .or_insert_with(|| json!({ "type": "object", "properties": {}, "additionalProperties": false }));
        if let Some(properties) = table.get_mut("properties").and_then(Json::as_object_mut) {
            properties.insert(name.to_owned(), schema);
        }
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "config.toml of windlass",
        "type": "object",
        "properties": tables,
        "additionalProperties": false,
    });
    Ok(format!("{schema:#}\n"))
}
