//! Kinds of values that say how a sandbox is made.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use strum::{EnumString, VariantNames};
use toml::Value;

use super::{Refusal, Setting, Shape, Text};
use crate::spec::{Preset, SandboxKind};
use crate::typed::{nearest, shown};

/// How what a run starts is locked in: a word, for containers with an image behind a colon.
impl Setting for SandboxKind {
    const EXPECTED: &'static str = "`none`, `landlock`, `bwrap`, `docker[:IMAGE]` or `podman[:IMAGE]`";
    const PATTERN: &'static str = r"^\s*(none|landlock|bwrap|(docker|podman)(:[^\s-]\S*)?)\s*$";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?.trim();
        let (word, image) = match text.split_once(':') {
            Some((word, image)) => (word, Some(image.trim().to_owned())),
            None => (text, None),
        };
        let wrong = |image: &String| {
            image.is_empty() || image.starts_with('-') || image.contains(char::is_whitespace)
        };
        if let Some(image) = image.as_ref().filter(|image| wrong(image)) {
            return Err(Refusal::Because(format!("`{}` is not a name of an image", shown(image))));
        }
        match (word, image) {
            ("none", None) => Ok(SandboxKind::None),
            ("landlock", None) => Ok(SandboxKind::Landlock),
            ("bwrap", None) => Ok(SandboxKind::Bwrap),
            ("docker", image) => Ok(SandboxKind::Docker(image)),
            ("podman", image) => Ok(SandboxKind::Podman(image)),
            _ => Err(Refusal::Kind),
        }
    }
}

/// Which network a sandbox sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum NetworkChoice {
    /// All of it.
    On,
    /// Nothing.
    Off,
    /// The hosts of `sandbox.hosts`.
    Hosts,
}

/// Hosts that may be reached: names, or `*.` before one for whatever is below it. Lower case, no port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

impl Setting for Hosts {
    const EXPECTED: &'static str = "a list of hosts such as \"api.anthropic.com\" or \"*.example.com\"";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let hosts = value.as_array().ok_or(Refusal::Kind)?.iter().map(host);
        hosts.collect::<Result<_, _>>().map(Hosts)
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": { "type": "string", "pattern": HOST } })
    }
}

/// What [`host`] accepts.
const HOST: &str = r"^(\*\.)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$";

fn host(value: &Value) -> Result<String, Refusal> {
    let Text(text) = Text::read(value)?;
    let name = text.strip_prefix("*.").unwrap_or(&text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if name.chars().all(plain) && edge(name.chars().next()) && edge(name.chars().last()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(Refusal::Because(format!(
            "`{}` is not a host; write its name alone, without scheme, port or path",
            shown(&text)
        )))
    }
}

/// Tools by name, in any order; each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presets(pub BTreeSet<Preset>);

impl Setting for Presets {
    const EXPECTED: &'static str = "a list of `rust`, `node`, `bun`, `python`, `go`";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let presets = value.as_array().ok_or(Refusal::Kind)?.iter().map(preset);
        presets.collect::<Result<_, _>>().map(Presets)
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": { "enum": Preset::VARIANTS } })
    }
}

fn preset(value: &Value) -> Result<Preset, Refusal> {
    let Text(text) = Text::read(value)?;
    let name = text.trim().to_ascii_lowercase();
    name.parse().map_err(|_| {
        let meant = nearest(&name, Preset::VARIANTS.iter().copied());
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
        Refusal::Because(format!("there are no tools called `{}`{hint}", shown(&text)))
    })
}

/// A number of bytes; 0 = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCap(pub Option<u64>);

impl Setting for ByteCap {
    const EXPECTED: &'static str = "a size such as \"512m\" or \"4g\" (0 = no limit)";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = match value {
            Value::Integer(bytes) => bytes.to_string(),
            Value::String(text) => text.trim().to_ascii_lowercase(),
            _ => return Err(Refusal::Kind),
        };
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit: u64 = match text[digits.len()..].trim() {
            "" | "b" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "m" | "mb" | "mib" => 1 << 20,
            "g" | "gb" | "gib" => 1 << 30,
            "t" | "tb" | "tib" => 1 << 40,
            _ => return Err(Refusal::Kind),
        };
        let number: u64 = digits.parse().map_err(|_| Refusal::Kind)?;
        let bytes = number.checked_mul(unit).filter(|bytes| i64::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(|| Refusal::Because(format!("`{}` is out of range", shown(&text))))?;
        Ok(ByteCap((bytes > 0).then_some(bytes)))
    }

    fn schema() -> Json {
        json!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": r"^\s*\d+\s*([bB]|[kKmMgGtT]([iI]?[bB])?)?\s*$" },
        ] })
    }
}

/// Thousandths of processors; 0 = no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorCap(pub Option<u32>);

impl Setting for ProcessorCap {
    const EXPECTED: &'static str = "a number of processors such as 2 or 1.5 (0 = no limit)";

    fn read(value: &Value) -> Result<Self, Refusal> {
        const MOST: f64 = 1024.0;
        let processors = match value {
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            Value::String(text) => text.trim().parse().map_err(|_| Refusal::Kind)?,
            _ => return Err(Refusal::Kind),
        };
        if !(0.0..=MOST).contains(&processors) {
            return Err(Refusal::Because(format!(
                "`{processors}` is out of range; it must be from 0 to {MOST}"
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it was just seen to be from 0 to about a million"
        )]
        let millis = (processors * 1000.0).round() as u32;
        if millis == 0 && processors > 0.0 {
            return Err(Refusal::Because("that is less than a thousandth of a processor".to_owned()));
        }
        Ok(ProcessorCap((millis > 0).then_some(millis)))
    }

    fn schema() -> Json {
        json!({ "anyOf": [
            { "type": "number", "minimum": 0, "maximum": 1024 },
            { "type": "string", "pattern": r"^\s*[0-9.]+\s*$" },
        ] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Setting>(text: &str) -> Result<T, Refusal> {
        let table: toml::Table = format!("value = {text}").parse().unwrap();
        T::read(&table["value"])
    }

    #[test]
    fn a_sandbox_is_a_word_and_perhaps_an_image() {
        let image = |name: &str| Some(name.to_owned());
        for (text, kind) in [
            ("\"none\"", SandboxKind::None),
            ("\"bwrap\"", SandboxKind::Bwrap),
            ("\"landlock\"", SandboxKind::Landlock),
            ("\"docker\"", SandboxKind::Docker(None)),
            ("\"podman:rust:1.95\"", SandboxKind::Podman(image("rust:1.95"))),
        ] {
            assert_eq!(read::<SandboxKind>(text), Ok(kind), "{text}");
        }
        for text in
            ["\"chroot\"", "\"bwrap:image\"", "\"\"", "1", "\"docker:\"", "\"docker:-v\"", "\"podman:a b\""]
        {
            assert!(read::<SandboxKind>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_and_processors() {
        for (text, bytes) in [
            ("0", None),
            ("\"0\"", None),
            ("4096", Some(4096)),
            ("\"512m\"", Some(512 << 20)),
            ("\"4 GiB\"", Some(4 << 30)),
        ] {
            assert_eq!(read::<ByteCap>(text), Ok(ByteCap(bytes)), "{text}");
        }
        for text in ["-1", "\"4x\"", "\"g\"", "\"\"", "\"99999999999t\"", "true", "\"é\""] {
            assert!(read::<ByteCap>(text).is_err(), "{text}");
        }
        for (text, millis) in [("2", Some(2000)), ("1.5", Some(1500)), ("\"0.5\"", Some(500)), ("0", None)] {
            assert_eq!(read::<ProcessorCap>(text), Ok(ProcessorCap(millis)), "{text}");
        }
        for text in ["-1", "nan", "inf", "2000", "0.0001", "\"two\""] {
            assert!(read::<ProcessorCap>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn tools_are_words_and_a_mistyped_one_is_refused() {
        let read_presets = |text: &str| read::<Presets>(text).map(|Presets(presets)| presets);
        assert_eq!(read_presets("[]"), Ok(BTreeSet::new()));
        let both = BTreeSet::from([Preset::Rust, Preset::Go]);
        assert_eq!(read_presets("[\"go\", \"Rust\", \"go\"]"), Ok(both));
        let mistyped = read_presets("[\"phyton\"]").unwrap_err();
        assert_eq!(
            mistyped,
            Refusal::Because("there are no tools called `phyton`; did you mean `python`?".to_owned())
        );
        assert!(read_presets("\"rust\"").is_err() && read_presets("[1]").is_err());
    }

    #[test]
    fn hosts_are_names_and_nothing_else() {
        let hosts = read::<Hosts>("[\"API.example.com\", \"*.example.org\", \"localhost\", \"127.0.0.1\"]");
        let expected = ["api.example.com", "*.example.org", "localhost", "127.0.0.1"].map(str::to_owned);
        assert_eq!(hosts, Ok(Hosts(expected.to_vec())));
        for text in [
            "[\"https://a\"]",
            "[\"a:443\"]",
            "[\"*\"]",
            "[\"*.\"]",
            "[\"a/b\"]",
            "[\" a\"]",
            "\"a\"",
            "[\"-a\"]",
        ] {
            assert!(read::<Hosts>(text).is_err(), "{text}");
        }
    }
}
