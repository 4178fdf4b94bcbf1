//! Kinds of values that say who is told what.

use std::collections::BTreeSet;
use std::fmt;
use strum::IntoEnumIterator;

use serde_json::{Value as Json, json};
use toml::Value;

use super::{Refusal, Secrecy, Setting, Shape, TextOrNothing};
use crate::typed::{nearest, shown};
use crate::values::NotifyEvent;

/// Stands for every event.
const EVERY_EVENT: &str = "all";

/// Events by name; `all` stands for every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifyEvents(pub BTreeSet<NotifyEvent>);

impl NotifyEvents {
    /// Every word that may stand in the list.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        std::iter::once(EVERY_EVENT).chain(NotifyEvent::iter().map(Into::into))
    }
}

impl Setting for NotifyEvents {
    const EXPECTED: &'static str = "a list of events, such as [\"completion\", \"error\"] or [\"all\"]";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let mut events = BTreeSet::new();
        for item in value.as_array().ok_or(Refusal::Kind)? {
            let name = item.as_str().ok_or(Refusal::Kind)?;
            match name.parse() {
                Ok(event) => drop(events.insert(event)),
                Err(_) if name == EVERY_EVENT => events.extend(NotifyEvent::iter()),
                Err(_) => return Err(unknown_event(name)),
            }
        }
        Ok(NotifyEvents(events))
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
    const PATTERN: &'static str = r"^\s*(https?://\S+)?\s*$";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let TextOrNothing(Some(text)) = TextOrNothing::read(value)? else { return Ok(WebAddress(None)) };
        let text = text.trim();
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        // Whatever stands before an `@` is a credential, and no part of the host; the address itself is not repeated in
        // the message, since it may hold one.
        let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        let host = host.map(|authority| authority.rsplit('@').next().unwrap_or_default());
        let named = host.is_some_and(|host| !host.is_empty() && !host.starts_with(':'));
        if !named || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Refusal::Because(
                "it is not a web address: one begins with https:// or http://".to_owned(),
            ));
        }
        Ok(WebAddress(Some(text.to_owned())))
    }
}

/// The address of a page that links lead to: it holds no key, since links go through other people's services. Empty = none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAddress(pub Option<String>);

impl Setting for PageAddress {
    const EXPECTED: &'static str = "an address such as \"https://night.example.org\" (\"\" = none)";
    const PATTERN: &'static str = r#"^\s*(https?://[^\s?#@"',;\\<>]+)?\s*$"#;

    fn read(value: &Value) -> Result<Self, Refusal> {
        let WebAddress(address) = WebAddress::read(value)?;
        let Some(address) = address else { return Ok(PageAddress(None)) };
        let is_plain = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '?' | '#' | '@' | '"' | '\'' | ',' | ';' | '\\' | '<' | '>')
        };
        if !address.chars().all(is_plain) {
            return Err(Refusal::Because(
                "it holds more than an address: no user, no key, no `?` and no `#`; write one such as `https://night.example.org`"
                    .to_owned(),
            ));
        }
        Ok(PageAddress(Some(address)))
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
        TextOrNothing::read(value).map(|TextOrNothing(text)| SecretText(text.map(Secret::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn a_page_s_address_holds_no_key() {
        for good in ["https://night.example.org", "http://127.0.0.1:7070/windlass/", "http://[::1]:80"] {
            assert_eq!(PageAddress::read(&text(good)), Ok(PageAddress(Some(good.to_owned()))), "{good}");
        }
        for bad in [
            "https://me:key@x.org",
            "https://x.org/?key=1",
            "https://x.org/#key",
            "https://x.org/\", \"http",
            "javascript:alert(1)",
            "https://b\u{fc}cher.example",
        ] {
            assert!(PageAddress::read(&text(bad)).is_err(), "{bad}");
        }
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
