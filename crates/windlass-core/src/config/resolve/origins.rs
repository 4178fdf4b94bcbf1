//! Who said each value.

use super::{Origin, ValueOrigin, Values, keys};

impl Values {
    pub(super) fn origins(&self) -> Vec<ValueOrigin> {
        let origin_of = |key: &keys::KeyInfo| match self.0.get(key.name) {
            Some(said) => ValueOrigin {
                name: key.name,
                value: Some(key.shown(&said.value)),
                origin: said.origin.clone(),
            },
            None => ValueOrigin { name: key.name, value: None, origin: Origin::Default },
        };
        keys::KEYS.iter().map(origin_of).collect()
    }
}
