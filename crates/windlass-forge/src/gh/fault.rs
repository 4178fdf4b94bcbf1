//! What a call that failed means. Pure.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use windlass_core::redact::Redactor;
use windlass_core::values::Ended;
use windlass_host::process::Output;

use super::response::ApiResponse;
use crate::ForgeFault;
use crate::text::one_line;

/// The program, looked up in `PATH`.
pub(super) const PROGRAM: &str = "gh";

/// What it ends with where nobody is logged in.
const LOGGED_OUT: i32 = 4;

/// Which fault an answer is that is not a success, or a call without an answer.
pub(super) fn of(status: Option<u16>, answer: &ApiResponse<'_>, output: &Output) -> ForgeFault {
    let complaint = output.stderr.text();
    if output.ended == Ended::Exited(LOGGED_OUT) {
        return ForgeFault::LoggedOut;
    }
    let said = said(answer.body, &complaint);
    match status {
        Some(401) => ForgeFault::LoggedOut,
        Some(403 | 429) if is_limited(answer, &said) => limited(answer),
        Some(403) => ForgeFault::Forbidden(said),
        // Issues that are turned off are there for nobody.
        Some(410) if said.contains("disabled") => ForgeFault::Refused(said),
        Some(404 | 410) => ForgeFault::NotFound(said),
        Some(405 | 409 | 422) => ForgeFault::Refused(said),
        Some(500..) => ForgeFault::Unreachable(said),
        Some(status) => ForgeFault::Other(format!("status {status}: {said}")),
        None if complaint.contains("gh auth login") => ForgeFault::LoggedOut,
        None if is_of_the_network(&complaint) => ForgeFault::Unreachable(said),
        None if output.succeeded() => ForgeFault::Garbled(shape_of(&output.stdout.bytes)),
        None => ForgeFault::Other(said),
    }
}

/// The fault that an answer of GraphQL tells of; `None` where it tells of none.
pub(super) fn of_graphql(answer: &Value) -> Option<ForgeFault> {
    let errors = answer.get("errors")?.as_array()?;
    let first = errors.first()?;
    let said = clean(first.get("message").and_then(Value::as_str).unwrap_or("it does not say why"));
    Some(match first.get("type").and_then(Value::as_str).unwrap_or_default() {
        "NOT_FOUND" => ForgeFault::NotFound(said),
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ForgeFault::Forbidden(said),
        "RATE_LIMITED" | "RATE_LIMIT" => ForgeFault::RateLimited { reset: None, after: None },
        "UNPROCESSABLE" => ForgeFault::Refused(said),
        "SERVICE_UNAVAILABLE" | "INTERNAL" => ForgeFault::Unreachable(said),
        _ => ForgeFault::Other(said),
    })
}

/// The status that is named in a complaint: `gh: Not Found (HTTP 404)`.
pub(super) fn status_in(complaint: &str) -> Option<u16> {
    let (_, after) = complaint.rsplit_once("(HTTP ")?;
    after.split_once(')')?.0.parse().ok()
}

/// What to do about it.
pub(super) fn hint(fault: &ForgeFault, host: &str) -> String {
    match fault {
        ForgeFault::Missing { .. } => {
            format!("Install GitHub's command line program, `{PROGRAM}`, or leave out --pr")
        }
        ForgeFault::LoggedOut => format!("Log in: {PROGRAM} auth login --hostname {host}"),
        ForgeFault::Forbidden(_) => format!(
            "Look at what the login may do: {PROGRAM} auth status --hostname {host}; organisations may want it \
             authorised for single sign-on"
        ),
        ForgeFault::NotFound(_) => {
            "Name the repository with --owner and --repo, or log in as somebody who may see it".to_owned()
        }
        ForgeFault::RateLimited { .. } => format!("See when it answers again: {PROGRAM} api rate_limit"),
        ForgeFault::Unreachable(_) | ForgeFault::TimedOut(_) | ForgeFault::Garbled(_) => {
            format!("Look whether {host} can be reached, and a proxy on the way: {PROGRAM} api user")
        }
        ForgeFault::Refused(_) | ForgeFault::Other(_) => String::new(),
    }
}

/// What an answer is that is not JSON, in a few words.
pub(super) fn shape_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..4096).unwrap_or(body)).trim().to_ascii_lowercase();
    match text.chars().next() {
        None => "it is empty",
        Some('<') => "it is a web page, perhaps of a proxy or a login",
        Some('{' | '[') => "it is only a part of one",
        Some(_) => "it is text that nobody asked for",
    }
    .to_owned()
}

fn is_limited(answer: &ApiResponse<'_>, said: &str) -> bool {
    answer.status == 429
        || answer.header("x-ratelimit-remaining") == Some("0")
        || answer.header("retry-after").is_some()
        || said.to_ascii_lowercase().contains("rate limit")
}

fn limited(answer: &ApiResponse<'_>) -> ForgeFault {
    let number = |name: &str| answer.header(name)?.parse::<u32>().ok();
    let spent = answer.header("x-ratelimit-remaining") == Some("0");
    let reset = number("x-ratelimit-reset").filter(|_| spent);
    ForgeFault::RateLimited {
        reset: reset.and_then(|second| Timestamp::from_second(i64::from(second)).ok()),
        after: number("retry-after").map(|seconds| Duration::from_secs(u64::from(seconds))),
    }
}

fn is_of_the_network(complaint: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "dial ",
        "EOF",
        "connection re",
        "no such host",
        "i/o timeout",
        "tls:",
        "x509:",
        "network is unreachable",
        "error connecting to",
        "Client.Timeout",
    ];
    SIGNS.iter().any(|sign| complaint.contains(sign))
}

/// What the forge said: the message of its JSON with its details, or else what the program complained of.
fn said(body: &[u8], complaint: &str) -> String {
    let from_body = || {
        let answer: Value = serde_json::from_slice(body).ok()?;
        let message = answer.get("message")?.as_str()?.to_owned();
        let details = answer.get("errors").and_then(Value::as_array).into_iter().flatten();
        let details = details.filter_map(|error| error.get("message").unwrap_or(error).as_str());
        Some(details.fold(message, |said, detail| format!("{said}; {detail}")))
    };
    let text = from_body().unwrap_or_else(|| complaint.trim().to_owned());
    clean(if text.is_empty() { "it does not say why" } else { &text })
}

fn clean(text: &str) -> String {
    one_line(&Redactor::new().redact(text))
}
