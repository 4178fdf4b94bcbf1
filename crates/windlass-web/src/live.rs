//! Pages that go on by themselves: one stream each, of server-sent events. An event says how something stands, not what changed, or
//! appends rows from a place on; so whoever comes back after an hour of sleep goes on where they were.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use hyper::body::Frame;
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use windlass_app::AppError;
use windlass_app::transcript::Recording;
use windlass_core::values::{CallId, RunId};
use windlass_ui::RunState;

use crate::names::Cursor;
use crate::pages::{Viewer, night, run, transcript};
use crate::response::{self, Response};
use crate::site::{Followed, Site, locked};

/// What is followed is looked at so often.
const LOOK: Duration = Duration::from_millis(100);

/// A list, and a run's card with its clocks, are told so often at most.
const SLOW: Duration = Duration::from_secs(1);

/// After so long without anything to tell, that is sink.
const PULSE: Duration = Duration::from_secs(15);

/// Bytes of rows that are told within a second; what is beyond is counted, and there to be opened.
const RATE: usize = 20_000;

/// Events that wait for a browser. One that does not take them is told the newest when it does.
const WAITING: usize = 2;

/// What is followed.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The list of runs.
    Night,
    /// A run.
    Run(RunId),
    /// A call of a run.
    Call(RunId, CallId),
}

/// The stream, or why there is none.
pub fn stream(site: Arc<Site>, parts: &Parts, subject: Subject) -> Response {
    let Ok(place) = Arc::clone(&site.streams).try_acquire_owned() else {
        let mut answer =
            response::text(StatusCode::SERVICE_UNAVAILABLE, "too many pages are live: close one\n");
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("30"));
        return answer;
    };
    let viewer = Viewer::of(&site, parts);
    // Where it was before it was cut off goes before where it began.
    let last = parts.headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let from = last
        .as_deref()
        .and_then(|id| id.parse().ok())
        .or_else(|| viewer.asked_as("from"))
        .unwrap_or_default();
    let (sender, receiver) = channel(WAITING);
    let headers = parts.headers.clone();
    thread::spawn(move || {
        let visitor = Visitor { site: Arc::clone(&site), headers, looked: Instant::now() };
        let mut sink = EventSink { sender, last: Instant::now(), visitor };
        // A browser that is gone, and a run that cannot be read any more, end it alike.
        let _ = follow(&site, viewer, &subject, from, &mut sink);
        drop(place);
    });
    let mut answer = response::with_body(StatusCode::OK, "text/event-stream", Body::new(Events(receiver)));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    answer
}

/// Why a stream ends.
enum End {
    Gone,
    Trouble,
}

impl From<AppError> for End {
    fn from(_: AppError) -> End {
        End::Trouble
    }
}

/// Whom events are sent to.
struct EventSink {
    sender: Sender<Bytes>,
    last: Instant,
    visitor: Visitor,
}

/// A browser that was let in when its stream began.
struct Visitor {
    site: Arc<Site>,
    headers: HeaderMap,
    looked: Instant,
}

impl Visitor {
    /// Is it still known? One that was forgotten is told nothing more.
    fn is_known(&mut self) -> bool {
        if self.looked.elapsed() < SLOW {
            return true;
        }
        self.looked = Instant::now();
        self.site.door.reader(&self.headers).is_some()
    }
}

/// A piece of a page.
#[derive(Serialize)]
struct Piece<'a> {
    /// The id of what it replaces, or of the list that it is appended to.
    id: &'a str,
    /// The number of the run's last fact; 0 where there is no run.
    seq: u64,
    html: String,
    /// What there is to say of it to who does not see it; empty where nothing is.
    said: String,
}

impl EventSink {
    /// Is there room for more? A browser that does not read is waited for, and nothing is piled up for it.
    fn has_room(&mut self) -> Result<bool, End> {
        let is_gone = self.sender.is_closed() || !self.visitor.is_known();
        if is_gone { Err(End::Gone) } else { Ok(self.sender.capacity() > 0) }
    }

    fn event(&mut self, name: &str, id: Option<u64>, piece: &Piece<'_>) -> Result<(), End> {
        let data = serde_json::to_string(piece).map_err(|_| End::Trouble)?;
        let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
        self.send(format!("event: {name}\n{id}data: {data}\n\n"))
    }

    fn send(&mut self, text: String) -> Result<(), End> {
        self.last = Instant::now();
        match self.sender.try_send(text.into()) {
            Ok(()) | Err(TrySendError::Full(_)) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(End::Gone),
        }
    }

    /// Once in a while, so that both sides know that the other is there.
    fn pulse(&mut self) -> Result<(), End> {
        if self.last.elapsed() >= PULSE { self.send(": still here\n\n".to_owned()) } else { Ok(()) }
    }
}

fn follow(
    site: &Site,
    viewer: Viewer,
    subject: &Subject,
    from: Cursor,
    sink: &mut EventSink,
) -> Result<(), End> {
    match subject {
        Subject::Night => follow_night(site, viewer, sink),
        Subject::Run(run) => follow_run(site, viewer, run, sink),
        Subject::Call(run, call) => follow_call(site, viewer, (run, *call), from, sink),
    }
}

fn follow_night(site: &Site, mut viewer: Viewer, sink: &mut EventSink) -> Result<(), End> {
    let mut before = String::new();
    loop {
        if sink.has_room()? {
            viewer.now = Timestamp::now();
            let html = night::part(site, &viewer)?.into_string();
            if html != before {
                sink.event(
                    "put",
                    None,
                    &Piece { id: "night", seq: 0, html: html.clone(), said: String::new() },
                )?;
                before = html;
            }
        }
        sink.pulse()?;
        thread::sleep(SLOW);
    }
}

fn follow_run(site: &Site, mut viewer: Viewer, run: &RunId, sink: &mut EventSink) -> Result<(), End> {
    let mut heads = String::new();
    let mut rests = String::new();
    let mut shown = None;
    let mut looked: Option<Instant> = None;
    let Some(run_followed) = site.follow(run)? else { return Ok(()) };
    loop {
        let is_due = looked.is_none_or(|looked| looked.elapsed() >= SLOW);
        let mut followed = locked(&run_followed);
        followed.advance()?;
        let has_moved = shown != Some(followed.seq);
        if sink.has_room()? && (is_due || has_moved) {
            looked = looked.filter(|_| !is_due).or_else(|| Some(Instant::now()));
            viewer.now = Timestamp::now();
            let seen = followed.run.seen(viewer.now)?;
            let head = run::head(site, &viewer, &mut followed, &seen)?.into_string();
            let seq = followed.seq;
            if head != heads {
                let said = format!("{}, iteration {}", seen.status.state.name(), seen.status.iteration);
                sink.event("put", Some(seq), &Piece { id: "head", seq, html: head.clone(), said })?;
                heads = head;
            }
            if has_moved && is_due && sink.has_room()? {
                let rest = run::rest(site, &viewer, &seen).into_string();
                if rest != rests {
                    sink.event(
                        "put",
                        Some(seq),
                        &Piece { id: "rest", seq, html: rest.clone(), said: String::new() },
                    )?;
                    rests = rest;
                }
                shown = Some(seq);
            }
            let is_over = seen.status.state != RunState::Running;
            drop(followed);
            sink.pulse()?;
            thread::sleep(if is_over { SLOW } else { LOOK });
            continue;
        }
        drop(followed);
        sink.pulse()?;
        thread::sleep(LOOK);
    }
}

fn follow_call(
    site: &Site,
    mut viewer: Viewer,
    (run, call): (&RunId, CallId),
    Cursor(mut from): Cursor,
    sink: &mut EventSink,
) -> Result<(), End> {
    let mut second = (Instant::now(), 0);
    let mut opened = None;
    let Some(followed) = site.follow(run)? else { return Ok(()) };
    loop {
        let (seq, is_over) = state_of(&followed, call)?;
        if opened.is_none() {
            opened = locked(&followed).run.transcript(call);
        }
        let Some(transcript) = opened.as_mut() else { return Ok(()) };
        if is_over {
            transcript.close();
        }
        let mut recording = Recording::Growing;
        while sink.has_room()? {
            let page = transcript.from(from).map_err(AppError::from)?;
            recording = page.recording;
            if page.end == from {
                break;
            }
            viewer.now = Timestamp::now();
            if second.0.elapsed() >= Duration::from_secs(1) {
                second = (Instant::now(), 0);
            }
            let left = RATE.saturating_sub(second.1);
            let (html, fits) = transcript::rows(&viewer, run, call, (&page.rows, left));
            second.1 += html.len();
            from = page.end;
            if !html.is_empty() {
                sink.event("add", Some(from), &Piece { id: "rows", seq, html, said: String::new() })?;
            }
            if !fits {
                break;
            }
        }
        if is_over && recording != Recording::Growing {
            return sink.send("event: over\ndata: {}\n\n".to_owned());
        }
        sink.pulse()?;
        thread::sleep(LOOK);
    }
}

fn state_of(followed: &Mutex<Followed>, call: CallId) -> Result<(u64, bool), End> {
    let mut followed = locked(followed);
    followed.advance()?;
    let ended = followed.run.course().calls().any(|(_, one)| one.call == call && one.ended.is_some());
    Ok((followed.seq, ended || !followed.run.is_live()?))
}

/// Events as the body of an answer.
struct Events(Receiver<Bytes>);

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
    }
}
