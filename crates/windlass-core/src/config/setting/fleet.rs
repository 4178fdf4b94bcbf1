//! Kinds of values that say how a fleet is reached.

use serde_json::{Value as Json, json};
use toml::Value;

use super::{Refusal, Setting, Shape, TextOrNothing};
use crate::fleet::remote::RemoteUrl;
use crate::typed::shown;

/// Addresses of a fleet's servers; in the environment one per line, or with commas between them. None = no fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddresses(pub Vec<String>);

/// What an address may begin with: the client of a fleet encrypts by `tls` alone.
const SCHEMES: [&str; 2] = ["nats://", "tls://"];

impl Setting for ServerAddresses {
    const EXPECTED: &'static str = "a list of servers, such as [\"tls://nats.example.org:4222\"]";
    const SHAPE: Shape = Shape::List;

    fn read(value: &Value) -> Result<Self, Refusal> {
        // One alone may stand there as a text; refused as one, it would be repeated, and it may hold a password.
        let alone = value.as_str().map(Self::from_text);
        let items = alone.as_ref().unwrap_or(value).as_array().ok_or(Refusal::Kind)?;
        let read = |(index, item): (usize, &Value)| match item.as_str() {
            Some(text) => address(index + 1, text.trim()),
            None => Err(Refusal::Kind),
        };
        items.iter().enumerate().map(read).collect::<Result<_, _>>().map(ServerAddresses)
    }

    fn schema() -> Json {
        let address = json!({ "type": "string", "pattern": r"^\s*((nats|tls)://)?[^@/\s]+\s*$" });
        json!({ "anyOf": [{ "type": "array", "items": address }, { "type": "string", "pattern": "^[^@]*$" }] })
    }

    fn from_text(text: &str) -> Value {
        let addresses = text.split([',', '\n']).map(str::trim).filter(|address| !address.is_empty());
        Value::Array(addresses.map(|address| Value::String(address.to_owned())).collect())
    }
}

/// What cannot be read may still hold a password: it is named by its place.
fn address(place: usize, text: &str) -> Result<String, Refusal> {
    let refused = |why: &str| Err(Refusal::Because(format!("address {place} {why}")));
    if text.contains('@') {
        return refused("holds credentials; put them in a file, and name that with `fleet.password_file`");
    }
    let host = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
    if host.is_empty() || host.contains("://") || host.contains(|c: char| c == '/' || !c.is_ascii_graphic()) {
        return refused("is not a server's; write one such as `tls://nats.example.org:4222`");
    }
    Ok(text.to_owned())
}

/// The git remote that commits travel through; `None` = they travel through the fleet's servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRemote(pub Option<RemoteUrl>);

impl Setting for GitRemote {
    const EXPECTED: &'static str = "an address of a git remote (\"\" = none)";
    const PATTERN: &'static str = r"^\s*((https|ssh|file)://.+|[A-Za-z0-9][^/:]*:[^:-].*)?$";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let TextOrNothing(Some(text)) = TextOrNothing::read(value)? else { return Ok(GitRemote(None)) };
        let url = RemoteUrl::parse(text.trim()).map_err(|why| Refusal::Because(format!("it {why}")))?;
        Ok(GitRemote(Some(url)))
    }
}

/// The name of a fleet: a part of the names of all that it keeps on its servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetNameText(pub String);

impl Setting for FleetNameText {
    const EXPECTED: &'static str = "a name";
    const PATTERN: &'static str = "^[a-z0-9][a-z0-9_-]{0,31}$";

    fn read(value: &Value) -> Result<Self, Refusal> {
        let text = value.as_str().ok_or(Refusal::Kind)?;
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let sound = (1..=32).contains(&text.len())
            && text.bytes().next().is_some_and(letter)
            && text.bytes().all(|byte| letter(byte) || byte == b'-' || byte == b'_');
        if sound {
            return Ok(FleetNameText(text.to_owned()));
        }
        Err(Refusal::Because(format!(
            "`{}` is not a name of a fleet: it has 1 to 32 lower case letters, digits and `-` `_`, and begins with a \
             letter or digit",
            shown(text)
        )))
    }
}

/// On how many servers everything is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replicas {
    /// One.
    One,
    /// Three.
    Three,
}

impl Setting for Replicas {
    const EXPECTED: &'static str = "1 or 3";
    const SHAPE: Shape = Shape::Number;

    fn read(value: &Value) -> Result<Self, Refusal> {
        match value.as_integer().ok_or(Refusal::Kind)? {
            1 => Ok(Replicas::One),
            3 => Ok(Replicas::Three),
            other => {
                Err(Refusal::Because(format!("`{other}` is not 1 or 3: a fleet has one server or three")))
            }
        }
    }

    fn schema() -> Json {
        json!({ "enum": [1, 3] })
    }
}
