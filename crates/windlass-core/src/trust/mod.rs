//! What the files of a repository start or redirect, and what of it a person has trusted.
//!
//! A repository is other people's work: its configuration names commands, its settings for agents name hooks and servers.
//! Each of them is a [`Startable`] here, with its content; a person is asked once per content. What only permits or limits
//! something is none.

mod configuration;
mod difference;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::hexadecimal;

pub use configuration::{StartableCommand, commands_named, configured};
pub use difference::{Difference, differences};

/// Who would start it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Starter {
    /// Windlass, from its own configuration.
    Windlass,
    /// The agent of this name, from its settings in the repository.
    Agent(String),
}

impl Starter {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Starter::Windlass => "windlass",
            Starter::Agent(name) => name,
        }
    }

    /// Is it an agent?
    pub fn is_agent(&self) -> bool {
        *self != Starter::Windlass
    }
}

impl From<String> for Starter {
    fn from(name: String) -> Starter {
        if name == Starter::Windlass.name() { Starter::Windlass } else { Starter::Agent(name) }
    }
}

impl From<Starter> for String {
    fn from(starter: Starter) -> String {
        starter.name().to_owned()
    }
}

/// A host that calls go to instead of the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiHost {
    /// The variable that says so.
    pub variable: String,
    /// Its value, without the name and password that an address may hold.
    pub address: String,
}

/// What would be started, or where something would be redirected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Content {
    /// What stands in the naming file: a command, or a value as JSON.
    Text {
        /// It.
        text: String,
    },
    /// A file of the repository.
    File {
        /// Relative to the repository's top.
        path: String,
        /// The SHA-256 of its bytes.
        digest: String,
    },
}

/// One thing that a file of the repository starts or redirects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Startable {
    /// Who would.
    pub starter: Starter,
    /// The file that names it, relative to the repository's top.
    pub file: String,
    /// Where in it: `gates.commands`, `hooks.PreToolUse`, `mcpServers.NAME`.
    pub key: String,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

impl Startable {
    /// A text of a file.
    pub fn text(starter: Starter, file: &str, key: &str, text: &str) -> Startable {
        let content = Content::Text { text: text.to_owned() };
        Startable { starter, file: file.to_owned(), key: key.to_owned(), content }
    }

    /// A file that another one names.
    pub fn file(starter: Starter, file: &str, key: &str, path: &str, digest: &str) -> Startable {
        let content = Content::File { path: path.to_owned(), digest: digest.to_owned() };
        Startable { starter, file: file.to_owned(), key: key.to_owned(), content }
    }

    /// Is it the same thing, whatever it says now?
    pub fn is_same(&self, other: &Startable) -> bool {
        let path = |startable: &Startable| match &startable.content {
            Content::Text { .. } => None,
            Content::File { path, .. } => Some(path.clone()),
        };
        (&self.starter, &self.file, &self.key) == (&other.starter, &other.file, &other.key)
            && path(self) == path(other)
    }

    /// What would be started, for people: on one line once it is made harmless.
    pub fn shown(&self) -> String {
        match &self.content {
            Content::File { path, .. } => format!("the file {path}"),
            Content::Text { text } if self.starter != Starter::Windlass => {
                command_in(text).unwrap_or_else(|| text.clone())
            }
            // The credentials that an address may hold are nobody's to read over a shoulder.
            Content::Text { text } => configuration::shown(&self.key, text).unwrap_or_else(|| text.clone()),
        }
    }

    /// Its fields, each with its length before it, so that no two different ones are the same bytes.
    fn encode(&self, into: &mut Sha256) {
        let (kind, first, second) = match &self.content {
            Content::Text { text } => ("text", text.as_str(), ""),
            Content::File { path, digest } => ("file", path.as_str(), digest.as_str()),
        };
        for field in [self.starter.name(), &self.file, &self.key, kind, first, second] {
            into.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_be_bytes());
            into.update(field.as_bytes());
        }
    }
}

/// The command in what is kept of a hook or a server, for people; `None` where there is none.
fn command_in(text: &str) -> Option<String> {
    let value = match serde_json::from_str(text).ok()? {
        Value::String(text) => return Some(text),
        Value::Object(members) => members,
        _ => return None,
    };
    let hook = value.get("hook").and_then(Value::as_object).unwrap_or(&value);
    if let Some(url) = hook.get("url").and_then(Value::as_str) {
        return Some(url.to_owned());
    }
    let command = hook.get("command")?.as_str()?;
    let arguments =
        hook.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut words = vec![command.to_owned()];
    words.extend(arguments.map(str::to_owned));
    let variables = hook.get("env").and_then(Value::as_object).into_iter().flatten();
    words.extend(variables.map(|(name, value)| format!("({name}={})", value.as_str().unwrap_or("…"))));
    Some(words.join(" "))
}

/// All that a repository's files start or redirect: sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Startables(Vec<Startable>);

impl FromIterator<Startable> for Startables {
    fn from_iter<I: IntoIterator<Item = Startable>>(items: I) -> Startables {
        let mut items: Vec<Startable> = items.into_iter().collect();
        items.sort();
        items.dedup();
        Startables(items)
    }
}

impl Startables {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Startable> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is nothing started?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that these do not hold: what a person has not trusted.
    pub fn beyond(&self, trusted: &Startables) -> Startables {
        self.0.iter().filter(|item| trusted.0.binary_search(item).is_err()).cloned().collect()
    }

    /// Those that fit.
    pub fn which(&self, fits: impl Fn(&Startable) -> bool) -> Startables {
        Startables(self.0.iter().filter(|item| fits(item)).cloned().collect())
    }

    /// These and those.
    pub fn with(&self, others: &Startables) -> Startables {
        self.0.iter().chain(&others.0).cloned().collect()
    }

    /// What names exactly this content.
    pub fn hash(&self) -> TrustHash {
        let mut hash = Sha256::new();
        hash.update(b"windlass trust 1\n");
        self.0.iter().for_each(|item| item.encode(&mut hash));
        let bytes = hash.finalize();
        TrustHash(hexadecimal::digits(bytes.get(..TrustHash::BYTES).unwrap_or(&bytes)))
    }
}

/// What names the content of all that a repository's files start: 32 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustHash(String);

impl TrustHash {
    /// So many bytes of the SHA-256: nobody finds another content with the same ones.
    const BYTES: usize = 16;

    /// Reads one as a person or a CI job gives it.
    pub fn parse(text: &str) -> Result<TrustHash, String> {
        let text = text.trim().to_ascii_lowercase();
        if text.len() == 2 * TrustHash::BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(TrustHash(text));
        }
        Err(format!("expected the {} hexadecimal digits that `windlass trust` prints", 2 * TrustHash::BYTES))
    }
}

impl fmt::Display for TrustHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
