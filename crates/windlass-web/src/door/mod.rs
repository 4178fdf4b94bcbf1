//! Who comes in, and how far. Reading and acting are two rights:
//!
//! | asked | what it takes |
//! |---|---|
//! | anything | one `Host` that is allowed, before any route is looked for ([`host`]); nobody whom a run started |
//! | a page | the cookie of this browser ([`keyring`]) |
//! | to change anything | a POST of JSON with the page's own `Origin`, the cookie, and the key that only scripts of that origin have |
//! | figures | a token that is good for nothing else |

pub mod host;
pub mod keyring;

use std::net::SocketAddr;

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};

use host::Hosts;
use keyring::{Keyring, Session};

/// The header that carries a browser's key.
pub const KEY_HEADER: &str = "x-windlass-key";

/// Why somebody is not let in: what is answered, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The answer's status.
    pub status: StatusCode,
    /// Why.
    pub why: &'static str,
}

const fn refused(status: StatusCode, why: &'static str) -> Refusal {
    Refusal { status, why }
}

const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;

/// The page's door.
#[derive(Debug)]
pub struct Door {
    /// Names that the page may be asked for by.
    pub hosts: Hosts,
    /// Who was let in before.
    pub keyring: Keyring,
    /// Where it stands.
    pub local: SocketAddr,
}

impl Door {
    /// The host that is asked for; before any route is looked for.
    pub fn host<'a>(&self, parts: &'a Parts) -> Result<&'a str, Refusal> {
        let foreign = refused(FORBIDDEN, "this page is asked for by its own address, and by no other name");
        let host = the_only(&parts.headers, HOST.as_str()).ok_or_else(|| foreign.clone())?;
        // A request can name an address beside its header: then it is the same.
        let named = parts.uri.authority().map(axum::http::uri::Authority::as_str);
        let is_same = named.is_none_or(|named| named.eq_ignore_ascii_case(host));
        if is_same && self.hosts.allow(host) { Ok(host) } else { Err(foreign) }
    }

    /// Is it a request of the page itself that changes something: a POST of JSON, from its own origin?
    pub fn own_post(&self, parts: &Parts) -> Result<(), Refusal> {
        let host = self.host(parts)?;
        if parts.method != Method::POST {
            return Err(refused(StatusCode::METHOD_NOT_ALLOWED, "this is asked for by POST"));
        }
        let origin = the_only(&parts.headers, ORIGIN.as_str());
        if !origin.is_some_and(|origin| host::is_own_origin(origin, host)) {
            return Err(refused(FORBIDDEN, "only the page itself asks for this"));
        }
        let kind = the_only(&parts.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "what is asked is said as JSON"));
        }
        Ok(())
    }

    /// Who looks: whoever has the cookie of a browser that was let in.
    pub fn reader(&self, headers: &HeaderMap) -> Option<Session> {
        let name = self.cookie_name();
        let pairs = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        // Another server on this machine can have left a cookie of the same name: each is tried, a few at most.
        let mut ours = pairs.filter(|(key, _)| *key == name).take(4);
        ours.find_map(|(_, value)| self.keyring.session(value))
    }

    /// Who acts: whoever looks, and has the key of the same browser as well.
    pub fn actor(&self, parts: &Parts) -> Result<Session, Refusal> {
        self.own_post(parts)?;
        let stranger = refused(StatusCode::UNAUTHORIZED, "this browser was not let in, or too long ago");
        let session = self.reader(&parts.headers).ok_or(stranger)?;
        let key = the_only(&parts.headers, KEY_HEADER).unwrap_or_default();
        if session.is_opened_by(key) {
            Ok(session)
        } else {
            Err(refused(FORBIDDEN, "looking is not acting: the key of this browser is missing"))
        }
    }

    /// Who asks for figures.
    pub fn counter(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let token = the_only(headers, AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer "));
        if token.is_some_and(|token| self.keyring.counts(token)) {
            Ok(())
        } else {
            Err(refused(
                StatusCode::UNAUTHORIZED,
                "figures are told to whoever has their token: windlass web --metrics-token",
            ))
        }
    }

    /// The name of the cookie: ports do not part cookies, so it says the port.
    pub fn cookie_name(&self) -> String {
        format!("windlass-{}", self.local.port())
    }
}

/// A header that is there once and says something.
fn the_only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).into_iter();
    let (first, more) = (values.next()?, values.next());
    if more.is_some() { None } else { first.to_str().ok() }
}
