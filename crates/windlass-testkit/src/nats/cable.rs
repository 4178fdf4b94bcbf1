//! A cable between clients and a server, which a test can pull out and plug in again.

use std::io::copy;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::Nats;

/// Carries what is said to a server, as long as the test runs.
#[derive(Debug)]
pub struct Cable {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    pulled: AtomicBool,
    /// The ends of all connections.
    ends: Mutex<Vec<TcpStream>>,
}

impl Cable {
    /// To the first server.
    ///
    /// # Panics
    /// Where loopback cannot be listened on.
    pub fn to(nats: &Nats) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let url = format!("nats://{}", listener.local_addr().expect("its address"));
        let server = nats.urls().swap_remove(0).trim_start_matches("nats://").to_owned();
        let shared = Arc::new(Shared::default());
        let connected = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // Where it is pulled out, or the server is gone with the test, nobody answers.
                if !connected.pulled.load(Ordering::SeqCst)
                    && let Ok(server) = TcpStream::connect(&server)
                {
                    connected.carry(&client, &server);
                }
            }
        });
        Cable { url, shared }
    }

    /// Where clients connect to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Nothing comes through any more.
    pub fn pull_out(&self) {
        self.shared.pulled.store(true, Ordering::SeqCst);
        for end in self.shared.ends.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Clients can connect again.
    pub fn plug_in(&self) {
        self.shared.pulled.store(false, Ordering::SeqCst);
    }
}

impl Shared {
    fn carry(&self, client: &TcpStream, server: &TcpStream) {
        for (from, to) in [(client, server), (server, client)] {
            let (Ok(mut reading), Ok(mut writing), Ok(end)) =
                (from.try_clone(), to.try_clone(), from.try_clone())
            else {
                return;
            };
            self.ends.lock().unwrap_or_else(PoisonError::into_inner).push(end);
            thread::spawn(move || {
                // However it ends, the other side hears of it.
                let _ = copy(&mut reading, &mut writing);
                let _ = writing.shutdown(Shutdown::Both);
            });
        }
    }
}
