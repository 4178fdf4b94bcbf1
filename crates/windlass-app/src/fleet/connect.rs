//! Connecting to the fleet that is configured.

use std::path::Path;
use std::time::Duration;

use windlass_core::config::{FleetLogin, FleetSettings};
use windlass_core::spec::Mode;
use windlass_fleet::names::{FleetName, WorkerName};
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::{Deadline, Fleet, FleetError};

use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::named_path;

/// How long it may take until a server answers.
const CONNECTING: Duration = Duration::from_secs(10);

/// The longest part of a machine's name that a name in a fleet has of it.
const LONGEST_HOST: usize = 40;

/// The fleet that is configured, connected to as somebody with this role. `directory` is where files are named from.
///
/// # Errors
/// No fleet is configured, or it cannot be used: what to do about it is a hint.
pub(super) fn connect(directory: &Path, settings: &FleetSettings, role: Role) -> Result<Fleet, AppError> {
    Fleet::connect(&reached(directory, settings, role)?, Deadline::after(CONNECTING)).map_err(explained)
}

/// The same with the first of these roles that the credentials are of.
///
/// # Errors
/// As for [`connect`]; where they are of none, the error of the first.
pub(super) fn connect_as_any(
    directory: &Path,
    settings: &FleetSettings,
    roles: &[Role],
) -> Result<Fleet, AppError> {
    let deadline = Deadline::after(CONNECTING);
    let mut refused = None;
    for role in roles {
        match Fleet::connect(&reached(directory, settings, *role)?, deadline) {
            Err(error @ FleetError::NoPermission { .. }) => drop(refused.get_or_insert(error)),
            connected => return connected.map_err(explained),
        }
    }
    Err(refused.map_or_else(|| AppError::new(Kind::Internal, "no role was asked for"), explained))
}

/// How it is reached.
///
/// # Errors
/// No server is configured, or the fleet's name is none.
pub(super) fn reached(directory: &Path, settings: &FleetSettings, role: Role) -> Result<Settings, AppError> {
    if settings.urls.is_empty() {
        return Err(AppError::new(Kind::Configuration, "no fleet is configured: fleet.url names no server")
            .hint("Name its servers: windlass config set --user fleet.url tls://HOST:4222")
            .hint("To try a fleet on this machine: windlass fleet dev"));
    }
    let file = |text: &String| named_path(directory, text);
    let login = match &settings.login {
        FleetLogin::Open => Login::Open,
        FleetLogin::Credentials(path) => Login::Credentials(file(path)),
        FleetLogin::Token(path) => Login::Token(file(path)),
        FleetLogin::Nkey(path) => Login::Nkey(file(path)),
        FleetLogin::Password(path) => Login::Password(file(path)),
    };
    Ok(Settings {
        fleet: name_of(settings)?,
        urls: settings.urls.clone(),
        login,
        authority: settings.authority.as_ref().map(file),
        role,
    })
}

/// What the configured fleet is called.
pub(super) fn name_of(settings: &FleetSettings) -> Result<FleetName, AppError> {
    settings.name.parse().map_err(|error| AppError::of(Kind::Configuration, error))
}

/// What the configuration of a directory says of a fleet.
pub(super) fn settings(directory: &Path) -> Result<FleetSettings, AppError> {
    Ok(Configuration::read(directory, None, Mode::Goal)?.resolved.fleet)
}

/// The error with what to do about it.
pub(super) fn explained(error: FleetError) -> AppError {
    let kind = match &error {
        FleetError::Setting { .. } | FleetError::File { .. } | FleetError::Name(_) => Kind::Configuration,
        _ => Kind::System,
    };
    let hint = Some(error.hint()).filter(|hint| !hint.is_empty());
    AppError::of(kind, error).with_hints(hint)
}

/// The name of this machine, as somebody in a fleet may have it, and what is added to it.
pub(super) fn machine_name(addition: &str) -> Result<WorkerName, AppError> {
    let system = rustix::system::uname();
    let name = format!("{}{addition}", plain_name(&system.nodename().to_string_lossy()));
    name.parse().map_err(|error| AppError::of(Kind::Configuration, error))
}

/// A machine's name without what a name in a fleet may not have; what is not a letter or digit becomes `-`.
fn plain_name(host: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = host.chars().map(plain).skip_while(|c| !c.is_ascii_alphanumeric()).collect();
    let name: String = name.chars().take(LONGEST_HOST).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_a_name_that_a_worker_may_have() {
        for (host, name) in [
            ("desk", "desk"),
            ("build-7.example.org", "build-7-example-org"),
            ("-.x", "x"),
            ("", "machine"),
            ("...", "machine"),
            ("büro", "b-ro"),
            ("a b\n", "a-b-"),
        ] {
            assert_eq!(plain_name(host), name, "{host:?}");
            assert!(plain_name(host).parse::<WorkerName>().is_ok(), "{host:?}");
        }
        assert!(format!("{}-4294967295", plain_name(&"x".repeat(300))).parse::<WorkerName>().is_ok());
    }
}
