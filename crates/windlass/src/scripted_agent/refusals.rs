//! How the API refuses: usage limits, errors by status, retries; the fields are those of recorded cases.

use std::io::Write;
use std::thread;
use std::time::Duration;

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value, json};

use super::steps::{ApiError, CallResult, LimitNotice, Retry, TokenCounts, UsageLimit};
use super::stream::Stream;

/// What Claude Code makes of a status.
struct Meaning {
    /// How it marks its message.
    error: &'static str,
    /// `api_error_type`.
    kind: &'static str,
    /// `api_error`; empty for most.
    api_error: &'static str,
    /// What `api_retry` calls it.
    retry: &'static str,
    /// What it says.
    text: &'static str,
}

const fn meaning(status: u16) -> Meaning {
    let (error, kind, retry, text) = match status {
        0 => (
            "server_error",
            "",
            "unknown",
            "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
        ),
        401 => (
            "authentication_failed",
            "authentication_error",
            "authentication_failed",
            "Invalid API key · Fix external API key",
        ),
        403 => (
            "authentication_failed",
            "permission_error",
            "authentication_failed",
            "Failed to authenticate. API Error: 403 Your account does not have permission.",
        ),
        404 => (
            "model_not_found",
            "not_found_error",
            "unknown",
            "There's an issue with the selected model. It may not exist or you may not have access to it.",
        ),
        429 => (
            "rate_limit",
            "rate_limit_error",
            "rate_limit",
            "API Error: Request rejected (429) · This request would exceed your account's rate limit.",
        ),
        529 => (
            "server_error",
            "overloaded_error",
            "overloaded",
            "API Error: 529 Overloaded. This is a server-side issue, usually temporary.",
        ),
        500..=599 => (
            "server_error",
            "api_error",
            "server_error",
            "API Error: 500 Internal server error. This is a server-side issue, usually temporary.",
        ),
        _ => ("unknown", "invalid_request_error", "unknown", "API Error: the request was refused"),
    };
    let api_error = if status == 0 { "connection_failed" } else { "" };
    Meaning { error, kind, api_error, retry, text }
}

/// The agent speaks of usage limits and goes on.
pub fn limit_notice<W: Write>(stream: &mut Stream<W>, notice: &LimitNotice) {
    stream.event(json!({"type": "rate_limit_event", "rate_limit_info": {
        "status": notice.status, "resetsAt": seconds_from_now(notice.resets_in), "rateLimitType": notice.window,
        "utilization": notice.utilization, "overageStatus": if notice.overage { "allowed" } else { "rejected" },
        "isUsingOverage": notice.overage,
    }}));
}

/// A usage limit refuses the call.
pub fn usage_limit<W: Write>(stream: &mut Stream<W>, limit: &UsageLimit) {
    let resets_at = limit.resets_in.map(seconds_from_now);
    let mut info = json!({
        "status": "rejected", "rateLimitType": limit.window, "overageStatus": "rejected",
        "overageDisabledReason": "org_level_disabled", "isUsingOverage": false,
    });
    if let (Some(fields), Some(at)) = (info.as_object_mut(), resets_at) {
        fields.insert("resetsAt".to_owned(), json!(at));
    }
    stream.event(json!({"type": "rate_limit_event", "rate_limit_info": info}));
    let window = match limit.window.as_str() {
        "five_hour" => "5-hour",
        "seven_day" => "weekly",
        other => other,
    };
    let resets =
        resets_at.and_then(clock_time).map(|time| format!(" · resets {time} (UTC)")).unwrap_or_default();
    let text = format!("You've hit your {window} limit{resets}");
    let refusal = Refusal {
        status: Some(429),
        kind: "rate_limit_error",
        error: "rate_limit",
        api_error: "usage_limit_reached",
        params: json!({"rate_limit_info": info}),
        text: &text,
        terminal_reason: "api_error",
        cost: 0.0,
    };
    refuse(stream, &refusal);
}

/// The agent retries a request.
pub fn retry<W: Write>(stream: &mut Stream<W>, retry: &Retry) {
    for attempt in 1..=retry.count {
        stream.event(json!({
            "type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 10,
            "retry_delay_ms": u64::try_from(retry.delay.as_millis()).unwrap_or(u64::MAX),
            "error_status": some_status(retry.status), "error": meaning(retry.status).retry,
        }));
        stream.flush();
        if retry.wait {
            thread::sleep(retry.delay);
        }
    }
}

/// The API refuses for good.
pub fn api_error<W: Write>(stream: &mut Stream<W>, step: &ApiError) {
    let meaning = meaning(step.status);
    let refusal = Refusal {
        status: some_status(step.status),
        kind: meaning.kind,
        error: step.error.as_deref().unwrap_or(meaning.error),
        api_error: meaning.api_error,
        params: Value::Null,
        text: step.message.as_deref().unwrap_or(meaning.text),
        terminal_reason: &step.terminal_reason,
        cost: step.cost,
    };
    refuse(stream, &refusal);
}

/// What a refused call prints last.
struct Refusal<'a> {
    status: Option<u16>,
    kind: &'a str,
    error: &'a str,
    api_error: &'a str,
    params: Value,
    text: &'a str,
    terminal_reason: &'a str,
    cost: f64,
}

fn refuse<W: Write>(stream: &mut Stream<W>, refusal: &Refusal<'_>) {
    let mut marks = Map::new();
    if let Some(status) = refusal.status {
        marks.insert("api_error_status".to_owned(), json!(status));
    }
    for (name, value) in [("api_error_type", refusal.kind), ("api_error", refusal.api_error)] {
        if !value.is_empty() {
            marks.insert(name.to_owned(), json!(value));
        }
    }
    let mut message = json!({
        "type": "assistant", "parent_tool_use_id": null, "error": refusal.error, "is_api_error_message": true,
        "message": {
            "id": "msg_refusal", "type": "message", "role": "assistant", "model": "<synthetic>",
            "content": [{"type": "text", "text": refusal.text}], "stop_reason": "stop_sequence",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        },
    });
    if let Some(fields) = message.as_object_mut() {
        fields.extend(marks.clone());
        if !refusal.params.is_null() {
            fields.insert("api_error_params".to_owned(), refusal.params.clone());
        }
    }
    stream.event(message);
    marks.insert("terminal_reason".to_owned(), json!(refusal.terminal_reason));
    marks.insert("result".to_owned(), json!(refusal.text));
    // Claude Code calls a refused request a success that is an error; only `is_error` tells.
    let outcome = CallResult {
        subtype: "success".to_owned(),
        is_error: Some(true),
        cost: refusal.cost,
        tokens: TokenCounts { input: 0, output: 0, cache_creation: 0, cache_read: 0 },
        ..CallResult::default()
    };
    stream.end(&outcome, marks);
}

const fn some_status(status: u16) -> Option<u16> {
    if status == 0 { None } else { Some(status) }
}

/// The moment `after` from now in whole seconds since 1970, rounded up: the limit is over when it says so.
fn seconds_from_now(after: Duration) -> i64 {
    let now = Timestamp::now();
    let millis = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    let at = now.as_millisecond().saturating_add(millis);
    at.div_euclid(1_000) + i64::from(at.rem_euclid(1_000) > 0)
}

/// `9:12pm`.
fn clock_time(seconds: i64) -> Option<String> {
    let time = Timestamp::from_second(seconds).ok()?.to_zoned(TimeZone::UTC);
    Some(time.strftime("%-I:%M%P").to_string())
}
