//! A web service on 127.0.0.1 that takes notifications and records them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longer requests are not read.
const LONGEST: usize = 1 << 20;

/// What a receiver does with a request once it has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Answers with this status, these headers and this body.
    Answer(u16, Vec<(String, String)>, String),
    /// Answers 200 with these bytes.
    Bytes(Vec<u8>),
    /// Says nothing until [`Receiver::release`], then 200; the connection stays open.
    Hang,
    /// Closes the connection without a word.
    Close,
}

impl Response {
    /// This status and nothing else.
    pub fn status(status: u16) -> Response {
        Response::Answer(status, Vec::new(), String::new())
    }

    /// A redirect.
    pub fn redirect(location: &str) -> Response {
        Response::Answer(307, vec![("Location".to_owned(), location.to_owned())], String::new())
    }
}

/// One request, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// `POST`, …
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    /// As text.
    pub body: String,
}

impl Letter {
    /// The value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Listens on a port of its own until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stopping: bool,
    released: bool,
    responses: Vec<Response>,
    letters: Vec<Letter>,
    connections: Vec<Weak<TcpStream>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// Answers the first request with the first response, and so on; the last one is repeated. Without any: 200.
    pub fn start(responses: impl IntoIterator<Item = Response>) -> Receiver {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on 127.0.0.1");
        let address = listener.local_addr().expect("the port that was bound");
        let responses = responses.into_iter().collect();
        let shared = Arc::new(Shared {
            state: Mutex::new(State { responses, ..State::default() }),
            changed: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("receiver".to_owned())
            .spawn(move || accept(&listener, &theirs))
            .expect("a thread for the receiver");
        Receiver { address, shared, acceptor: Some(acceptor) }
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The same, to connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order of arrival.
    pub fn letters(&self) -> Vec<Letter> {
        self.shared.lock().letters.clone()
    }

    /// Waits until so many requests have come; `false` where that took longer than `patience`.
    pub fn wait_for(&self, count: usize, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        while state.letters.len() < count {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return false;
            };
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Answers what hangs, and lets nothing hang any more.
    pub fn release(&self) {
        self.shared.lock().released = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let connections = {
            let mut state = self.shared.lock();
            state.stopping = true;
            std::mem::take(&mut state.connections)
        };
        self.shared.changed.notify_all();
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
    let mut serving: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming().map_while(Result::ok) {
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
        // Errors mean that the other side hung up: nobody's concern.
        let serve = move || drop(serve(&stream, &shared));
        serving.push(thread::Builder::new().spawn(serve).expect("a thread for a connection"));
    }
    for thread in serving {
        let _ = thread.join();
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(letter) = read(stream)? else {
        return Ok(());
    };
    let response = {
        let mut state = shared.lock();
        let number = state.letters.len();
        state.letters.push(letter);
        let known = state.responses.get(number).or(state.responses.last());
        known.cloned().unwrap_or(Response::status(200))
    };
    shared.changed.notify_all();
    match response {
        Response::Answer(status, headers, body) => answer(stream, status, &headers, body.as_bytes()),
        Response::Bytes(body) => answer(stream, 200, &[], &body),
        Response::Close => stream.shutdown(Shutdown::Both),
        Response::Hang => {
            let mut state = shared.lock();
            while !state.released && !state.stopping {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            answer(stream, 200, &[], b"")
        }
    }
}

fn answer(mut stream: &TcpStream, status: u16, headers: &[(String, String)], body: &[u8]) -> io::Result<()> {
    let mut lines =
        format!("HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        for part in [name, ": ", value, "\r\n"] {
            lines.push_str(part);
        }
    }
    lines.push_str("\r\n");
    stream.write_all(&[lines.as_bytes(), body].concat())?;
    stream.shutdown(Shutdown::Write)
}

/// Reads one request; `None` where the other side closed without one.
fn read(mut stream: &TcpStream) -> io::Result<Option<Letter>> {
    let mut received = Vec::new();
    let mut buffer = vec![0; 16 << 10];
    loop {
        if let Some((mut letter, start, length)) = head(&received)?
            && let Some(body) = received.get(start..start + length)
        {
            letter.body = String::from_utf8_lossy(body).into_owned();
            return Ok(Some(letter));
        }
        if received.len() > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match stream.read(&mut buffer)? {
            0 if received.is_empty() => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => received.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The request's head, where its body starts, and how long that is; `None` while the head is incomplete.
fn head(received: &[u8]) -> io::Result<Option<(Letter, usize, usize)>> {
    let mut slots = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut slots);
    let status = head.parse(received).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let httparse::Status::Complete(start) = status else {
        return Ok(None);
    };
    let headers: Vec<(String, String)> = head
        .headers
        .iter()
        .map(|header| (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    let letter = Letter {
        method: head.method.unwrap_or_default().to_owned(),
        path: head.path.unwrap_or_default().to_owned(),
        headers,
        body: String::new(),
    };
    let length = letter.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    Ok(Some((letter, start, length)))
}
