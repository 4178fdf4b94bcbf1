//! Kinds of values that are a time.

use std::time::Duration;

use serde_json::{Value as Json, json};
use toml::Value;

use super::{Refusal, Setting, Shape};
use crate::config::duration::{parse_duration, parse_fine_duration};

/// What a duration looks like, for whoever does not read it with our own eyes.
const DURATION: &str = r"^\s*([0-9][0-9.]*\s*([dDhHmMsS]|[mM][sS])\s*)+$";

/// A duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub Duration);

impl Setting for Span {
    const EXPECTED: &'static str = "a duration such as \"90s\" or \"1h30m\"";
    const PATTERN: &'static str = DURATION;

    fn read(value: &Value) -> Result<Self, Refusal> {
        Ok(Span(parse_duration(&written(value)?)?))
    }
}

/// A duration longer than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositiveSpan(pub Duration);

impl Setting for PositiveSpan {
    const EXPECTED: &'static str = Span::EXPECTED;
    const PATTERN: &'static str = DURATION;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let Span(duration) = Span::read(value)?;
        if duration.is_zero() {
            return Err(Refusal::Because("it must be longer than nothing".to_owned()));
        }
        Ok(PositiveSpan(duration))
    }
}

/// A duration of so many milliseconds at least and at most; the only one that may be finer than a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FineSpan<const LEAST: u64, const MOST: u64>(pub Duration);

impl<const LEAST: u64, const MOST: u64> Setting for FineSpan<LEAST, MOST> {
    const EXPECTED: &'static str = "a duration such as \"500ms\" or \"2s\"";
    const PATTERN: &'static str = DURATION;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = written(value)?;
        let duration = parse_fine_duration(&text)?;
        if (LEAST.into()..=MOST.into()).contains(&duration.as_millis()) {
            return Ok(FineSpan(duration));
        }
        Err(Refusal::Because(format!(
            "`{}` is out of range; it must be from {LEAST}ms to {MOST}ms",
            text.trim()
        )))
    }
}

/// A duration; 0 = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanCap(pub Option<Duration>);

impl Setting for SpanCap {
    const EXPECTED: &'static str = "a duration such as \"90s\" or \"1h30m\" (0 = no limit)";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = written(value)?;
        if text.trim() == "0" {
            return Ok(SpanCap(None));
        }
        let duration = parse_duration(&text)?;
        Ok(SpanCap((!duration.is_zero()).then_some(duration)))
    }

    fn schema() -> Json {
        json!({ "anyOf": [Span::schema(), { "enum": [0, "0"] }] })
    }
}

/// A pause: a duration, or a plain number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause(pub Duration);

impl Setting for Pause {
    const EXPECTED: &'static str = "seconds or a duration such as \"2s\"";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = written(value)?;
        let trimmed = text.trim();
        let plain = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit());
        Ok(Pause(if plain { parse_duration(&format!("{trimmed}s"))? } else { parse_duration(trimmed)? }))
    }

    fn schema() -> Json {
        json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, Span::schema(), { "type": "string", "pattern": r"^\s*\d+\s*$" }] })
    }
}

/// A text, or a plain number as its text: `delay = 2` and `max_duration = 0` are what people write.
fn written(value: &Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(Refusal::Kind),
    }
}
