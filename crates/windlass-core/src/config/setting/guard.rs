//! Kinds of values that say what is guarded.

use toml::Value;

use super::{Refusal, Setting, Shape, Text};
use crate::guard::Protected;

/// Patterns for files; in the environment one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Globs(pub Vec<String>);

impl Setting for Globs {
    const EXPECTED: &'static str = "a list of patterns such as `ci/**` or `!ci/notes.md`";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let items = value.as_array().ok_or(Refusal::Kind)?;
        let globs: Vec<String> =
            items.iter().map(|item| Text::read(item).map(|Text(text)| text)).collect::<Result<_, _>>()?;
        Protected::new(globs.iter().map(String::as_str))
            .map_err(|error| Refusal::Because(error.to_string()))?;
        Ok(Globs(globs))
    }
}
