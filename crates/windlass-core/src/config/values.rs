//! A value for every key, whoever said it.

use std::collections::BTreeMap;

use super::error::ConfigError;
use super::keys::Key;
use super::layer::{Layer, Origin, Said};
use super::setting::{Refusal, Setting};
use crate::spec::Mode;

/// A value for every key that has one.
pub(super) struct Values(pub(super) BTreeMap<&'static str, Said>);

impl Values {
    pub(super) fn defaults(mode: Mode) -> Result<Values, ConfigError> {
        Layer::defaults(mode).map(|layer| Values(layer.said))
    }

    pub(super) fn lift_default(&mut self, name: &'static str) {
        if self.0.get(name).is_some_and(|said| said.origin.is_default()) {
            let origin = Origin::Flag("--unlimited".to_owned());
            self.0.insert(name, Said { value: toml::Value::Integer(0), origin });
        }
    }

    /// A key's value, where there is one.
    pub(super) fn find<T: Setting>(&self, key: &Key<T>) -> Result<Option<T>, ConfigError> {
        let Some(said) = self.0.get(key.name) else { return Ok(None) };
        // Layers hold nothing that cannot be read; should one do so all the same, it is said and not hidden.
        T::read(&said.value).map(Some).map_err(|refusal| {
            let why = match refusal {
                Refusal::Because(sentence) => sentence,
                Refusal::Kind => format!("expected {}", T::EXPECTED),
            };
            ConfigError::one(format!("{}: `{}`: {why}", said.origin, key.name))
        })
    }

    /// The value of a key that the defaults always have.
    pub(super) fn get<T: Setting>(&self, key: &Key<T>) -> Result<T, ConfigError> {
        self.find(key)?.ok_or_else(|| ConfigError::one(format!("`{}` has no value", key.name)))
    }
}
