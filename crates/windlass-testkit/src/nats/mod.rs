//! Real servers of NATS on loopback, one or three, that end with the test.
//!
//! `cargo xtask nats` installs the program. Every server syncs each write, as a fleet's has to. Ports are reserved among all tests of
//! this machine, so that a server that was killed finds its own again.

mod cable;
mod ports;
mod server;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::environment::wait_until;
pub use cable::Cable;
use ports::Ports;
pub use server::Server;

/// The version that tests are written for.
pub const VERSION: &str = "2.15.1";

/// Long enough for three servers on a busy machine to have found each other.
const PATIENCE: Duration = Duration::from_mins(1);

/// Its own folder, seen from the target directory.
pub fn folder() -> PathBuf {
    PathBuf::from(format!("tools/nats-{VERSION}"))
}

/// Where its program is, seen from the target directory.
pub fn below_target() -> PathBuf {
    folder().join("bin/nats-server")
}

/// The program, below the target directory this test was built into.
///
/// # Panics
/// Where it is not installed: says how to. A test that needs it fails, it is never skipped in silence.
pub fn installed() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    // target/debug/deps/TEST, or target/TRIPLE/debug/deps/TEST
    let mut near = test.ancestors().skip(1).take(4).map(|directory| directory.join(below_target()));
    near.find(|program| program.is_file()).unwrap_or_else(|| {
        panic!("nats-server {VERSION} is not installed beside {}: run `cargo xtask nats`", test.display())
    })
}

/// What servers keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeps {
    /// All that they are given.
    #[default]
    Everything,
    /// At most so many bytes.
    Bytes(u64),
    /// Nothing: no JetStream.
    Nothing,
}

/// How servers are started.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// What they keep.
    pub keeps: Keeps,
    /// More of their configuration, for each the same: users, TLS.
    pub more: String,
}

/// Servers that work together: one, or three. When it is dropped they are killed, each by its process id, and what they kept goes.
#[derive(Debug)]
pub struct Nats {
    servers: Vec<Server>,
    root: TempDir,
    _ports: Ports,
}

impl Nats {
    /// One server that lets everybody in.
    pub fn one() -> Nats {
        Nats::start(1, &Setup::default())
    }

    /// One server.
    pub fn one_with(setup: &Setup) -> Nats {
        Nats::start(1, setup)
    }

    /// Three servers that are a cluster, all of them ready.
    pub fn three() -> Nats {
        Nats::start(3, &Setup::default())
    }

    fn start(count: usize, setup: &Setup) -> Nats {
        let root =
            tempfile::Builder::new().prefix("windlass-nats-").tempdir().expect("a temporary directory");
        let ports = Ports::reserve();
        let servers = (0..count).map(|index| Server::new(index, count, root.path(), &ports, setup)).collect();
        let mut nats = Nats { servers, root, _ports: ports };
        for server in &mut nats.servers {
            server.start();
        }
        nats.wait_until_ready();
        nats
    }

    /// Where they keep what they keep, and what they log.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Their addresses.
    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::url).collect()
    }

    /// One of them, counted from 0.
    pub fn server(&mut self, index: usize) -> &mut Server {
        &mut self.servers[index]
    }

    /// All of them are gone, at once.
    pub fn kill_all(&mut self) {
        self.servers.iter_mut().for_each(Server::kill);
    }

    /// And back.
    pub fn start_all(&mut self) {
        self.servers.iter_mut().for_each(Server::start);
        self.wait_until_ready();
    }

    /// Waits until each that runs is ready to be asked.
    ///
    /// # Panics
    /// Where one is not within a minute: shows the end of what it logged.
    pub fn wait_until_ready(&self) {
        let deadline = Instant::now() + PATIENCE;
        for server in self.servers.iter().filter(|server| server.is_running()) {
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = wait_until(left, || server.is_ready());
            assert!(ready, "a server of NATS is not ready:\n{}", server.end_of_log());
        }
    }

    /// So many messages a stream has, as the first of them knows it.
    pub fn messages_of(&self, stream: &str) -> Option<u64> {
        self.servers[0].messages_of(stream)
    }

    /// Which of them leads a stream; waits until one does.
    ///
    /// # Panics
    /// Where none does within a minute.
    pub fn leader_of(&self, stream: &str) -> usize {
        let mut leader = None;
        wait_until(PATIENCE, || {
            let mut running = self.servers.iter().filter(|server| server.is_running());
            let named = running.find_map(|server| server.leader_of(stream));
            leader = named.and_then(|name| self.servers.iter().position(|server| server.name() == name));
            leader.is_some_and(|leader| self.servers[leader].is_running())
        });
        leader.unwrap_or_else(|| panic!("no server leads {stream}"))
    }
}
