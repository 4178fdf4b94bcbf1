//! Decodes what Codex prints: events of `codex exec --json`, and messages of `codex app-server`.

use windlass_core::observation::Observation;

use super::event::{Failure, Line};
use super::item::{Items, TEXT, Whose, tokens};
use super::messages::Server;
use super::prose;
use crate::answer::object_at_end;
use crate::decoding::{Out, garbage, whole_line};
use crate::ending::AUTHENTICATION_FAILED;
use crate::json::{self, Field};
use crate::{Activity, Decoder, Detail, Digest, ResultDigest, Sink};

/// How a retry is told.
pub(super) const RETRY: &str = "Reconnecting... ";

/// So many characters of why a request is tried again.
const CAUSE: usize = 200;

/// The kind of failure where the turn ended well, as it says, and nothing was said.
pub(super) const EMPTY: &str = "empty";

/// Decodes the lines of one call, in their order.
#[derive(Debug, Default)]
pub(super) struct CodexDecoder {
    items: Items,
    server: Server,
}

impl Decoder for CodexDecoder {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let Some(text) = whole_line(line) else { return };
        let mut out = Out { detail, sink };
        let known: Line<'_> = json::object(Some(&text)).unwrap_or_default();
        if known.method.is_some() || known.id.is_some() {
            return self.server.heard(&known, &mut self.items, &mut out);
        }
        if known.kind.is_none() {
            return garbage(&text, line.len(), &mut out);
        }
        match &*json::word(known.kind) {
            "thread.started" => {
                out.digest(Digest::Started { model: String::new() });
                out.activity(Activity::Starting);
            }
            "turn.started" => out.activity(Activity::Thinking),
            "item.started" => self.items.began(known.item, Whose::Own, &mut out),
            "item.completed" => self.items.ended(known.item, Whose::Own, &mut out),
            // All that is no retry comes again with the turn's end.
            "error" => drop(retried(&json::word(known.message), &mut out)),
            "turn.completed" => {
                let text = std::mem::take(&mut self.items.text);
                out.result(ResultDigest { tokens: tokens(known.usage), ..of_words(text) });
            }
            "turn.failed" => out.result(failed("failed", known.error)),
            _ => {}
        }
    }
}

/// The result of a turn that ended well, as it says, by its last words.
pub(super) fn of_words(text: String) -> ResultDigest {
    // Nothing at all is what a refusal looks like, and an answer that was lost.
    let is_error = text.trim().is_empty();
    ResultDigest {
        is_error,
        subtype: if is_error { EMPTY } else { "success" }.to_owned(),
        structured: object_at_end(&text),
        text,
        ..ResultDigest::default()
    }
}

/// The result of one that failed.
pub(super) fn failed(kind: &str, failure: Field<'_>) -> ResultDigest {
    let failure: Failure<'_> = json::object(failure).unwrap_or_default();
    ResultDigest {
        is_error: true,
        subtype: kind.to_owned(),
        text: json::tail(failure.message, TEXT).unwrap_or_default(),
        ..ResultDigest::default()
    }
}

/// `Reconnecting... 1/2 (cause)`; `None` where nothing is tried again.
fn retried(message: &str, out: &mut Out<'_>) -> Option<()> {
    let rest = message.strip_prefix(RETRY)?;
    let (count, cause) = rest.split_once(" (").unwrap_or((rest, ""));
    retry(count, cause.strip_suffix(')').unwrap_or(cause), prose::status(cause), out);
    Some(())
}

/// A request is tried again: `1/2`, and why.
pub(super) fn retry(count: &str, cause: &str, status: Option<u16>, out: &mut Out<'_>) {
    let (attempt, attempts) = count.split_once('/').unwrap_or_default();
    let error = if matches!(status, Some(401 | 403)) { AUTHENTICATION_FAILED } else { cause };
    out.digest(Digest::Retry { status, error: error.chars().take(CAUSE).collect() });
    out.activity(Activity::Retrying);
    out.observe(|| Observation::Retrying {
        attempt: attempt.parse().unwrap_or(0),
        max_attempts: attempts.parse().unwrap_or(0),
        delay_ms: 0,
        status,
        error: cause.to_owned(),
    });
}
