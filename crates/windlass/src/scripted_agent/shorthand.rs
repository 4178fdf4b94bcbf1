//! Steps that may be written as a plain text or as a table: `{ bash = "ls" }` or `{ bash = { command = "ls", … } }`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A text, or a table of the step's fields.
pub fn text_or_table<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + for<'a> From<&'a str>,
{
    deserializer.deserialize_any(TextOrTable(PhantomData))
}

/// Not `#[serde(untagged)]`: that would lose the line of a wrong key.
struct TextOrTable<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + for<'a> From<&'a str>> Visitor<'de> for TextOrTable<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a table")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
