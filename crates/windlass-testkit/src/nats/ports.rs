//! Ports that no other test of this machine takes.

use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Below the ports that the kernel gives to connections by itself: one of those could be taken while a server is down.
const FIRST: u16 = 20_000;
const BLOCKS: u16 = 1200;

/// For three servers: clients, the cluster, and questions.
pub(super) const PORTS: u16 = 9;

/// A block of ports, reserved until it is dropped.
#[derive(Debug)]
pub(super) struct Ports {
    first: u16,
    /// A socket without a file: its name is free again when its process is gone, however it ended.
    _reservation: UnixListener,
}

impl Ports {
    pub(super) fn reserve() -> Ports {
        // Tests that begin together begin to look at different places.
        let start = u16::try_from(std::process::id() % u32::from(BLOCKS)).unwrap_or(0);
        let mut blocks = (0..BLOCKS).map(|step| (start + step) % BLOCKS);
        blocks.find_map(Ports::of_block).expect("a free block of ports on 127.0.0.1")
    }

    fn of_block(block: u16) -> Option<Ports> {
        let name = format!("windlass-test-ports-{block}");
        let name = SocketAddr::from_abstract_name(name).expect("a name of a socket");
        let reservation = UnixListener::bind_addr(&name).ok()?;
        let first = FIRST + block * PORTS;
        let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        (first..first + PORTS).all(free).then_some(Ports { first, _reservation: reservation })
    }

    /// For clients of a server.
    pub(super) fn client(&self, server: usize) -> u16 {
        self.at(server, 0)
    }

    /// For the other servers.
    pub(super) fn cluster(&self, server: usize) -> u16 {
        self.at(server, 1)
    }

    /// For questions about the server itself.
    pub(super) fn monitor(&self, server: usize) -> u16 {
        self.at(server, 2)
    }

    fn at(&self, server: usize, which: u16) -> u16 {
        self.first + u16::try_from(server).expect("a handful of servers") * 3 + which
    }
}
