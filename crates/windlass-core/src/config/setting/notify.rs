//! Kinds of values that say who is told what.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use toml::Value;

use super::list::lines;
use super::{Refusal, Secrecy, Setting, Shape};
use crate::config::nearest::nearest;
use crate::config::shown::shown;

/// What can be told of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifyEvent {
    /// The instructions of a workspace are written.
    SetupComplete,
    /// A run begins.
    ExecutionStart,
    /// An iteration ended.
    Iteration,
    /// So many iterations ended: each `notify.milestone`.
    IterationMilestone,
    /// The status file changed.
    StatusUpdate,
    /// The job is complete, or the run stagnated.
    Completion,
    /// Something went wrong.
    Error,
    /// A usage limit is waited for.
    LimitWait,
    /// The run cannot go on without a person.
    NeedsHuman,
    /// The run ended, whatever the reason.
    RunEnd,
}

impl NotifyEvent {
    /// Every event.
    pub const ALL: [NotifyEvent; 10] = [
        NotifyEvent::SetupComplete,
        NotifyEvent::ExecutionStart,
        NotifyEvent::Iteration,
        NotifyEvent::IterationMilestone,
        NotifyEvent::StatusUpdate,
        NotifyEvent::Completion,
        NotifyEvent::Error,
        NotifyEvent::LimitWait,
        NotifyEvent::NeedsHuman,
        NotifyEvent::RunEnd,
    ];

    /// Its name in configuration and in what is sent.
    pub const fn name(self) -> &'static str {
        match self {
            NotifyEvent::SetupComplete => "setup_complete",
            NotifyEvent::ExecutionStart => "execution_start",
            NotifyEvent::Iteration => "iteration",
            NotifyEvent::IterationMilestone => "iteration_milestone",
            NotifyEvent::StatusUpdate => "status_update",
            NotifyEvent::Completion => "completion",
            NotifyEvent::Error => "error",
            NotifyEvent::LimitWait => "limit_wait",
            NotifyEvent::NeedsHuman => "needs_human",
            NotifyEvent::RunEnd => "run_end",
        }
    }
}

/// Stands for every event.
const EVERY_EVENT: &str = "all";

/// Events by name; `all` stands for every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifyEvents(pub BTreeSet<NotifyEvent>);

impl NotifyEvents {
    /// Every word that may stand in the list.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        std::iter::once(EVERY_EVENT).chain(NotifyEvent::ALL.into_iter().map(NotifyEvent::name))
    }
}

impl Setting for NotifyEvents {
    const EXPECTED: &'static str = "a list of events, such as [\"completion\", \"error\"] or [\"all\"]";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let mut events = BTreeSet::new();
        for item in value.as_array().ok_or(Refusal::Kind)? {
            let name = item.as_str().ok_or(Refusal::Kind)?;
            match NotifyEvent::ALL.into_iter().find(|event| event.name() == name) {
                Some(event) => drop(events.insert(event)),
                None if name == EVERY_EVENT => events.extend(NotifyEvent::ALL),
                None => return Err(unknown_event(name)),
            }
        }
        Ok(NotifyEvents(events))
    }

    fn from_text(text: &str) -> Value {
        lines(text)
    }

    fn schema() -> Json {
        let words: Vec<&str> = NotifyEvents::words().collect();
        json!({ "type": "array", "items": { "enum": words } })
    }
}

fn unknown_event(name: &str) -> Refusal {
    let hint = match nearest(name, NotifyEvents::words()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", NotifyEvents::words().collect::<Vec<_>>().join(", ")),
    };
    Refusal::Because(format!("there is no event `{}`; {hint}", shown(name)))
}

/// The address of a web service; empty = none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(pub Option<String>);

impl Setting for WebAddress {
    const EXPECTED: &'static str = "an address such as \"https://ntfy.sh/my-topic\" (\"\" = none)";
    const SECRECY: Secrecy = Secrecy::Address;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?.trim();
        if text.is_empty() {
            return Ok(WebAddress(None));
        }
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        // Whatever stands before an `@` is a credential, and no part of the host; the address itself is not repeated in
        // the message, since it may hold one.
        let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        let host = host.map(|authority| authority.rsplit('@').next().unwrap_or_default());
        let named = host.is_some_and(|host| !host.is_empty() && !host.starts_with(':'));
        if !named || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Refusal::Because(
                "it is no web address; write one such as `https://ntfy.sh/my-topic`".to_owned(),
            ));
        }
        Ok(WebAddress(Some(text.to_owned())))
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": r"^\s*(https?://\S+)?\s*$" })
    }
}

/// A text that nobody is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// What is shown in its place.
    pub const MASK: &'static str = "•••";

    /// Keeps a text from being shown by accident.
    pub fn new(text: String) -> Secret {
        Secret(text)
    }

    /// The text itself: for what it was made for, never for people.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::MASK)
    }
}

/// A secret; empty = none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretText(pub Option<Secret>);

impl Setting for SecretText {
    const EXPECTED: &'static str = "a text (\"\" = none)";
    const SECRECY: Secrecy = Secrecy::Secret;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?;
        Ok(SecretText((!text.trim().is_empty()).then(|| Secret::new(text.to_owned()))))
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn addresses_are_those_of_web_services() {
        for good in [
            "https://ntfy.sh/topic",
            "http://127.0.0.1:8080",
            "https://me:token@ntfy.example.org/x?auth=y",
            "http://[::1]:80/",
        ] {
            assert_eq!(WebAddress::read(&text(good)), Ok(WebAddress(Some(good.to_owned()))), "{good}");
        }
        assert_eq!(WebAddress::read(&text(" ")), Ok(WebAddress(None)));
        for bad in [
            "ntfy.sh/topic",
            "ftp://x/y",
            "https://",
            "https:///path",
            "http://:80",
            "https://me@",
            "https://a b",
            "file:///etc/passwd",
        ] {
            assert!(WebAddress::read(&text(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let SecretText(secret) = SecretText::read(&text("hunter2")).unwrap();
        assert_eq!(format!("{secret:?}"), "Some(•••)");
        assert_eq!(secret.unwrap().reveal(), "hunter2");
    }
}
