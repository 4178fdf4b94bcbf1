//! The proxy: the only way out of a sandbox that may reach some hosts and no others.
//!
//! It listens on a socket in the run's folder. Guests are hostile: what they send is bounded in size, time and number.

mod allow;
pub(crate) mod request;
mod tunnel;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use windlass_core::spec::Network;

use allow::{Allowed, is_public};
use request::{Head, Refusal, read_head};
pub(super) use tunnel::tunnel;

/// Connections at once.
const MOST: usize = 64;

/// Bytes of a request before its body.
const LONGEST_HEAD: usize = 32 * 1024;

/// How long a client may take to say what it wants.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);

/// How long a host may take to answer a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(15);

/// Refused hosts that are told of; a guest that asks for thousands is told of no more.
const MOST_NEWS: usize = 50;

/// A proxy that serves until it is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    socket: PathBuf,
    ended: Arc<AtomicBool>,
    news: Mutex<Receiver<String>>,
}

#[derive(Debug)]
struct Desk {
    allowed: Allowed,
    busy: AtomicUsize,
    refused: Mutex<BTreeSet<String>>,
    news: Sender<String>,
}

impl Proxy {
    /// The one that a network needs, if it needs one.
    pub fn of(network: &Network, socket: &Path) -> io::Result<Option<Proxy>> {
        match network {
            Network::Hosts(hosts) => Proxy::start(socket, hosts).map(Some),
            Network::On | Network::Off => Ok(None),
        }
    }

    /// Listens on a socket, which only this user can reach, and serves in threads of its own.
    pub fn start(socket: &Path, hosts: &[String]) -> io::Result<Proxy> {
        let listener = listen(socket)?;
        let (sender, news) = channel();
        let desk = Arc::new(Desk {
            allowed: Allowed::new(hosts),
            busy: AtomicUsize::new(0),
            refused: Mutex::default(),
            news: sender,
        });
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            for client in listener.incoming() {
                if flag.load(Ordering::Acquire) {
                    return;
                }
                match client {
                    Ok(client) => receive(&desk, client),
                    // No file is left to accept with; those that are open end some time.
                    Err(_) => thread::sleep(Duration::from_millis(50)), // sleep: nothing tells when one is free
                }
            }
        })?;
        Ok(Proxy { socket: socket.to_owned(), ended, news: Mutex::new(news) })
    }

    /// The next refused host that nobody was told of, as a sentence.
    pub fn news(&self) -> Option<String> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).try_recv().ok()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        // Wakes it; where that fails it ends with the process.
        let _ = connect(&self.socket);
        // outside: a socket in the run's folder.
        let _ = fs::remove_file(&self.socket);
    }
}

/// The longest path that a socket's address can hold.
const LONGEST_ADDRESS: usize = 100;

/// A socket's path as an address can hold it, and what keeps that path valid.
fn address(socket: &Path) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    if socket.as_os_str().len() <= LONGEST_ADDRESS {
        return Ok((socket.to_owned(), None));
    }
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    // Only as a place: a folder that may not be read can be one, too.
    // outside: a socket in the run's folder.
    let folder = rustix::fs::open(folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let number = folder.as_raw_fd();
    Ok((Path::new("/proc/self/fd").join(number.to_string()).join(name), Some(folder)))
}

fn listen(socket: &Path) -> io::Result<UnixListener> {
    // outside: a socket in the run's folder.
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (address, _folder) = address(socket)?;
    // outside: a socket in the run's folder.
    let listener = UnixListener::bind(address)?;
    // outside: a socket in the run's folder.
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// A connection to a proxy's socket, however long its path.
pub(super) fn connect(socket: &Path) -> io::Result<UnixStream> {
    let (address, _folder) = address(socket)?;
    UnixStream::connect(address)
}

fn receive(desk: &Arc<Desk>, client: UnixStream) {
    if desk.busy.fetch_add(1, Ordering::AcqRel) >= MOST {
        desk.busy.fetch_sub(1, Ordering::AcqRel);
        let _ = client.set_nonblocking(true);
        let _ = (&client).write_all(&answer(503, "too many connections at once"));
        return;
    }
    let mine = Arc::clone(desk);
    let serve = move || {
        if let Err(refusal) = serve(&mine, &client) {
            let _ = client.set_write_timeout(Some(HEAD_PATIENCE));
            let _ = (&client).write_all(&answer(refusal.status, &refusal.why));
        }
        mine.busy.fetch_sub(1, Ordering::AcqRel);
    };
    if thread::Builder::new().name("proxied".to_owned()).spawn(serve).is_err() {
        desk.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

fn serve(desk: &Desk, client: &UnixStream) -> Result<(), Refusal> {
    let (head, rest) = hear(client)?;
    let host = head.host.as_str();
    if !desk.allowed.names(host) {
        desk.tell(host);
        return Err(Refusal::new(
            403,
            format!("windlass: {host} is not among the hosts that may be reached"),
        ));
    }
    let mut server = reach(desk, &head)?;
    let gone = |_| Refusal::new(502, format!("windlass: {host} does not listen"));
    match &head.forward {
        None => {
            (&mut &*client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").map_err(gone)?;
        }
        Some(forward) => server.write_all(forward).map_err(gone)?,
    }
    server.write_all(&rest).map_err(gone)?;
    tunnel(client, &server);
    Ok(())
}

/// What a client says up to the empty line, and what it said beyond.
fn hear(client: &UnixStream) -> Result<(Head, Vec<u8>), Refusal> {
    let deadline = Instant::now() + HEAD_PATIENCE;
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some((head, length)) = read_head(&bytes)? {
            return Ok((head, bytes.split_off(length)));
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(Refusal::new(431, "windlass: the request's head is too long"));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let late = || Refusal::new(408, "windlass: the request did not come in time");
        if left.is_zero() || client.set_read_timeout(Some(left)).is_err() {
            return Err(late());
        }
        match (&mut &*client).read(&mut chunk) {
            Ok(0) => return Err(Refusal::new(400, "windlass: the request ends too early")),
            Ok(read) => bytes.extend_from_slice(chunk.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(late()),
        }
    }
}

/// A connection to an allowed host; addresses within are refused, unless the host is named itself.
fn reach(desk: &Desk, head: &Head) -> Result<TcpStream, Refusal> {
    let host = head.host.as_str();
    let unknown = || Refusal::new(502, format!("windlass: {host} is not known"));
    let found: Vec<SocketAddr> = (host, head.port).to_socket_addrs().map_err(|_| unknown())?.collect();
    let named = desk.allowed.names_itself(host);
    let outside: Vec<&SocketAddr> = found.iter().filter(|address| named || is_public(address.ip())).collect();
    if outside.is_empty() && !found.is_empty() {
        desk.tell(host);
        return Err(Refusal::new(
            403,
            format!(
                "windlass: {host} is an address of this machine or network, and not allowed by its own name"
            ),
        ));
    }
    for address in outside {
        if let Ok(server) = TcpStream::connect_timeout(address, CONNECT_PATIENCE) {
            return Ok(server);
        }
    }
    Err(Refusal::new(502, format!("windlass: {host} does not answer")))
}

impl Desk {
    fn tell(&self, host: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < MOST_NEWS && refused.insert(host.to_owned()) {
            let _ = self.news.send(format!(
                "refused inside the sandbox: a connection to {host}, which is not among sandbox.hosts"
            ));
        }
    }
}

fn answer(status: u16, why: &str) -> Vec<u8> {
    let phrase = match status {
        400 => "Bad Request",
        403 => "Forbidden",
        408 => "Request Timeout",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Gateway",
    };
    let length = why.len() + 1;
    format!(
        "HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{why}\n"
    )
    .into_bytes()
}

/// Can a host be reached from inside where these hosts, and no others, may be?
pub fn lets_through(hosts: &[String], host: &str) -> bool {
    Allowed::new(hosts).names(host)
}

#[cfg(test)]
mod tests;
