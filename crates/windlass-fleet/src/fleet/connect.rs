//! Connecting, and looking whether the server is one that will do.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::account::Account;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use tokio::runtime::{Builder, Runtime};

use super::news::{News, is_about_credentials};
use super::{About, Fleet, Line, Trouble};
use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::{FleetError, one_line};
use crate::settings::{Secret, Settings};
use crate::subjects::Subjects;

/// The first version that will do. 2.9 answers in ways that the client cannot read.
const LEAST_VERSION: (u64, u64) = (2, 10);
const LEAST_VERSION_TEXT: &str = "2.10";

/// The longest that one server is given to say something.
const ONE_SERVER: Duration = Duration::from_secs(5);

/// A server that does not answer two pings in a row is left for another one: it may be frozen, and its connection stands.
const PINGED_EVERY: Duration = Duration::from_secs(2);

/// The longest pause between two tries to come back to a server that was lost.
const LONGEST_ABSENCE: Duration = Duration::from_secs(1);

/// Messages that wait for whoever reads a subscription; those beyond are lost, as plain subjects may lose them.
const WAITING_MESSAGES: usize = 4096;

impl Fleet {
    /// Connects, looks whether the server is new enough, and whether it has JetStream. What it needs to have is looked at by
    /// [`crate::layout::check`].
    pub fn connect(settings: &Settings, deadline: Deadline) -> Result<Fleet, FleetError> {
        let addresses = settings.addresses()?;
        let secret = settings.login.read()?;
        let runtime = runtime().map_err(FleetError::Runtime)?;
        let subjects = Subjects::of(&settings.fleet);
        let news = Arc::new(News::of(subjects.inbox(settings.role)));
        let client = runtime.block_on(until(deadline, || {
            let options = options(settings, &secret, &news, deadline);
            try_to_connect(settings, options, addresses.clone())
        }))?;
        let (handle, settings) = (runtime.handle().clone(), settings.clone());
        let line = Line { runtime: Some(runtime), handle, client, subjects, settings, news };
        let fleet = Fleet { line: Arc::new(line) };
        fleet.check_version()?;
        fleet.check_jetstream(deadline)?;
        Ok(fleet)
    }

    fn check_version(&self) -> Result<(), FleetError> {
        let version = self.server_version();
        match parse_version(&version) {
            Some(found) if found >= LEAST_VERSION => Ok(()),
            _ => Err(FleetError::TooOld { version, least: LEAST_VERSION_TEXT }),
        }
    }

    fn check_jetstream(&self, deadline: Deadline) -> Result<(), FleetError> {
        let about = About { doing: "ask the server for its account", place: "JetStream" };
        let line = &self.line;
        let account: Result<Account, FleetError> = self.wait(until(deadline, || async {
            match line.ask_once("INFO", None, ONE_TRY.min(deadline.left())).await {
                // Every server answers this one where it has JetStream, also without a leader.
                Err(Trouble::NoResponders) => {
                    Tried::Failed(FleetError::NoJetStream { problem: "nobody answers for it".to_owned() })
                }
                tried => line.tried(tried, about, deadline),
            }
        }));
        account.map(|_| ())
    }
}

/// One thread that reads and writes; callers wait on their own.
fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).thread_name("fleet").enable_io().enable_time().build()
}

fn options(
    settings: &Settings,
    secret: &Secret,
    news: &Arc<News>,
    deadline: Deadline,
) -> Result<ConnectOptions, FleetError> {
    let news = Arc::clone(news);
    let mut options = ConnectOptions::new()
        .name(format!("windlass {} of {}", settings.role.name(), settings.fleet))
        .custom_inbox_prefix(Subjects::of(&settings.fleet).inbox(settings.role))
        .connection_timeout(ONE_SERVER.min(deadline.left()))
        .subscription_capacity(WAITING_MESSAGES)
        .ping_interval(PINGED_EVERY)
        .reconnect_delay_callback(pause_before)
        .event_callback(move |event| {
            news.hear(&event);
            std::future::ready(())
        });
    if let Some(authority) = &settings.authority {
        // Looked at first: the client says of a file that is missing only that there is none.
        std::fs::metadata(authority).map_err(|error| FleetError::file(authority, error))?;
        options = options.add_root_certificates(authority.clone()).require_tls(true);
    }
    Ok(match secret {
        Secret::Open => options,
        Secret::Token(token) => options.token(token.clone()),
        Secret::Nkey(seed) => options.nkey(seed.clone()),
        Secret::Password { user, password } => options.user_and_password(user.clone(), password.clone()),
        Secret::Credentials(text) => options.credentials(text).map_err(|_| FleetError::Setting {
            key: "credentials",
            problem: "the file holds no credentials of NATS".to_owned(),
        })?,
    })
}

fn pause_before(attempt: usize) -> Duration {
    let steps = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    Duration::from_millis(50).saturating_mul(steps).min(LONGEST_ABSENCE)
}

async fn try_to_connect(
    settings: &Settings,
    options: Result<ConnectOptions, FleetError>,
    addresses: Vec<ServerAddr>,
) -> Tried<Client, FleetError> {
    let options = match options {
        Ok(options) => options,
        Err(error) => return Tried::Failed(error),
    };
    let error = match options.connect(addresses).await {
        Ok(client) => return Tried::Done(client),
        Err(error) => error,
    };
    let servers = settings.servers();
    let problem = one_line(&error.to_string());
    match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            Tried::Failed(FleetError::BadCredentials { servers, problem })
        }
        ConnectErrorKind::Tls => Tried::Failed(FleetError::Insecure { servers, problem }),
        ConnectErrorKind::ServerParse => Tried::Failed(FleetError::Setting { key: "url", problem }),
        _ if is_about_certificates(&problem) => Tried::Failed(FleetError::Insecure { servers, problem }),
        // Of expired and revoked credentials the server speaks in other words, and the client knows none of them.
        _ if is_about_credentials(&problem) => Tried::Failed(FleetError::BadCredentials { servers, problem }),
        _ => Tried::Again(FleetError::Unreachable { servers, problem }),
    }
}

/// Handshakes that fail come as trouble of reading and writing.
fn is_about_certificates(problem: &str) -> bool {
    ["certificate", "tls", "handshake"].iter().any(|word| problem.to_lowercase().contains(word))
}

/// `2.10.4`, `2.12.0-RC.1`: the first two numbers.
fn parse_version(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (version, will_do) in [
            ("2.9.25", false),
            ("2.10.0", true),
            ("2.10.4-beta", true),
            ("v2.15.1", true),
            ("10.0.0", true),
            ("1.99.0", false),
            ("two", false),
            ("", false),
        ] {
            assert_eq!(
                parse_version(version).is_some_and(|found| found >= LEAST_VERSION),
                will_do,
                "{version}"
            );
        }
    }
}
