//! Documents and lines that Windlass prints with `--json`, held to `docs/json-schema.json`.
//!
//! No more of JSON Schema is known than that file uses, and more is asked than it says: a field that it does not name is wrong.
//! To whoever reads documents it may be new; whoever prints it has to describe it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::Value;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../docs/json-schema.json");
    serde_json::from_str(text).expect("docs/json-schema.json is JSON")
});

/// What a schema may say, beside what every object of it says.
const KNOWN: [&str; 9] =
    ["additionalProperties", "anyOf", "const", "enum", "format", "items", "properties", "required", "type"];

/// The types of all documents and lines that are described.
pub fn types() -> BTreeSet<&'static str> {
    described().filter_map(type_of).collect()
}

/// The types of documents alone: of all that is described and is no line of a run's, which has a number there.
pub fn types_of_documents() -> BTreeSet<&'static str> {
    let is_document = |schema: &&Value| schema["properties"].get("seq").is_none();
    described().filter(is_document).filter_map(type_of).collect()
}

fn described() -> impl Iterator<Item = &'static Value> {
    SCHEMA["oneOf"].as_array().into_iter().flatten()
}

fn type_of(schema: &Value) -> Option<&str> {
    schema["properties"]["type"]["const"].as_str()
}

/// Holds all that was said to the schema, line by line. What is no document of Windlass's is passed over.
///
/// # Panics
/// Where a document is not as its type is described, with the place in it.
pub fn hold(said: &[u8]) {
    for line in said.split(|&byte| byte == b'\n') {
        let Ok(document) = serde_json::from_slice::<Value>(line) else { continue };
        if document["v"].is_u64() && document["type"].is_string() {
            hold_one(&document);
        }
    }
}

/// The same for one document.
///
/// # Panics
/// Where it is not as its type is described, with the place in it.
pub fn hold_one(document: &Value) {
    if let Err(why) = check(document) {
        panic!("docs/json-schema.json says otherwise: {why}\n--- it stands in\n{document}");
    }
}

fn check(document: &Value) -> Result<(), String> {
    let name = document["type"].as_str().ok_or("the document has no type")?;
    let schema = described().find(|schema| type_of(schema) == Some(name));
    fits(document, schema.ok_or(format!("no document is described whose type is {name}"))?, name)
}

/// Is a value as a schema says? Where not, in words.
fn fits(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    let words = schema.as_object().ok_or(format!("{place}: the schema is no object"))?;
    if let Some(word) = words.keys().find(|word| !KNOWN.contains(&word.as_str())) {
        return Err(format!("{place}: nobody here knows what `{word}` of the schema means"));
    }
    let wrong = || Err(format!("{place} is {value}, and should be {schema}"));
    if let Some(kind) = schema["type"].as_str()
        && !is_of(value, kind)
    {
        return wrong();
    }
    let is_time = |text: &str| text.ends_with('Z') && text.parse::<Timestamp>().is_ok();
    if schema["format"] == "date-time" && !value.as_str().is_some_and(is_time) {
        return wrong();
    }
    let choices = schema["enum"].as_array();
    if choices.is_some_and(|choices| !choices.contains(value))
        || schema.get("const").is_some_and(|only| only != value)
    {
        return wrong();
    }
    if let Some(schemas) = schema["anyOf"].as_array() {
        let tried: Vec<_> = schemas.iter().map(|schema| fits(value, schema, place)).collect();
        // The first says more than that it is not null.
        return tried.iter().find(|one| one.is_ok()).or(tried.first()).cloned().unwrap_or(Ok(()));
    }
    if let Some(schema) = schema.get("items") {
        let mut items = value.as_array().into_iter().flatten().enumerate();
        return items.try_for_each(|(at, item)| fits(item, schema, &format!("{place}[{at}]")));
    }
    fields_fit(value, schema, place)
}

fn fields_fit(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    let Some(fields) = value.as_object() else { return Ok(()) };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.into_iter().find(|name| !fields.contains_key(*name)) {
        return Err(format!("{place}.{missing} is missing"));
    }
    let (known, others) = (schema.get("properties"), schema.get("additionalProperties"));
    if known.is_none() && others.is_none() {
        return Ok(());
    }
    fields.iter().try_for_each(|(name, value)| {
        let place = format!("{place}.{name}");
        let schema = known.and_then(|known| known.get(name)).or(others);
        fits(value, schema.ok_or(format!("{place} is not described"))?, &place)
    })
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "v": 1, "type": "worktrees", "worktrees": [{
                "name": "api", "branch": "windlass/api", "path": "/w/api", "base": null, "run": null,
                "state": "complete", "ahead": 3, "behind": 0, "merged": false, "uncommitted": null,
                "problem": "its folder is gone",
            }],
        })
    }

    #[test]
    fn what_is_described_passes_and_every_other_thing_is_named_with_its_place() {
        assert_eq!(check(&good()), Ok(()));
        for (field, wrong) in [
            ("name", json!(1)),
            ("state", json!("asleep")),
            ("ahead", json!(1.5)),
            ("merged", Value::Null),
            ("problem", json!([])),
            ("more", json!("x")),
        ] {
            let mut bad = good();
            bad["worktrees"][0][field] = wrong;
            let why = check(&bad).unwrap_err();
            assert!(why.contains(&format!("worktrees.worktrees[0].{field}")), "{why}");
        }
        let mut bad = good();
        bad["worktrees"][0].as_object_mut().unwrap().remove("path");
        assert_eq!(check(&bad), Err("worktrees.worktrees[0].path is missing".to_owned()));
        let unknown = json!({ "v": 1, "type": "weather" });
        assert!(check(&unknown).unwrap_err().contains("whose type is weather"));
        let newer = json!({ "v": 2, "type": "worktrees", "worktrees": [] });
        assert!(check(&newer).unwrap_err().starts_with("worktrees.v is 2"));
    }

    #[test]
    fn names_that_are_values_and_times_are_looked_at() {
        let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
        assert_eq!(fits(&json!({ "loop": 3 }), &schema, "x"), Ok(()));
        assert!(fits(&json!({ "loop": "3" }), &schema, "x").unwrap_err().starts_with("x.loop is"));
        let time = json!({ "type": "string", "format": "date-time" });
        assert_eq!(fits(&json!("2026-03-01T20:00:00Z"), &time, "x"), Ok(()));
        assert!(fits(&json!("yesterday"), &time, "x").is_err());
        assert!(fits(&json!(1), &json!({ "minimum": 1 }), "x").unwrap_err().contains("`minimum`"));
    }

    #[test]
    fn only_documents_of_windlass_are_held() {
        hold(b"{\"type\":\"result\"}\nwords\n[1]\n");
        assert!(std::panic::catch_unwind(|| hold(b"{\"v\":1,\"type\":\"weather\"}\n")).is_err());
        assert!(types().contains("worktrees") && types().contains("run_finished"));
    }
}
