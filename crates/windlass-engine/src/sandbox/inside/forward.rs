//! The way from a port of ours inside to the proxy's socket outside.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::sandbox::proxy::{connect, tunnel};

/// Connections at once; whoever comes later waits in the kernel's queue or is turned away.
const MOST: usize = 256;

/// What programs look at to find a proxy.
const VARIABLES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

/// The way to the proxy, not yet open to anybody.
#[derive(Debug)]
pub struct Way {
    listener: TcpListener,
    port: u16,
    socket: PathBuf,
}

impl Way {
    /// Takes a port that only this machine, or only this sandbox, can see.
    pub fn open(socket: PathBuf) -> io::Result<Way> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok(Way { listener, port, socket })
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// What tells programs of it; these hosts are reached without it.
    pub fn environment(&self, direct: &[String]) -> Vec<(String, String)> {
        let address = format!("http://127.0.0.1:{}", self.port);
        let mut environment: Vec<(String, String)> =
            VARIABLES.iter().map(|name| ((*name).to_owned(), address.clone())).collect();
        for name in ["NO_PROXY", "no_proxy"] {
            environment.push((name.to_owned(), direct.join(",")));
        }
        environment
    }

    /// Serves it in threads of its own, until the process ends.
    pub fn serve(self) -> io::Result<()> {
        let busy = Arc::new(AtomicUsize::new(0));
        let accept = move || {
            for client in self.listener.incoming() {
                let Ok(client) = client else { continue };
                if busy.fetch_add(1, Ordering::AcqRel) >= MOST {
                    busy.fetch_sub(1, Ordering::AcqRel);
                    continue;
                }
                let (socket, mine) = (self.socket.clone(), Arc::clone(&busy));
                let carry = move || {
                    carry(&client, &socket);
                    mine.fetch_sub(1, Ordering::AcqRel);
                };
                if thread::Builder::new().spawn(carry).is_err() {
                    busy.fetch_sub(1, Ordering::AcqRel);
                }
            }
        };
        thread::Builder::new().name("way out".to_owned()).spawn(accept).map(drop)
    }
}

/// A proxy that is gone is a connection that ends.
fn carry(client: &TcpStream, socket: &Path) {
    if let Ok(proxy) = connect(socket) {
        tunnel(client, &proxy);
    }
}
