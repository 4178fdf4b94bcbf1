//! Structured answers: which calls are asked for one, and what their texts are cut to.

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_core::values::Purpose;

use crate::assessment::ASSESSMENT_SCHEMA;
use crate::decision::DECISION_SCHEMA;
use crate::review::REVIEW_SCHEMA;

/// What the answer of a call for this purpose has to look like: JSON schema, for `--json-schema`. `None` = it answers as it
/// likes.
pub const fn answer_schema(purpose: Purpose) -> Option<&'static str> {
    match purpose {
        Purpose::Verify => Some(ASSESSMENT_SCHEMA),
        Purpose::Review => Some(REVIEW_SCHEMA),
        Purpose::Council => Some(DECISION_SCHEMA),
        Purpose::Work | Purpose::Plan | Purpose::Merge => None,
    }
}

/// A word that is one of an enumeration's, as its names are in JSON.
pub(crate) fn word<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    let word = value.get(name).filter(|word| word.is_string())?;
    T::deserialize(word).ok()
}

/// One line of at most so many characters.
pub(crate) fn text(value: &Value, name: &str, longest: usize) -> String {
    let text = value.get(name).and_then(Value::as_str).unwrap_or_default();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|character| !character.is_control()).take(longest).collect()
}
