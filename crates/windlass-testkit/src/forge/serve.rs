//! The listening side: what is asked is recorded, meets its trouble, and is answered.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::answer::{Body, ForgeResponse};
use super::http::{self, Request};
use super::repository::Bare;
use super::state::State;
use super::story::{Story, Trouble};
use super::{api, backend};

/// What all threads of a forge share.
#[derive(Debug)]
pub struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    pub fn new(bare: Bare, story: Story) -> Shared {
        Shared { state: Mutex::new(State::new(bare, story)), changed: Condvar::new() }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    pub fn release(&self) {
        let mut state = self.lock();
        state.released += 1;
        state.troubles.retain(|(_, trouble)| !matches!(trouble, Trouble::HangBefore | Trouble::HangAfter));
        drop(state);
        self.changed.notify_all();
    }

    pub fn wait_for_hanging(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        while state.hanging == 0 {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Until [`Shared::release`], or the end of the test.
    fn hang(&self) {
        let mut state = self.lock();
        let released = state.released;
        state.hanging += 1;
        self.changed.notify_all();
        while state.released == released && !state.stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.hanging -= 1;
    }

    pub fn serve_api(&self, stream: &UnixStream) -> io::Result<()> {
        let Some(request) = http::read(stream)? else { return Ok(()) };
        let what = api::name_of(&request);
        let trouble = self.lock().record(&what, &request);
        self.serve(stream, trouble, &what, || {
            let mut state = self.lock();
            let answer = api::answer(&mut state, &request);
            let date = http_date(state.tracker.now());
            move |stream: &UnixStream| write(stream, &answer, &date)
        })
    }

    pub fn serve_git(&self, stream: &TcpStream) -> io::Result<()> {
        let Some(request) = http::read(stream)? else { return Ok(()) };
        let what = backend::name_of(&request);
        let trouble = self.lock().record(what, &request);
        let root = self.lock().bare.root();
        self.serve(stream, trouble, what, || {
            let mut said = Vec::new();
            let done = backend::answer(&root, &mut said, &request);
            move |mut stream: &TcpStream| {
                done?;
                stream.write_all(&said)
            }
        })
    }

    /// Does what was asked, or not, and answers, or not.
    fn serve<S, A>(
        &self,
        stream: S,
        trouble: Option<Trouble>,
        what: &str,
        act: impl FnOnce() -> A,
    ) -> io::Result<()>
    where
        S: Copy + Read + Write,
        A: FnOnce(S) -> io::Result<()>,
    {
        if let Some(refusal) = trouble.and_then(refusal) {
            let reset = match trouble {
                Some(Trouble::RateLimitFor(seconds)) => {
                    self.lock().tracker.now().as_second() + i64::from(seconds)
                }
                _ => FAR_AWAY,
            };
            return refuse(stream, refusal, reset);
        }
        match trouble {
            Some(Trouble::HangUp) => return Ok(()),
            Some(Trouble::HangBefore) => {
                self.hang();
                return Ok(());
            }
            _ => {}
        }
        let answer = act();
        self.lock().done.push(what.to_owned());
        match trouble {
            Some(Trouble::HangUpAfter) => Ok(()),
            Some(Trouble::HangAfter) => {
                self.hang();
                answer(stream)
            }
            _ => answer(stream),
        }
    }
}

type Refusal = (u16, &'static str, &'static str);

/// What is said instead of an answer.
fn refusal(trouble: Trouble) -> Option<Refusal> {
    Some(match trouble {
        Trouble::Page => {
            (200, "text/html", "<!DOCTYPE html><html><body>Please log in to the network</body></html>")
        }
        Trouble::Half => (200, "application/json", "{\"data\":{\"repository\":{\"pullRequest\":{\"numb"),
        Trouble::RateLimit | Trouble::RateLimitFor(_) => (
            403,
            "application/json",
            "{\"message\":\"API rate limit exceeded for user ID 1.\",\"documentation_url\":\"https://docs\"}",
        ),
        Trouble::BadLogin => (401, "application/json", "{\"message\":\"Bad credentials\"}"),
        Trouble::BadGateway => (502, "text/html", "<html><h1>502 Bad Gateway</h1></html>"),
        Trouble::Nothing
        | Trouble::HangUp
        | Trouble::HangBefore
        | Trouble::HangAfter
        | Trouble::HangUpAfter => return None,
    })
}

/// A reset beyond all patience.
const FAR_AWAY: i64 = 1_900_000_000;

fn refuse(stream: impl Write, (status, kind, body): Refusal, reset: i64) -> io::Result<()> {
    let reset = reset.to_string();
    let limit = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", reset.as_str())];
    let headers: Vec<(&str, &str)> =
        [("Content-Type", kind)].into_iter().chain(limit.into_iter().filter(|_| status == 403)).collect();
    http::write(stream, status, &headers, body.as_bytes())
}

/// A time as headers have it.
fn http_date(time: Timestamp) -> String {
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn write(stream: &UnixStream, answer: &ForgeResponse, date: &str) -> io::Result<()> {
    match &answer.body {
        Body::Json(body) => {
            let kind = [("Content-Type", "application/json; charset=utf-8"), ("Date", date)];
            http::write(stream, answer.status, &kind, body.to_string().as_bytes())
        }
        Body::Text(text) => {
            http::write(stream, answer.status, &[("Content-Type", "text/plain")], text.as_bytes())
        }
        Body::Elsewhere(address) => http::write(stream, answer.status, &[("Location", address)], b""),
    }
}

/// Everything of a request that could hold a secret or an instruction, for the record.
pub fn body_text(request: &Request) -> String {
    String::from_utf8_lossy(&request.body).into_owned()
}
