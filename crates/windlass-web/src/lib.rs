//! The web page: the runs of this machine for a browser, live, on the desk and on a phone. It looks; with leave it acts, through the same
//! verbs as the command line ([`action`]). Who comes in and how far: [`door`].
//!
//! It is a process of its own that reads journals, recordings and snapshots. A runner knows nothing of it.

mod acting;
mod action;
mod asked;
mod assets;
mod door;
mod live;
mod metrics;
mod names;
mod own_files;
mod pages;
mod response;
mod routes;
mod seen;
mod server;
mod site;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use windlass_app::{App, AppError, Kind, page_folder};
use windlass_host::file;

pub use action::is_action;
pub use door::host::{Hosts, is_own_origin};
pub use names::{Cursor, NotAName, Ordinal, RunName, encoded, query_value};
pub use site::Rights;

use asked::Asked;
use door::Door;
use door::keyring::Keyring;
use seen::Seen;
use site::Site;

/// Where the page is, where nothing else is said.
pub const USUAL_ADDRESS: &str = "127.0.0.1:8417";

/// Threads that read files for pages, at the same time.
const READERS: usize = 8;

/// How the page is served.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Where.
    pub listen: SocketAddr,
    /// Names that it may be asked for by, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// How far whoever was let in may go.
    pub rights: Rights,
}

/// The page stands.
#[derive(Clone, Debug)]
pub struct ServedPage {
    /// Where: `http://127.0.0.1:8417`.
    pub address: String,
    /// The link that lets one browser in, once.
    pub link: String,
    /// How far whoever was let in may go.
    pub rights: Rights,
    /// It can be reached from other machines.
    pub is_open: bool,
}

/// What is written of a server, for who wants another link.
#[derive(Serialize, Deserialize)]
struct Written {
    address: String,
    process: u32,
}

/// Serves until SIGTERM or Ctrl-C; `tell` is called when the page stands.
///
/// # Errors
/// The address is taken or not of this machine, or the state folder cannot be written.
pub fn serve(
    app: App,
    serving: &Serving,
    tell: impl FnOnce(&ServedPage) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS)
        .build()
        .map_err(|error| AppError::new(Kind::System, format!("cannot start serving: {error}")))?;
    runtime.block_on(stand(app, serving, tell))
}

async fn stand(
    app: App,
    serving: &Serving,
    tell: impl FnOnce(&ServedPage) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let listen = serving.listen;
    let listener = TcpListener::bind(listen).await.map_err(|error| taken(listen, &error))?;
    let local = listener.local_addr().map_err(|error| taken(listen, &error))?;
    let folder = page_folder()?;
    let keyring = Keyring::at(&folder)?;
    let door = Door { hosts: Hosts::with(&serving.names), keyring: keyring.clone(), local };
    let asked = Asked::at(&folder.join("asked"))?;
    let seen = Seen::at(&folder.join("seen.json"));
    let site = Arc::new(Site::new(app, door, serving.rights, (asked, seen))?);
    let address = address_of(local);
    let written = Written { address: address.clone(), process: std::process::id() };
    let record = record(&folder, &written)?;
    let code = keyring.issue_code(Timestamp::now())?;
    tell(&ServedPage {
        link: link_with(&address, &code),
        address,
        rights: serving.rights,
        is_open: !local.ip().is_loopback(),
    })?;
    let router = routes::routes(Arc::clone(&site));
    server::serve(site, router, listener, ended()).await;
    // One that stays is found to be of nobody later.
    let _ = std::fs::remove_file(record);
    Ok(())
}

/// Somebody wants it to end.
async fn ended() {
    let hear = |kind| signal(kind).ok();
    let (mut terminated, mut interrupted) = (hear(SignalKind::terminate()), hear(SignalKind::interrupt()));
    let terminated = async {
        match &mut terminated {
            Some(signal) => signal.recv().await,
            None => std::future::pending().await,
        }
    };
    let interrupted = async {
        match &mut interrupted {
            Some(signal) => signal.recv().await,
            None => std::future::pending().await,
        }
    };
    server::first(pin!(terminated), pin!(interrupted)).await;
}

fn taken(listen: SocketAddr, error: &std::io::Error) -> AppError {
    let problem = AppError::new(Kind::System, format!("cannot serve at {listen}: {error}"));
    match error.kind() {
        std::io::ErrorKind::AddrInUse => problem
            .hint("If that is this page already, here is another link to it: windlass web --link")
            .hint("Or another port: windlass web --listen 127.0.0.1:0"),
        std::io::ErrorKind::PermissionDenied => {
            problem.hint("A port above 1023: windlass web --listen 127.0.0.1:8417")
        }
        _ => problem.hint("Addresses of this machine: ip address"),
    }
}

/// As a browser takes it: whoever listens everywhere is reached on the loopback.
fn address_of(local: SocketAddr) -> String {
    let ip = match local.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, local.port()))
}

/// The code stands in the fragment: it is never sent, and in no log.
fn link_with(address: &str, code: &str) -> String {
    format!("{address}/#code={code}")
}

/// Another link to each page that is served.
///
/// # Errors
/// None is.
pub fn links() -> Result<Vec<String>, AppError> {
    let folder = page_folder()?;
    let served = served(&folder);
    if served.is_empty() {
        return Err(AppError::usage("no page is served").hint("Start it: windlass web"));
    }
    let keyring = Keyring::at(&folder)?;
    let link = |address: String| Ok(link_with(&address, &keyring.issue_code(Timestamp::now())?));
    served.into_iter().map(link).collect()
}

/// The addresses of the servers that answer. What those left behind that were killed is removed.
fn served(folder: &Path) -> Vec<String> {
    let mut served = Vec::new();
    for path in own_files::in_folder(&records(folder)) {
        let answers = own_files::read::<Written>(&path).filter(answers);
        match answers {
            Some(written) => served.push(written.address),
            None => drop(std::fs::remove_file(path)),
        }
    }
    served.sort();
    served
}

fn answers(written: &Written) -> bool {
    let place = written.address.strip_prefix("http://").and_then(|place| place.parse::<SocketAddr>().ok());
    place.is_some_and(|place| {
        std::net::TcpStream::connect_timeout(&place, std::time::Duration::from_secs(2)).is_ok()
    })
}

/// A new token for figures.
pub fn metrics_token() -> Result<String, AppError> {
    Keyring::at(&page_folder()?)?.issue_token()
}

/// No browser is let in any more that was, and no token counts; says how many browsers there were.
pub fn forget() -> Result<usize, AppError> {
    Keyring::at(&page_folder()?)?.forget_all()
}

/// A file for each server: several can stand at the same time.
fn records(folder: &Path) -> PathBuf {
    folder.join("servers")
}

/// Writes down where this one stands.
fn record(folder: &Path, written: &Written) -> Result<PathBuf, AppError> {
    let records = records(folder);
    file::create_private_folder(&records).map_err(AppError::system)?;
    let path = records.join(format!("{}.json", written.process));
    own_files::write(&path, written)?;
    Ok(path)
}
