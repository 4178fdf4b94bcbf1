//! What configuration says about a fleet.

use std::time::Duration;

use super::error::ConfigError;
use super::keys;
use super::setting::{Count, FineSpan, PositiveSpan, Text, TextOrNothing};
use super::values::Values;

/// How a fleet is reached, and how patient everybody in it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetSettings {
    /// Its servers; empty where there is no fleet.
    pub urls: Vec<String>,
    /// What it is called.
    pub name: String,
    /// Where the credentials are.
    pub login: FleetLogin,
    /// A file of certificates that vouch for the servers, as it was named.
    pub authority: Option<String>,
    /// How long a lease that is not renewed is respected.
    pub lease: Duration,
    /// How long a run goes on without its servers.
    pub patience: Duration,
    /// How many servers keep everything: 1 or 3.
    pub replicas: Replicas,
}

/// A file that credentials of a fleet are in, as it was named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FleetLogin {
    /// None.
    #[default]
    Open,
    /// A `.creds` file.
    Credentials(String),
    /// A file with a token.
    Token(String),
    /// A file with the seed of an nkey.
    Nkey(String),
    /// A file with `user:password`.
    Password(String),
}

/// How many servers keep everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replicas {
    /// One.
    One,
    /// Three.
    Three,
}

impl Values {
    pub(super) fn fleet(&self) -> Result<FleetSettings, ConfigError> {
        let text = |key| self.get(key).map(|TextOrNothing(text)| text);
        let logins = [
            ("fleet.credentials", text(&keys::FLEET_CREDENTIALS)?.map(FleetLogin::Credentials)),
            ("fleet.token_file", text(&keys::FLEET_TOKEN_FILE)?.map(FleetLogin::Token)),
            ("fleet.nkey_file", text(&keys::FLEET_NKEY_FILE)?.map(FleetLogin::Nkey)),
            ("fleet.password_file", text(&keys::FLEET_PASSWORD_FILE)?.map(FleetLogin::Password)),
        ];
        let said: Vec<_> = logins.into_iter().filter_map(|(key, login)| Some((key, login?))).collect();
        if let [(first, _), (second, _), ..] = said.as_slice() {
            return Err(ConfigError::one(format!(
                "`{first}` and `{second}` both say how to log in at the fleet: leave one of them empty"
            )));
        }
        Ok(FleetSettings {
            urls: self.get(&keys::FLEET_URL)?,
            name: self.get(&keys::FLEET_NAME).map(|Text(name)| name)?,
            login: said.into_iter().next().map(|(_, login)| login).unwrap_or_default(),
            authority: text(&keys::FLEET_AUTHORITY)?,
            lease: self.get(&keys::FLEET_LEASE).map(|FineSpan(span)| span)?,
            patience: self.get(&keys::FLEET_PATIENCE).map(|PositiveSpan(span)| span)?,
            replicas: match self.get(&keys::FLEET_REPLICAS)? {
                Count(1) => Replicas::One,
                Count(3) => Replicas::Three,
                Count(other) => {
                    return Err(ConfigError::one(format!(
                        "`fleet.replicas` is {other}: a fleet keeps everything once or three times"
                    )));
                }
            },
        })
    }
}
