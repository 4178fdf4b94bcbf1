//! The fields of structured answers, and what their texts are cut to.

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_core::escapes::without_escapes;

/// A word that is one of an enumeration's, as its names are in JSON.
pub(crate) fn word<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    let word = value.get(name).filter(|word| word.is_string())?;
    T::deserialize(word).ok()
}

/// One line of at most so many characters.
pub(crate) fn text(value: &Value, name: &str, longest: usize) -> String {
    let text = value.get(name).and_then(Value::as_str).unwrap_or_default();
    let words = without_escapes(text).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|character| !character.is_control()).take(longest).collect()
}
