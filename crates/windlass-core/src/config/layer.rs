//! Layers: who says what. A layer is parsed alone, so that each complaint names its file and line.

use crate::values::Named;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Value};

use super::error::{ConfigError, FileKind};
use super::keys::{KEYS, Key, KeyInfo, known};
use super::setting::Setting;
use crate::spec::Mode;
use crate::typed::{line_of, shown};

/// Who said a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Windlass.
    Default,
    /// Windlass, for this mode.
    DefaultFor(Mode),
    /// Whose file, which, and the line in it, from 1.
    File(FileKind, PathBuf, usize),
    /// A variable of the environment.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

impl Origin {
    /// Did nobody say anything?
    pub const fn is_default(&self) -> bool {
        matches!(self, Origin::Default | Origin::DefaultFor(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::DefaultFor(mode) => write!(f, "default for {}", mode.name()),
            Origin::File(_, path, line) => write!(f, "{}:{line}", path.display()),
            Origin::Environment(name) | Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A value, and who said it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// What one file, the environment or the command line says: values by key, each already known to be readable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    pub(super) said: BTreeMap<&'static str, Said>,
}

/// The file of defaults, as it is in the tree.
const DEFAULTS: &str = include_str!("defaults.toml");

impl Layer {
    /// What holds in this mode where nobody says anything.
    pub fn defaults(mode: Mode) -> Result<Layer, ConfigError> {
        let mut layer = Layer::parse(FileKind::Default, Path::new("defaults.toml"), DEFAULTS)?;
        let differing = mode.defaults().iter().map(|(name, default)| {
            (*name, Said { value: default.value(), origin: Origin::DefaultFor(mode) })
        });
        layer.said.extend(differing);
        Ok(layer)
    }

    /// What it says of a key (`table.key`).
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.said.get(name).map(|said| &said.value)
    }

    /// How many keys it says something of.
    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// Does it say nothing?
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Reads a configuration file's text.
    ///
    /// # Errors
    /// What is not TOML, unknown keys, values of a wrong kind, values that may not be saved: all of them.
    pub fn parse(kind: FileKind, path: &Path, text: &str) -> Result<Layer, ConfigError> {
        let file = SourceFile { kind, path, text };
        let document = DeTable::parse(text).map_err(|error| {
            let place =
                error.span().map_or_else(|| path.display().to_string(), |span| file.place(span.start));
            ConfigError::one(format!("{place}: {}", error.message().replace('\n', ", ")))
        })?;
        let (mut layer, mut problems) = (Layer::default(), Vec::new());
        for (table_name, table) in document.into_inner() {
            file.read_table(&table_name, table, &mut layer, &mut problems);
        }
        finished(layer, problems)
    }

    /// Takes `WINDLASS_<TABLE>__<KEY>` out of an environment. Empty values count as unset; other variables are none of
    /// its business.
    ///
    /// # Errors
    /// Variables of this shape that name no key, and values of a wrong kind: all of them.
    pub fn from_environment(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Layer, ConfigError> {
        let (mut layer, mut problems) = (Layer::default(), Vec::new());
        for (variable, text) in variables {
            let Some((table, key)) =
                variable.strip_prefix("WINDLASS_").and_then(|rest| rest.split_once("__"))
            else {
                continue;
            };
            if text.is_empty() {
                continue;
            }
            let name = format!("{}.{}", table.to_ascii_lowercase(), key.to_ascii_lowercase());
            let result = known(&name).and_then(|info| {
                let value = (info.from_text)(&text);
                layer.insert(info, value, Origin::Environment(variable.clone()))
            });
            if let Err(problem) = result {
                problems.push(format!("{}: {problem}", shown(&variable)));
            }
        }
        finished(layer, problems)
    }

    /// What it says, key by key: values that could stand in a file.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.said.iter().map(|(name, said)| (*name, &said.value))
    }

    /// What flags of the command line say in it, each with its name.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.said.values().filter_map(|said| match &said.origin {
            Origin::Flag(flag) => Some((flag.as_str(), &said.value)),
            _ => None,
        })
    }

    /// Adds what a flag says.
    pub fn flag<T: Setting>(&mut self, key: &Key<T>, flag: &str, text: &str) -> Result<(), ConfigError> {
        self.flag_value(key, flag, T::from_text(text))
    }

    /// Adds what a flag that can be repeated says; without a text it says nothing.
    pub fn flag_list<T: Setting>(
        &mut self,
        key: &Key<T>,
        flag: &str,
        texts: &[String],
    ) -> Result<(), ConfigError> {
        if texts.is_empty() {
            return Ok(());
        }
        self.flag_value(key, flag, Value::Array(texts.iter().cloned().map(Value::String).collect()))
    }

    fn flag_value<T>(&mut self, key: &Key<T>, flag: &str, value: Value) -> Result<(), ConfigError> {
        known(key.name)
            .and_then(|info| self.insert(info, value, Origin::Flag(flag.to_owned())))
            .map_err(|problem| ConfigError::one(format!("{flag}: {problem}")))
    }

    /// Adds what somebody says of a key.
    pub(super) fn say(&mut self, name: &str, value: Value, origin: Origin) -> Result<(), String> {
        known(name).and_then(|info| self.insert(info, value, origin))
    }

    fn insert(&mut self, info: &'static KeyInfo, value: Value, origin: Origin) -> Result<(), String> {
        info.accept(&value)?;
        self.said.insert(info.name, Said { value, origin });
        Ok(())
    }
}

fn finished(layer: Layer, problems: Vec<String>) -> Result<Layer, ConfigError> {
    if problems.is_empty() { Ok(layer) } else { Err(ConfigError { problems }) }
}

/// A file being read.
struct SourceFile<'a> {
    kind: FileKind,
    path: &'a Path,
    text: &'a str,
}

impl SourceFile<'_> {
    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path.display(), line_of(self.text, offset))
    }

    fn origin(&self, offset: usize) -> Origin {
        match self.kind {
            FileKind::Default => Origin::Default,
            kind => Origin::File(kind, self.path.to_owned(), line_of(self.text, offset)),
        }
    }

    fn read_table(
        &self,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        table: Spanned<DeValue<'_>>,
        layer: &mut Layer,
        problems: &mut Vec<String>,
    ) {
        let name_at = name.span().start;
        let DeValue::Table(entries) = table.into_inner() else {
            // A name in quotes is one word to TOML, dots and all.
            let problem = known(name.get_ref())
                .map_or_else(|problem| problem, |info| format!("write `{}` without quotes", info.name));
            problems.push(format!("{}: {problem}", self.place(name_at)));
            return;
        };
        let is_known = KEYS.iter().any(|key| key.name.split('.').next() == Some(name.get_ref()));
        if entries.is_empty() && !is_known {
            problems.push(format!("{}: unknown table `{}`", self.place(name_at), shown(name.get_ref())));
        }
        for (key, value) in entries {
            let at = key.span().start;
            let full_name = format!("{}.{}", name.get_ref(), key.get_ref());
            let result = known(&full_name).and_then(|info| {
                info.check_place(self.kind)?;
                let value = Value::deserialize(ValueDeserializer::from(value))
                    .map_err(|error| error.message().to_owned())?;
                layer
                    .insert(info, value, self.origin(at))
                    .map_err(|problem| format!("`{full_name}`: {problem}"))
            });
            if let Err(problem) = result {
                problems.push(format!("{}: {problem}", self.place(at)));
            }
        }
    }
}
