//! Steps that may be written as a plain text or as a table: `{ bash = "ls" }` or `{ bash = { command = "ls", … } }`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::steps::{Bash, PathStep};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BashTable {
    command: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    setsid: bool,
    #[serde(default)]
    silent: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathTable {
    path: String,
    #[serde(default)]
    silent: bool,
}

impl From<String> for Bash {
    fn from(command: String) -> Bash {
        Bash { command, description: String::new(), setsid: false, silent: false }
    }
}

impl From<BashTable> for Bash {
    fn from(table: BashTable) -> Bash {
        let BashTable { command, description, setsid, silent } = table;
        Bash { command, description, setsid, silent }
    }
}

impl From<String> for PathStep {
    fn from(path: String) -> PathStep {
        PathStep { path, silent: false }
    }
}

impl From<PathTable> for PathStep {
    fn from(table: PathTable) -> PathStep {
        PathStep { path: table.path, silent: table.silent }
    }
}

impl<'de> Deserialize<'de> for Bash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bash, D::Error> {
        deserializer.deserialize_any(TextOrTable::<Bash, BashTable>(PhantomData))
    }
}

impl<'de> Deserialize<'de> for PathStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PathStep, D::Error> {
        deserializer.deserialize_any(TextOrTable::<PathStep, PathTable>(PhantomData))
    }
}

/// Not `#[serde(untagged)]`: that would lose the line of a wrong key.
struct TextOrTable<Target, Table>(PhantomData<(Target, Table)>);

impl<'de, Target, Table> Visitor<'de> for TextOrTable<Target, Table>
where
    Target: From<String> + From<Table>,
    Table: Deserialize<'de>,
{
    type Value = Target;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a table")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Target, E> {
        Ok(Target::from(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Target, A::Error> {
        Table::deserialize(MapAccessDeserializer::new(map)).map(Target::from)
    }
}
