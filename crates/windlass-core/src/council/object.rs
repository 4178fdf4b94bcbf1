//! A conflict as a JSON object: `{"principle_conflict": {"principles": [..], "options": [..], "question": ".."}}`.

use serde_json::Value;

use super::short;
use crate::values::Conflict;

/// Its only key.
const KEY: &str = "\"principle_conflict\"";

/// So many principles and options are kept.
const MOST: usize = 6;

/// So far before its key an object may begin, in bytes: white space is all that belongs there.
const BEFORE_KEY: usize = 64;

/// The last object of this kind in a text that means anything.
pub(super) fn last(text: &str) -> Option<Conflict> {
    text.rmatch_indices(KEY).find_map(|(at, _)| read(text, at))
}

fn read(text: &str, key: usize) -> Option<Conflict> {
    let before = text.get(..key)?.trim_end();
    let begins = before.strip_suffix('{')?.len();
    if key - begins > BEFORE_KEY {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text.get(begins..)?).into_iter::<Value>();
    let object = values.next()?.ok()?;
    let said = object.get("principle_conflict")?;
    let question = short(said.get("question").and_then(Value::as_str).unwrap_or_default(), 1000);
    let conflict = Conflict {
        principles: texts(said, "principles", 80),
        options: texts(said, "options", 300),
        question,
    };
    let is_said = !conflict.question.is_empty() || conflict.principles.len() > 1;
    is_said.then_some(conflict)
}

fn texts(said: &Value, name: &str, longest: usize) -> Vec<String> {
    let list = said.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = list.iter().filter_map(Value::as_str).map(|text| short(text, longest));
    texts.filter(|text| !text.is_empty()).take(MOST).collect()
}
