//! What a key may hold: how it is read from a file's value or from a flag's text, and what is said when it is wrong.

mod agents;
mod choice;
mod fleet;
mod guard;
mod list;
mod notify;
mod sandbox;
mod time;

use std::path::{Component, PathBuf};

use serde_json::{Value as Json, json};
use toml::Value;

use crate::inert::Inert;
use crate::message::Wording;
use crate::typed::shown;
use crate::values::Cost;
use crate::values::dollars::{MOST, checked, parse_money};

pub use agents::{AgentChoice, AgentOrNone};
pub use choice::{Choice, OpenPullRequest, OutputLevel};
pub use fleet::{FleetNameText, GitRemote, Replicas, ServerAddresses};
pub use guard::Globs;
pub use list::CheckSetting;
pub use notify::{NotifyEvents, PageAddress, Secret, SecretText, WebAddress};
pub use sandbox::{ByteCap, Hosts, NetworkChoice, Presets, ProcessorCap};
pub use time::{FineSpan, Pause, PositiveSpan, Span, SpanCap};

/// Why a value cannot be what its key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is of another kind.
    Kind,
    /// It is of the right kind and yet wrong: one sentence.
    Because(String),
}

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Because(error.to_string())
    }
}

/// Whether a value may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// To anybody.
    Open,
    /// To anybody, but for the credentials that an address may hold.
    Address,
    /// To nobody: neither whole nor in part, in no message.
    Secret,
}

/// How many values there are in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    One,
    /// One, which may be typed as a number.
    Number,
    /// A list of them.
    List,
}

/// A kind of value.
pub trait Setting: Sized {
    /// What is expected, for messages: `a whole number`.
    const EXPECTED: &'static str;

    /// Whether anybody may see it.
    const SECRECY: Secrecy = Secrecy::Open;

    /// How many texts of a command line it takes.
    const SHAPE: Shape = Shape::One;

    /// What its text is like, as a regular expression for the schema; empty = any text.
    const PATTERN: &'static str = "";

    /// Reads it.
    fn read(value: &Value) -> Result<Self, Refusal>;

    /// What it holds, as JSON Schema (2020-12).
    fn schema() -> Json {
        match Self::SHAPE {
            Shape::List => json!({ "type": "array", "items": Text::schema() }),
            Shape::Number => json!({ "type": "integer", "minimum": 0 }),
            Shape::One if Self::PATTERN.is_empty() => json!({ "type": "string" }),
            Shape::One => json!({ "type": "string", "pattern": Self::PATTERN }),
        }
    }

    /// The value that a text from the command line or the environment stands for; it is read afterwards.
    fn from_text(text: &str) -> Value {
        match Self::SHAPE {
            Shape::One => Value::String(text.to_owned()),
            Shape::Number => number_or_text(text),
            Shape::List => list::lines(text),
        }
    }
}

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count<const LEAST: u32, const MOST: u32 = { u32::MAX }>(pub u32);

impl<const LEAST: u32, const MOST: u32> Setting for Count<LEAST, MOST> {
    const EXPECTED: &'static str = "a whole number";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let number = whole(value)?;
        match u32::try_from(number) {
            Ok(number) if (LEAST..=MOST).contains(&number) => Ok(Count(number)),
            _ if MOST == u32::MAX && number < i64::from(LEAST) => {
                Err(Refusal::Because(format!("`{number}` is out of range; it must be at least {LEAST}")))
            }
            _ => Err(Refusal::Because(format!(
                "`{number}` is out of range; it must be from {LEAST} to {MOST}"
            ))),
        }
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// A whole number; 0 = none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountCap(pub Option<u32>);

impl Setting for CountCap {
    const EXPECTED: &'static str = "a whole number (0 = no limit)";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        Count::<0>::read(value).map(|Count(number)| CountCap((number > 0).then_some(number)))
    }

    fn schema() -> Json {
        Count::<0>::schema()
    }
}

/// A whole number that may be large; 0 = none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCap(pub Option<u64>);

impl Setting for TokenCap {
    const EXPECTED: &'static str = "a whole number (0 = no limit)";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let number = whole(value)?;
        let number = u64::try_from(number)
            .map_err(|_| Refusal::Because(format!("`{number}` is out of range; it must be at least 0")))?;
        Ok(TokenCap((number > 0).then_some(number)))
    }
}

/// An amount of money; 0 = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoneyCap(pub Option<Cost>);

impl Setting for MoneyCap {
    const EXPECTED: &'static str = "an amount in dollars such as `5`, `5.50` or \"$5\" (0 = no limit)";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let cost = match value {
            Value::Integer(dollars) => checked(*dollars as f64)?,
            Value::Float(dollars) => checked(*dollars)?,
            Value::String(text) => parse_money(text)?,
            _ => return Err(Refusal::Kind),
        };
        Ok(MoneyCap((cost > Cost::ZERO).then_some(cost)))
    }

    fn schema() -> Json {
        json!({ "anyOf": [
            { "type": "number", "minimum": 0, "maximum": MOST },
            { "type": "string", "pattern": r"^\s*\$?\s*(\d+\.?\d*|\.\d+)\s*$" },
        ] })
    }
}

/// A text with something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

impl Setting for Text {
    const EXPECTED: &'static str = "a text";
    const PATTERN: &'static str = r"\S";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?;
        if text.trim().is_empty() {
            return Err(Refusal::Because("it is empty".to_owned()));
        }
        Ok(Text(text.to_owned()))
    }
}

/// A text, or nothing where it is empty: what a layer below said is switched off by `""`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOrNothing(pub Option<String>);

impl Setting for TextOrNothing {
    const EXPECTED: &'static str = "a text (\"\" = none)";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?;
        Ok(TextOrNothing((!text.trim().is_empty()).then(|| text.to_owned())))
    }
}

/// A phrase that can stand on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase(pub String);

impl Setting for Phrase {
    const EXPECTED: &'static str = "a phrase of one line";
    const PATTERN: &'static str = r"^\s*\S[^\r\n]*$";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let Text(text) = Text::read(value)?;
        let phrase = text.trim();
        if phrase.chars().any(char::is_control) {
            return Err(Refusal::Because("it must fit on one line, without control characters".to_owned()));
        }
        // A prompt has it in another form then, and nobody would write it as it is.
        if Inert::words(phrase).to_string() != phrase {
            return Err(Refusal::Because(
                "it must hold nothing that agents expand, such as `@name` or `ultrathink`".to_owned(),
            ));
        }
        Ok(Phrase(phrase.to_owned()))
    }
}

/// A file below the working directory; empty = none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBelow(pub Option<PathBuf>);

impl Setting for FileBelow {
    const EXPECTED: &'static str = "a file in the working directory (\"\" = none)";
    const PATTERN: &'static str = r"^([^/]|$)";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let TextOrNothing(Some(text)) = TextOrNothing::read(value)? else { return Ok(FileBelow(None)) };
        let path = PathBuf::from(&text);
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let named = path.file_name().is_some() && !text.ends_with('/');
        if inside && named {
            Ok(FileBelow(Some(path)))
        } else {
            Err(Refusal::Because(format!(
                "`{}` is not a file inside the working directory; write a relative path",
                shown(&text)
            )))
        }
    }
}

/// A folder anywhere, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderAnywhere(pub Option<PathBuf>);

impl Setting for FolderAnywhere {
    const EXPECTED: &'static str = "an absolute path of a folder (\"\" = none)";
    const PATTERN: &'static str = "^(/|$)";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let TextOrNothing(Some(text)) = TextOrNothing::read(value)? else { return Ok(FolderAnywhere(None)) };
        let path = PathBuf::from(&text);
        if path.is_absolute() && !text.chars().any(char::is_control) {
            return Ok(FolderAnywhere(Some(path)));
        }
        Err(Refusal::Because(format!("`{}` is not an absolute path of a folder", shown(&text))))
    }
}

/// Names in a workspace that are not free for a report.
const TAKEN: [&str; 5] = ["INSTRUCTIONS.md", "TODO.md", ".status.json", ".metadata.json", "config.toml"];

/// The name of a file that windlass writes into a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportName(pub String);

impl Setting for ReportName {
    const EXPECTED: &'static str = "the name of a file";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let Text(text) = Text::read(value)?;
        let refuse = |why: &str| Err(Refusal::Because(format!("`{}` {why}", shown(&text))));
        if text.contains(['/', '\\']) || text.chars().any(char::is_control) || text == "." || text == ".." {
            return refuse("is not a name of a file; write one without a folder, such as `report.md`");
        }
        if TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(&text)) {
            return refuse("is a file of the workspace itself; choose another name");
        }
        Ok(ReportName(text))
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": r"^[^/\\]+$", "not": { "enum": TAKEN } })
    }
}

/// How commits are worded.
impl Setting for Wording {
    const EXPECTED: &'static str =
        "`windlass`, `devloop`, `conventional`, or a line with placeholders such as `{action}`";

    fn read(value: &Value) -> Result<Self, Refusal> {
        Ok(Wording::parse(value.as_str().ok_or(Refusal::Kind)?)?)
    }

    fn schema() -> Json {
        json!({ "anyOf": [
            { "enum": ["windlass", "devloop", "conventional"] },
            { "type": "string", "pattern": r"\{[a-z]+\}", "maxLength": 200 },
        ] })
    }
}

/// Yes or no.
impl Setting for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(value: &Value) -> Result<Self, Refusal> {
        value.as_bool().ok_or(Refusal::Kind)
    }

    fn from_text(text: &str) -> Value {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Value::Boolean(true),
            "false" | "no" | "off" | "0" => Value::Boolean(false),
            _ => Value::String(text.to_owned()),
        }
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

/// A whole number, whether or not it is in range.
fn whole(value: &Value) -> Result<i64, Refusal> {
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    value.as_integer().ok_or_else(|| match value.as_str().map(str::trim).filter(is_number) {
        Some(text) => Refusal::Because(format!("`{text}` is out of range; it must be at most {}", i64::MAX)),
        None => Refusal::Kind,
    })
}

/// A number where the text is one; otherwise the text, which no number's kind accepts.
fn number_or_text(text: &str) -> Value {
    text.trim().parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
}
