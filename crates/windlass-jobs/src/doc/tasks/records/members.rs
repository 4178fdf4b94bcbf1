//! An object's members, in their order.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::state::{ONLY_TICK, OTHER_TICK, STATUS, TICK};
use super::{DEPENDENCIES, ID, TITLE, text};

/// An object's members, in their order.
pub(in crate::doc::tasks) struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfObject;
        impl<'de> Visitor<'de> for OfObject {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(OfObject).map(Members)
    }
}

impl<'a> Members<'a> {
    /// The object's; `None` where it is none.
    pub fn of(text: &'a str) -> Option<Members<'a>> {
        serde_json::from_str(text).ok()
    }

    /// The first member that is there of these names.
    pub fn first(&self, names: &[&str]) -> Option<&'a RawValue> {
        names.iter().find_map(|name| self.0.iter().find(|(key, _)| key == name)).map(|(_, value)| *value)
    }

    /// The text of the first member that is there and says something.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| text(self.first(&[name])?))
    }

    /// Is a name given twice that means something?
    pub(super) fn is_given_twice(&self) -> bool {
        let known = [ID, TICK, STATUS, OTHER_TICK, ONLY_TICK, DEPENDENCIES, TITLE].concat();
        known.iter().any(|name| self.0.iter().filter(|(key, _)| key == name).count() > 1)
    }

    /// Does it say how far it is?
    pub fn has_state(&self) -> bool {
        self.first(&[TICK, STATUS, OTHER_TICK, ONLY_TICK].concat()).is_some()
    }
}
