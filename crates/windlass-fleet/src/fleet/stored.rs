//! Messages that a stream holds, read one by one from its leader.
//!
//! Nobody who only reads needs the permission to make a consumer for it: whoever may make one can have the server send what the
//! stream holds to any subject.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use super::{Line, Trouble};

/// A stream.
pub(crate) struct Stored<'a> {
    pub(crate) line: &'a Line,
    pub(crate) stream: &'a str,
}

/// A message of a stream.
pub(crate) struct Found {
    pub(crate) sequence: u64,
    headers: Vec<u8>,
    pub(crate) payload: Vec<u8>,
}

impl Found {
    /// By which it would be known if it came again.
    pub(crate) fn message_id(&self) -> Option<&str> {
        self.header(NATS_MESSAGE_ID.as_ref())
    }

    /// The value of a header; they are written as in HTTP.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = std::str::from_utf8(&self.headers).ok()?;
        let mut named = headers.lines().skip(1).filter_map(|line| line.split_once(':'));
        named.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

#[derive(Deserialize)]
struct Answer {
    message: Raw,
}

#[derive(Deserialize)]
struct Raw {
    seq: u64,
    #[serde(default)]
    hdrs: String,
    #[serde(default)]
    data: String,
}

impl Stored<'_> {
    /// The last message of a subject; `None` where it has none.
    pub(crate) async fn newest(&self, subject: &str, wait: Duration) -> Result<Option<Found>, Trouble> {
        self.get(&json!({ "last_by_subj": subject }), wait).await
    }

    /// The first message of a subject whose sequence is not below this one.
    pub(crate) async fn next(
        &self,
        subject: &str,
        from: u64,
        wait: Duration,
    ) -> Result<Option<Found>, Trouble> {
        self.get(&json!({ "seq": from, "next_by_subj": subject }), wait).await
    }

    async fn get(&self, which: &serde_json::Value, wait: Duration) -> Result<Option<Found>, Trouble> {
        let what = format!("STREAM.MSG.GET.{}", self.stream);
        let raw = match self.line.ask_once::<Answer>(&what, Some(which), wait).await {
            Ok(answer) => answer.message,
            Err(trouble) if trouble.is_no_message() => return Ok(None),
            Err(trouble) => return Err(trouble),
        };
        let decoded = |text: &str| STANDARD.decode(text).map_err(|error| Trouble::Garbled(error.to_string()));
        Ok(Some(Found { sequence: raw.seq, headers: decoded(&raw.hdrs)?, payload: decoded(&raw.data)? }))
    }
}

/// Headers for a message that is only written if the newest of its subject is this one; 0: if there is none.
pub(crate) fn only_after(sequence: u64) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        async_nats::header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE,
        async_nats::HeaderValue::from(sequence),
    );
    headers
}
