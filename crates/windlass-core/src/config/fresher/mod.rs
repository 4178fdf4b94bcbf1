//! What Fresher was told, in keys of ours: its `config.toml`, its `config.sh`, its variables, and what it noted of its
//! runs. Nothing is executed.
//!
//! Fresher wrote all its settings into every project, so a value that is its default was hardly chosen by anybody. Such a
//! value is left out where ours is the same in modes plan and build.

mod environment;
mod settings;
mod state;
mod table;
#[cfg(test)]
mod tests;

mod script;

use toml::Value;
use toml::de::{DeTable, DeValue, ValueDeserializer};

pub use environment::{FresherEnvironment, container_in_container, container_variable, fresher_environment};
pub use state::{FresherState, fresher_state};

use script::Assignments;
use settings::Reading;
use table::{SETTINGS, Setting};

use crate::spec::Mode;
use crate::typed::{line_of, shown};

/// The mode that a word of Fresher's means.
pub fn mode(word: &str) -> Option<Mode> {
    match word.trim() {
        "planning" => Some(Mode::Plan),
        "building" => Some(Mode::Build),
        _ => None,
    }
}

/// What Fresher was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FresherSettings {
    /// Keys of our configuration and their values.
    pub options: Vec<(&'static str, Value)>,
    /// Commands that its prompts named; gates are what they are good for here.
    pub gates: Vec<String>,
    /// One sentence for each setting that has no place here, or another meaning.
    pub notes: Vec<String>,
}

impl FresherSettings {
    /// What holds in a project without a configuration file: Fresher's defaults.
    pub fn defaults() -> FresherSettings {
        Reading::default().finish()
    }

    /// Reads a `config.toml`. Missing sections mean their defaults.
    pub fn parse_toml(text: &str) -> Result<FresherSettings, String> {
        let text = text.trim_start_matches('\u{feff}');
        let document = DeTable::parse(text).map_err(|error| {
            let line = line_of(text, error.span().unwrap_or_default().start);
            format!("line {line} is not TOML: {}", error.message().replace('\n', ", "))
        })?;
        let mut reading = Reading::default();
        for (section, entries) in document.into_inner() {
            let section = section.get_ref().as_ref().to_owned();
            let DeValue::Table(entries) = entries.into_inner() else {
                reading.leave(&section, "there is nothing like it here");
                continue;
            };
            for (name, value) in entries {
                let full = format!("{section}.{}", name.get_ref());
                let found = SETTINGS.iter().find(|setting| setting.name == full);
                match (found, serde::Deserialize::deserialize(ValueDeserializer::from(value))) {
                    (Some(setting), Ok(value)) => reading.take_or_leave(setting, &full, value),
                    (None, _) => reading.leave(&full, "there is nothing like it here"),
                    (Some(_), Err(error)) => reading.leave(&full, error.message()),
                }
            }
        }
        Ok(reading.finish())
    }

    /// Reads a `config.sh`: only lines `export NAME="${NAME:-default}"` and `export NAME=value`. Other lines are named.
    pub fn parse_script(text: &str) -> FresherSettings {
        let Assignments { values, left } = script::read(text);
        let mut reading = Reading::default();
        for (variable, text) in values.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
            match Setting::of_variable(&variable) {
                Some(setting) => {
                    let value = setting.value_of(&text);
                    reading.take_or_leave(setting, &variable, value);
                }
                None => reading.leave(&variable, "there is nothing like it here"),
            }
        }
        let mut settings = reading.finish();
        settings.notes.extend(left);
        settings
    }
}
