//! Connecting to the fleet that is configured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::config::{FleetLogin, FleetSettings, Layer, Replicas, Unlimited};
use windlass_core::spec::Mode;
use windlass_fleet::layout::Copies;
use windlass_fleet::names::WorkerName;
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::{Deadline, Fleet, FleetError};

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::named_path;

/// How long it may take until a server answers.
const CONNECTING: Duration = Duration::from_secs(10);

/// The fleet that is configured here, connected to as somebody with this role.
pub(super) fn connect(directory: &Path, settings: &FleetSettings, role: Role) -> Result<Fleet, AppError> {
    Fleet::connect(&reached(directory, settings, role)?, Deadline::after(CONNECTING)).map_err(explained)
}

/// How it is reached.
pub(super) fn reached(directory: &Path, settings: &FleetSettings, role: Role) -> Result<Settings, AppError> {
    if settings.urls.is_empty() {
        return Err(AppError::usage("no fleet is configured: fleet.url names no server")
            .hint("windlass config set --user fleet.url --add tls://HOST:4222, or WINDLASS_FLEET__URL=…")
            .hint("To try it on this machine: windlass fleet dev"));
    }
    let file = |text: &String| named_path(directory, text);
    let login = match &settings.login {
        FleetLogin::Open => Login::Open,
        FleetLogin::Credentials(path) => Login::Credentials(file(path)),
        FleetLogin::Token(path) => Login::Token(file(path)),
        FleetLogin::Nkey(path) => Login::Nkey(file(path)),
        FleetLogin::Password(path) => Login::Password(file(path)),
    };
    let fleet = settings.name.parse().map_err(|error| AppError::of(Kind::Configuration, error))?;
    Ok(Settings {
        fleet,
        urls: settings.urls.clone(),
        login,
        authority: settings.authority.as_ref().map(file).map(PathBuf::from),
        role,
    })
}

/// How many servers keep everything.
pub(super) const fn copies(settings: &FleetSettings) -> Copies {
    match settings.replicas {
        Replicas::One => Copies::One,
        Replicas::Three => Copies::Three,
    }
}

/// What the configuration of a directory says of a fleet.
pub(super) fn settings(app: &App, flags: Layer) -> Result<FleetSettings, AppError> {
    let loaded = Configuration::load(app.directory(), None, Mode::Goal, flags, Unlimited::NotAsked)?;
    Ok(loaded.resolved.fleet)
}

/// The error with what to do about it.
pub(super) fn explained(error: FleetError) -> AppError {
    let hint = match &error {
        FleetError::Unreachable { .. } => {
            Some("Is the server up, and fleet.url its address? windlass fleet status asks again.")
        }
        FleetError::BadCredentials { .. } => Some(
            "fleet.credentials, fleet.nkey_file, fleet.token_file or fleet.password_file names the file to log in with.",
        ),
        FleetError::Insecure { .. } => {
            Some("fleet.authority names the file of certificates that vouch for the servers.")
        }
        FleetError::NoPermission { .. } => {
            Some("What each role may do: windlass fleet init --show-permissions")
        }
        FleetError::NoJetStream { .. } => Some("Start it with JetStream: nats-server -js"),
        FleetError::TooOld { .. } => Some("Install a newer nats-server, or use another one."),
        FleetError::Missing { .. } => Some("Make what the fleet needs: windlass fleet init"),
        FleetError::Full { .. } => Some("Give the server more room, or remove what is old."),
        _ => None,
    };
    let kind = match &error {
        FleetError::Setting { .. } | FleetError::File { .. } => Kind::Configuration,
        _ => Kind::System,
    };
    AppError::of(kind, error).with_hints(hint)
}

/// The name of this machine, as somebody in a fleet may have it: what else is in it becomes `-`.
pub(super) fn machine_name(addition: &str) -> Result<WorkerName, AppError> {
    let system = rustix::system::uname();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let host: String = system.nodename().to_string_lossy().chars().take(40).map(plain).collect();
    let host = host.trim_start_matches(['-', '_']);
    let host = if host.is_empty() { "machine" } else { host };
    format!("{host}{addition}").parse().map_err(AppError::system)
}
