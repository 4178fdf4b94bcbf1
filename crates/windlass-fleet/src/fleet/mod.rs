//! A connection to a fleet, with a runtime of its own.

mod connect;
mod news;
mod plain;
pub(crate) mod stored;
mod subjects_of;
mod trouble;

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use async_nats::{Client, HeaderMap, Message, Request, RequestErrorKind};
use futures_util::future::{Either, select};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::{Handle, Runtime};

use crate::call::{Deadline, ONE_TRY, Tried, until};
use crate::error::FleetError;
use crate::settings::Settings;
use crate::subjects::Subjects;
use news::News;
pub(crate) use trouble::Trouble;

/// How long is waited between two looks whether the connection is there again.
const LOOKS: Duration = Duration::from_millis(10);

/// A fleet that is connected to. A clone is the same connection; it ends with the last one. Calls block, from any thread, but for
/// those of another async runtime.
#[derive(Clone)]
pub struct Fleet {
    pub(crate) line: Arc<Line>,
}

/// The connection itself.
pub(crate) struct Line {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
    pub(crate) client: Client,
    pub(crate) subjects: Subjects,
    settings: Settings,
    news: Arc<News>,
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet").field("name", &self.line.settings.fleet.as_str()).finish_non_exhaustive()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // Nothing of it is waited for: what was to be known of was acknowledged before its call came back.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Fleet {
    /// What it was connected with.
    pub fn settings(&self) -> &Settings {
        &self.line.settings
    }

    /// The version of the server that this connection ends at, as that says it.
    pub fn server_version(&self) -> String {
        crate::error::one_line(&self.line.client.server_info().version)
    }

    /// Waits for it, on the thread of the caller.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.line.wait(future)
    }
}

impl Line {
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// One try of a request: its answer, within `wait`.
    pub(crate) async fn request(
        &self,
        subject: &str,
        headers: Option<HeaderMap>,
        payload: Vec<u8>,
        wait: Duration,
    ) -> Result<Message, Trouble> {
        let request = Request::new().payload(payload.into()).timeout(Some(wait));
        let request = match headers {
            Some(headers) => request.headers(headers),
            None => request,
        };
        self.send(subject, request, wait).await
    }

    /// One try of a request that a message of a stream answers. Those keep the subject that they were put at, so an inbox that is
    /// shared by all requests could not tell whose it is.
    pub(crate) async fn request_message(
        &self,
        subject: &str,
        payload: Vec<u8>,
        wait: Duration,
    ) -> Result<Message, Trouble> {
        let inbox = self.client.new_inbox();
        self.send(subject, Request::new().payload(payload.into()).timeout(Some(wait)).inbox(inbox), wait)
            .await
    }

    async fn send(&self, subject: &str, request: Request, wait: Duration) -> Result<Message, Trouble> {
        // What is sent while there is no connection waits in a queue, and would be carried out much later than anybody thinks.
        self.connected(wait).await?;
        let answered = async {
            self.client.send_request(subject.to_owned(), request).await.map_err(|error| match error.kind() {
                RequestErrorKind::TimedOut => Trouble::TimedOut,
                RequestErrorKind::NoResponders => Trouble::NoResponders,
                RequestErrorKind::MaxPayloadExceeded => Trouble::TooLarge,
                RequestErrorKind::InvalidSubject | RequestErrorKind::Other => {
                    Trouble::Other(error.to_string())
                }
            })
        };
        self.unless_refused(subject, answered).await
    }

    /// What is done, or the subject of the fleet's that is refused meanwhile; with `>` at its end, any that begins so.
    pub(crate) async fn unless_refused<T>(
        &self,
        subject: &str,
        doing: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let refused = self.news.refusal_of(subject);
        match select(pin!(doing), pin!(refused)).await {
            Either::Left((done, _)) => done,
            Either::Right((subject, _)) => Err(Trouble::NoPermission(subject)),
        }
    }

    async fn connected(&self, wait: Duration) -> Result<(), Trouble> {
        let deadline = Deadline::after(wait);
        while self.client.connection_state() != State::Connected {
            if deadline.is_over() {
                return Err(Trouble::Disconnected);
            }
            tokio::time::sleep(LOOKS.min(deadline.left())).await;
        }
        Ok(())
    }

    /// One question to JetStream itself: `STREAM.INFO.x`. Some may not say more than that.
    pub(crate) async fn ask_once<T: DeserializeOwned>(
        &self,
        what: &str,
        body: Option<&Value>,
        wait: Duration,
    ) -> Result<T, Trouble> {
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let answer = self.request(&format!("$JS.API.{what}"), None, body, wait).await?;
        read(&answer.payload)
    }

    /// The same until it is answered or the deadline is over. `name` is the stream or bucket that it is about.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        what: &str,
        body: Option<&Value>,
        about: About<'_>,
        deadline: Deadline,
    ) -> Result<T, FleetError> {
        until(deadline, || async {
            let tried = self.ask_once(what, body, ONE_TRY.min(deadline.left())).await;
            self.tried(tried, about, deadline)
        })
        .await
    }

    /// One try of putting a message into a stream.
    pub(crate) async fn put_once(
        &self,
        stream: &str,
        message: NewMessage<'_>,
        wait: Duration,
    ) -> Result<PublishAck, Trouble> {
        let NewMessage { subject, headers, payload } = message;
        match self.request(subject, Some(headers), payload.to_vec(), wait).await {
            Ok(answer) => read(&answer.payload),
            // Either there is no such stream, or it has no leader at the moment: its leader is the one who listens.
            Err(Trouble::NoResponders) => {
                let asked = self.ask_once::<Value>(&format!("STREAM.INFO.{stream}"), None, wait).await;
                Err(asked.err().filter(Trouble::is_no_stream).unwrap_or(Trouble::NoResponders))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// What a try means for whoever tries until a deadline.
    pub(crate) fn tried<T>(
        &self,
        tried: Result<T, Trouble>,
        about: About<'_>,
        deadline: Deadline,
    ) -> Tried<T, FleetError> {
        match tried {
            Ok(done) => Tried::Done(done),
            Err(trouble) if trouble.may_pass() => Tried::Again(self.explain(trouble, about, deadline)),
            Err(trouble) => Tried::Failed(self.explain(trouble, about, deadline)),
        }
    }

    /// The error that a trouble is for whoever wanted something.
    pub(crate) fn explain(&self, trouble: Trouble, about: About<'_>, deadline: Deadline) -> FleetError {
        let is_cut_off = trouble.is_silence() && self.client.connection_state() != State::Connected;
        let servers = || self.settings.servers();
        match self.news.locked_out() {
            Some(problem) if is_cut_off => FleetError::BadCredentials { servers: servers(), problem },
            None if is_cut_off => {
                FleetError::Unreachable { servers: servers(), problem: "the connection was lost".to_owned() }
            }
            _ => trouble.explain(about, deadline),
        }
    }
}

/// A message that is to be put into a stream.
pub(crate) struct NewMessage<'a> {
    pub(crate) subject: &'a str,
    pub(crate) headers: HeaderMap,
    pub(crate) payload: &'a [u8],
}

/// What a call is about, for its errors.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    /// As in `cannot …`.
    pub(crate) doing: &'a str,
    /// The stream or bucket that it needs.
    pub(crate) place: &'a str,
}

fn read<T: DeserializeOwned>(answer: &[u8]) -> Result<T, Trouble> {
    match serde_json::from_slice::<Response<T>>(answer) {
        Ok(Response::Ok(answer)) => Ok(answer),
        Ok(Response::Err { error }) => {
            Err(Trouble::Refused { code: error.error_code(), said: error.to_string() })
        }
        Err(error) => Err(Trouble::Garbled(error.to_string())),
    }
}

/// Something that nobody else has: by it one knows what one wrote oneself.
pub(crate) fn nonce() -> Result<String, FleetError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| FleetError::Runtime(std::io::Error::other(error.to_string())))?;
    Ok(hexadecimal(&bytes))
}

/// Two digits for each byte.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(half.into(), 16));
        }
        text
    })
}
