//! A connection that loses an answer: what was asked for reaches the server, and its answer does not come back.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use windlass_testkit::Nats;

/// Stands between clients and a server, as long as the test runs.
pub struct Lossy {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// What is said at a subject that begins so is answered by nobody, once.
    armed: Mutex<Option<String>>,
    lost: AtomicUsize,
    /// After the next loss nobody comes through any more.
    breaking: AtomicBool,
    broken: AtomicBool,
}

impl Lossy {
    pub fn before(nats: &Nats) -> Lossy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let server = nats.urls()[0].trim_start_matches("nats://").to_owned();
        let shared = Arc::new(Shared::default());
        let for_connections = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // Nobody comes through, or the server is gone with the test.
                if !for_connections.broken.load(Ordering::SeqCst)
                    && let Ok(server) = TcpStream::connect(&server)
                {
                    pass_on(client, server, &for_connections);
                }
            }
        });
        Lossy { url, shared }
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Loses the answer to the next thing that is said at a subject that begins so.
    pub fn lose_answer_to(&self, subject: &str) {
        *self.shared.armed.lock().unwrap() = Some(subject.to_owned());
    }

    /// The same, and nobody comes through after that, until it is mended.
    pub fn break_at(&self, subject: &str) {
        self.shared.breaking.store(true, Ordering::SeqCst);
        self.lose_answer_to(subject);
    }

    pub fn mend(&self) {
        self.shared.breaking.store(false, Ordering::SeqCst);
        self.shared.broken.store(false, Ordering::SeqCst);
    }

    /// So many answers were lost so far.
    pub fn lost(&self) -> usize {
        self.shared.lost.load(Ordering::SeqCst)
    }
}

fn pass_on(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) {
    let swallowing = Arc::new(AtomicBool::new(false));
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (armed, told) = (Arc::clone(shared), Arc::clone(&swallowing));
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(length @ 1..) = from_client.read(&mut bytes) {
            let said = String::from_utf8_lossy(&bytes[..length]);
            let mut waited_for = armed.armed.lock().unwrap();
            if waited_for.as_ref().is_some_and(|subject| said.contains(&format!("PUB {subject}"))) {
                *waited_for = None;
                told.store(true, Ordering::SeqCst);
            }
            drop(waited_for);
            if to_server.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        // Either may be gone already.
        let _ = to_server.shutdown(Shutdown::Both);
    });
    let (mut from_server, mut to_client, shared) = (server, client, Arc::clone(shared));
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(length @ 1..) = from_server.read(&mut bytes) {
            if swallowing.load(Ordering::SeqCst) {
                shared.broken.store(shared.breaking.load(Ordering::SeqCst), Ordering::SeqCst);
                shared.lost.fetch_add(1, Ordering::SeqCst);
                break;
            }
            if to_client.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        let _ = to_client.shutdown(Shutdown::Both);
        let _ = from_server.shutdown(Shutdown::Both);
    });
}
