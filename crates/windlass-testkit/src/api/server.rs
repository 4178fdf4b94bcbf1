//! The listening side: one thread accepts, one thread serves each connection.

use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::connection;
use super::request::Request;
use super::scenario::Scenario;

/// A stand-in Messages API, listening on a port of its own until it is dropped.
#[derive(Debug)]
pub struct StandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    scenario: Scenario,
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stopping: bool,
    messages: Vec<Request>,
    others: Vec<Request>,
    connections: Vec<Weak<TcpStream>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A computed reply that panicked says so in its own thread; the record is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StandIn {
    /// Listens on a free port of 127.0.0.1 and tells `scenario`.
    pub fn start(scenario: Scenario) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on 127.0.0.1");
        let address = listener.local_addr().expect("the port that was bound");
        let shared =
            Arc::new(Shared { scenario, state: Mutex::new(State::default()), asked: Condvar::new() });
        let for_acceptor = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("stand-in".to_owned())
            .spawn(move || accept(&listener, &for_acceptor))
            .expect("a thread for the stand-in");
        Self { address, shared, acceptor: Some(acceptor) }
    }

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request of a model so far ([`Dialect`](super::Dialect)), in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().messages.clone()
    }

    /// Every other request so far; Claude Code 2.1.330 makes none when told to keep quiet.
    pub fn other_requests(&self) -> Vec<Request> {
        self.shared.lock().others.clone()
    }

    /// Waits until `count` messages have been asked for; `false` where that took longer than `patience`.
    pub fn wait_for_requests(&self, count: usize, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        while state.messages.len() < count {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return false;
            };
            state = self.shared.asked.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let connections = {
            let mut state = self.shared.lock();
            state.stopping = true;
            std::mem::take(&mut state.connections)
        };
        for connection in connections.iter().filter_map(Weak::upgrade) {
            // Already gone is as good.
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the acceptor; it is waiting, or already on its way out.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

/// Serves until told to stop, then waits for the threads it started.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut servers: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let stream = Arc::new(stream);
        {
            let mut state = shared.lock();
            if state.stopping {
                break;
            }
            state.connections.retain(|connection| connection.strong_count() > 0);
            state.connections.push(Arc::downgrade(&stream));
        }
        let shared = Arc::clone(shared);
        servers.retain(|server| !server.is_finished());
        servers.push(thread::spawn(move || serve(&stream, &shared)));
    }
    for server in servers {
        let _ = server.join();
    }
}

/// Reads a request, records it, replies. What goes wrong on the wire is the agent hanging up, which scenarios are
/// about; what was asked is in the record either way.
fn serve(stream: &TcpStream, shared: &Shared) {
    let Ok(Some(mut request)) = connection::read_request(stream) else {
        return;
    };
    if request.dialect().is_none() {
        shared.lock().others.push(request.clone());
        let _ = connection::send_aside(stream, &request);
        return;
    }
    {
        let mut state = shared.lock();
        request.number = state.messages.len();
        state.messages.push(request.clone());
    }
    shared.asked.notify_all();
    let reply = shared.scenario.reply(request.number);
    let _ = connection::send(stream, &request, &reply);
}
