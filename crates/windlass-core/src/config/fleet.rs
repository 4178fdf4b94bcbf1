//! What configuration says about a fleet.

use std::time::Duration;

use super::error::ConfigError;
use super::keys;
use super::setting::{
    FineSpan, FleetNameText, GitRemote, PositiveSpan, Replicas, ServerAddresses, TextOrNothing,
};
use super::values::Values;
use crate::fleet::remote::RemoteUrl;

/// How a fleet is reached, and how patient everybody in it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetSettings {
    /// Its servers, without credentials; empty where there is no fleet.
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
    /// On how many servers everything is kept.
    pub replicas: Replicas,
    /// The git remote that commits travel through; `None` = they travel through the servers.
    pub remote: Option<RemoteUrl>,
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

impl FleetLogin {
    /// The file, as it was named; `None` where none is needed.
    pub fn file(&self) -> Option<&str> {
        match self {
            FleetLogin::Open => None,
            FleetLogin::Credentials(file)
            | FleetLogin::Token(file)
            | FleetLogin::Nkey(file)
            | FleetLogin::Password(file) => Some(file),
        }
    }
}

impl Values {
    pub(super) fn fleet(&self) -> Result<FleetSettings, ConfigError> {
        let text = |key| self.get(key).map(|TextOrNothing(text)| text);
        let (credentials, token) = (text(&keys::FLEET_CREDENTIALS)?, text(&keys::FLEET_TOKEN_FILE)?);
        let (nkey, password) = (text(&keys::FLEET_NKEY_FILE)?, text(&keys::FLEET_PASSWORD_FILE)?);
        let mut said = [
            (keys::FLEET_CREDENTIALS.name, credentials.map(FleetLogin::Credentials)),
            (keys::FLEET_TOKEN_FILE.name, token.map(FleetLogin::Token)),
            (keys::FLEET_NKEY_FILE.name, nkey.map(FleetLogin::Nkey)),
            (keys::FLEET_PASSWORD_FILE.name, password.map(FleetLogin::Password)),
        ]
        .into_iter()
        .filter_map(|(key, login)| Some((key, login?)));
        let (first, second) = (said.next(), said.next());
        if let (Some((first, _)), Some((second, _))) = (&first, &second) {
            return Err(ConfigError::one(format!(
                "`{first}` and `{second}` both say how to log in to the fleet: keep one, and set the other to \"\""
            )));
        }
        Ok(FleetSettings {
            urls: self.get(&keys::FLEET_URL).map(|ServerAddresses(addresses)| addresses)?,
            name: self.get(&keys::FLEET_NAME).map(|FleetNameText(name)| name)?,
            login: first.map(|(_, login)| login).unwrap_or_default(),
            authority: text(&keys::FLEET_AUTHORITY)?,
            lease: self.get(&keys::FLEET_LEASE).map(|FineSpan(span)| span)?,
            patience: self.get(&keys::FLEET_PATIENCE).map(|PositiveSpan(span)| span)?,
            replicas: self.get(&keys::FLEET_REPLICAS)?,
            remote: self.get(&keys::FLEET_REMOTE).map(|GitRemote(remote)| remote)?,
        })
    }
}
