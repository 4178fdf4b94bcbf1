//! How a fleet is reached. Secrets stand in files, and are read when a connection is made; nothing here holds one.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::FleetError;
use crate::names::FleetName;

/// Larger files are no credentials.
const LARGEST_SECRET: u64 = 64 * 1024;

/// How a fleet is reached, and as who.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which fleet it is.
    pub fleet: FleetName,
    /// Servers: `nats://host:4222`, `tls://host:4222`. One is enough, more are asked in any order. No credentials stand in them.
    pub urls: Vec<String>,
    /// Who is asking.
    pub login: Login,
    /// A file of certificates (PEM) that vouch for the servers, instead of those of the machine. With it, connections are encrypted.
    pub authority: Option<PathBuf>,
    /// What the connection is for; its inbox is named by it.
    pub role: Role,
}

/// Where the credentials are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Login {
    /// None: a server that lets everybody in.
    #[default]
    Open,
    /// A `.creds` file: a JWT and the seed that signs for it.
    Credentials(PathBuf),
    /// A file that holds a token.
    Token(PathBuf),
    /// A file that holds the seed of an nkey.
    Nkey(PathBuf),
    /// A file that holds `user:password`.
    Password(PathBuf),
}

/// What somebody does in a fleet. Each has permissions of its own: [`crate::permissions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Makes streams and buckets.
    Administrator,
    /// Decides: gives orders, keeps the journal.
    Runner,
    /// Carries orders out.
    Worker,
    /// Looks.
    Watcher,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 4] = [Role::Administrator, Role::Runner, Role::Worker, Role::Watcher];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Administrator => "administrator",
            Role::Runner => "runner",
            Role::Worker => "worker",
            Role::Watcher => "watcher",
        }
    }
}

/// Credentials that were read, on their way to the server. No `Debug`, so that they are never printed.
pub(crate) enum Secret {
    Open,
    Credentials(String),
    Token(String),
    Nkey(String),
    Password { user: String, password: String },
}

impl Login {
    /// Reads them.
    pub(crate) fn read(&self) -> Result<Secret, FleetError> {
        Ok(match self {
            Login::Open => Secret::Open,
            Login::Credentials(path) => Secret::Credentials(read_secret(path)?),
            Login::Token(path) => Secret::Token(read_secret(path)?.trim().to_owned()),
            Login::Nkey(path) => Secret::Nkey(read_secret(path)?.trim().to_owned()),
            Login::Password(path) => {
                let text = read_secret(path)?;
                let Some((user, password)) = text.trim_end_matches(['\r', '\n']).split_once(':') else {
                    let problem = "it does not hold `user:password`";
                    return Err(FleetError::file(path, io::Error::new(io::ErrorKind::InvalidData, problem)));
                };
                Secret::Password { user: user.to_owned(), password: password.to_owned() }
            }
        })
    }
}

fn read_secret(path: &Path) -> Result<String, FleetError> {
    let failed = |error| FleetError::file(path, error);
    // Asked before it is opened: opening a pipe waits for whoever writes.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")));
    }
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(LARGEST_SECRET + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LARGEST_SECRET {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidData, "it is too large for credentials")));
    }
    if text.trim().is_empty() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidData, "it is empty")));
    }
    Ok(text)
}

impl Settings {
    /// The servers' addresses, as the client takes them.
    pub(crate) fn addresses(&self) -> Result<Vec<async_nats::ServerAddr>, FleetError> {
        let refused = |problem: String| FleetError::Setting { key: "url", problem };
        if self.urls.is_empty() {
            return Err(refused("it names no server".to_owned()));
        }
        let mut addresses = Vec::new();
        for (index, url) in self.urls.iter().enumerate() {
            // What cannot be read may still hold a password: it is named by its place.
            let place = index + 1;
            if url.contains('@') {
                return Err(refused(format!("address {place} holds credentials; put them in a file")));
            }
            let address: async_nats::ServerAddr =
                url.parse().map_err(|_| refused(format!("address {place} is none")))?;
            if address.is_websocket() {
                return Err(refused(format!("address {place} is one of a websocket")));
            }
            addresses.push(address);
        }
        Ok(addresses)
    }

    /// The servers, for a message.
    pub(crate) fn servers(&self) -> String {
        let urls: Vec<&str> =
            self.urls.iter().map(|url| url.rsplit('@').next().unwrap_or_default()).collect();
        crate::error::one_line(&urls.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(urls: &[&str], login: Login) -> Settings {
        Settings {
            fleet: "night".parse().unwrap(),
            urls: urls.iter().map(|&url| url.to_owned()).collect(),
            login,
            authority: None,
            role: Role::Runner,
        }
    }

    #[test]
    fn an_address_holds_no_credentials_and_a_refusal_repeats_none() {
        for urls in [
            &[][..],
            &["nats://tess:hunter2@host:4222"],
            &["nats://host:4222", "tess:hunter2@:x"],
            &["ws://host"],
        ] {
            let error = settings(urls, Login::Open).addresses().unwrap_err();
            assert!(matches!(error, FleetError::Setting { key: "url", .. }), "{error}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
        assert_eq!(settings(&["nats://a:1", "tls://b", "c"], Login::Open).addresses().unwrap().len(), 3);
    }

    #[test]
    fn credentials_are_read_from_small_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let sound = Login::Password(file("sound", "tess:hunt:er2\n")).read().ok().unwrap();
        let Secret::Password { user, password } = sound else { panic!("another kind of secret") };
        assert_eq!((user.as_str(), password.as_str()), ("tess", "hunt:er2"));
        for (login, problem) in [
            (Login::Password(file("no-colon", "hunter2")), "it does not hold `user:password`"),
            (Login::Token(file("empty", " \n")), "it is empty"),
            (Login::Nkey(file("large", &"x".repeat(70_000))), "it is too large for credentials"),
            (Login::Credentials(folder.path().to_owned()), "it is no file"),
            (Login::Credentials(folder.path().join("missing")), "No such file"),
        ] {
            let error = login.read().err().unwrap().to_string();
            assert!(error.contains(problem) && error.contains(&*folder.path().to_string_lossy()), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
