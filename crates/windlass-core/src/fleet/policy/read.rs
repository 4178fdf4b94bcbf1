//! Reading a policy's file: what is wrong in it is said with its line.

use std::path::PathBuf;

use globset::Glob;
use serde::Deserialize as _;
use toml::Value;
use toml::de::{DeTable, ValueDeserializer};

use super::{MOST_LANES, Policy, ProjectPattern};
use crate::config::{Count, MoneyCap, Refusal, Setting, Text, described};
use crate::typed::{line_of, nearest, shown};

/// Every key there is.
const KEYS: [&str; 10] = [
    "name",
    "lanes",
    "labels",
    "account",
    "sandbox",
    "network",
    "projects",
    "gates",
    "most_cost_per_hour",
    "programs",
];

/// Larger policies are none, in bytes.
const LARGEST: usize = 1024 * 1024;

impl Policy {
    /// Reads a policy's file. What it does not say is strict: [`Policy::default`].
    ///
    /// # Errors
    /// A sentence that begins with the line where something is wrong: `line 2: …`.
    pub fn parse(text: &str) -> Result<Policy, String> {
        if text.len() > LARGEST {
            return Err(format!("line 1: it has {} bytes, and {LARGEST} are the most", text.len()));
        }
        let at = |offset: usize| format!("line {}", line_of(text, offset));
        let document = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            format!("{}: {}", at(offset), error.message().replace('\n', ", "))
        })?;
        let mut policy = Policy::default();
        for (key, value) in document.into_inner() {
            let place = at(key.span().start);
            let name = key.get_ref();
            let value = Value::deserialize(ValueDeserializer::from(value))
                .map_err(|error| format!("{place}: {}", error.message()))?;
            policy.set(name, &value).map_err(|problem| format!("{place}: {problem}"))?;
        }
        Ok(policy)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let about = |refusal| format!("`{key}`: {refusal}");
        match key {
            "name" => self.name = Some(read(value).map(|Text(name)| name).map_err(about)?),
            "lanes" => self.lanes = lanes(value).map_err(about)?,
            "labels" => self.labels = read(value).map_err(about)?,
            "account" => self.account = Some(read(value).map(|Text(account)| account).map_err(about)?),
            "sandbox" => self.sandbox = read(value).map_err(about)?,
            "network" => self.network = read(value).map_err(about)?,
            "projects" => self.projects = projects(value).map_err(about)?,
            "gates" => self.gates = read(value).map_err(about)?,
            "most_cost_per_hour" => {
                self.most_cost_per_hour = read(value).map(|MoneyCap(cost)| cost).map_err(about)?;
            }
            "programs" => self.programs = programs(value).map_err(about)?,
            unknown => {
                let meant = nearest(unknown, KEYS).map(|meant| format!("; did you mean `{meant}`?"));
                let there_are = || format!("; there are {}", KEYS.join(", "));
                let unknown = shown(unknown);
                return Err(format!("unknown key `{unknown}`{}", meant.unwrap_or_else(there_are)));
            }
        }
        Ok(())
    }
}

fn read<T: Setting>(value: &Value) -> Result<T, String> {
    T::read(value).map_err(|refusal| match refusal {
        Refusal::Because(sentence) => sentence,
        Refusal::Kind => format!("expected {}, found {}", T::EXPECTED, described(value)),
    })
}

fn lanes(value: &Value) -> Result<u16, String> {
    let Count(number): Count<1, { MOST_LANES as u32 }> = read(value)?;
    u16::try_from(number).map_err(|error| error.to_string())
}

fn programs(value: &Value) -> Result<Vec<PathBuf>, String> {
    let texts: Vec<String> = read(value)?;
    let program = |text: String| {
        let path = PathBuf::from(&text);
        let is_one = path.is_absolute() && path.file_name().is_some();
        if is_one { Ok(path) } else { Err(format!("`{}` is not the whole path of a program", shown(&text))) }
    };
    texts.into_iter().map(program).collect()
}

fn projects(value: &Value) -> Result<Vec<ProjectPattern>, String> {
    let texts: Vec<String> = read(value)?;
    let pattern = |text: &String| match Glob::new(text) {
        Ok(glob) => Ok(ProjectPattern(glob.compile_matcher())),
        Err(error) => Err(format!("`{}` is not a pattern: {}", shown(text), error.kind())),
    };
    texts.iter().map(pattern).collect()
}
