//! Answers, and what every one of them forbids a browser.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use maud::Markup;
use serde::Serialize;
use windlass_app::{AppError, Kind};

use crate::door::Refusal;

/// An answer.
pub type Response = axum::http::Response<Body>;

/// What a browser may do with a page: run this program's script, use its styles, talk to it; nothing from elsewhere, nothing that
/// stands in the page itself, and in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Puts on an answer what stands on all, whatever it is.
pub fn sealed(mut answer: Response) -> Response {
    let everywhere = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    let headers = answer.headers_mut();
    for (name, value) in everywhere {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

/// A body of this type.
pub fn with_body(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut answer = axum::http::Response::new(body.into());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// A page.
pub fn page(status: StatusCode, markup: Markup) -> Response {
    with_body(status, "text/html; charset=utf-8", markup.into_string())
}

/// A sentence.
pub fn text(status: StatusCode, sentence: impl Into<String>) -> Response {
    with_body(status, "text/plain; charset=utf-8", sentence.into())
}

/// Bytes as an agent wrote them: nothing that a browser shows, whatever they are.
pub fn attachment(name: &str, bytes: Vec<u8>) -> Response {
    let mut answer = with_body(StatusCode::OK, "text/plain; charset=utf-8", bytes);
    // Names are made of ids and numbers.
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let value = value.unwrap_or(HeaderValue::from_static("attachment"));
    answer.headers_mut().insert(CONTENT_DISPOSITION, value);
    answer
}

/// A value for the page's script.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => with_body(status, "application/json", bytes),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

/// Why somebody is not let in.
pub fn refusal(Refusal { status, why }: Refusal) -> Response {
    text(status, format!("{why}\n"))
}

/// What an error of the application is in the words of HTTP.
pub const fn status_of(error: &AppError) -> StatusCode {
    match error.kind {
        Kind::Usage | Kind::Configuration => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Stopped(..) => StatusCode::CONFLICT,
        Kind::System | Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
