//! One HTTP POST: bounded in time and size, to the address that was given and nowhere else.

use std::io::{self, Read};
use std::time::Duration;

use ureq::{Agent, Error, Proxy};

use super::address::Address;
use super::parcel::Parcel;
use super::{SinkAnswer, SinkOutcome};
use crate::certificates;

/// How much of a refusal is read, in bytes.
const LONGEST_REFUSAL: u64 = 1024;

/// The longest headers that an answer may have, in bytes.
const LONGEST_HEADERS: usize = 32 * 1024;

/// The longest time that a service can ask to be left alone for.
const LONGEST_REST: Duration = Duration::from_mins(1);

/// Posts a parcel. Redirects are not followed: an address that has moved should be changed where it is configured, and
/// a signed message goes to nobody else.
pub(super) fn post(address: &Address, parcel: &Parcel, timeout: Duration) -> SinkAnswer {
    let agent = match agent(address, timeout) {
        Ok(agent) => agent,
        Err(why) => {
            return SinkAnswer { outcome: SinkOutcome::Refused, status: None, detail: super::one_line(&why) };
        }
    };
    let mut request = agent.post(&address.url);
    for (name, value) in &parcel.headers {
        request = request.header(*name, value);
    }
    match request.send(parcel.body.as_bytes()) {
        Ok(response) => answered(address, response),
        Err(error) => unanswered(&error, timeout),
    }
}

fn agent(address: &Address, timeout: Duration) -> Result<Agent, String> {
    // The usual variables (HTTPS_PROXY, NO_PROXY …) say which proxy there is; none stands before this machine.
    let proxy = if address.is_loopback() { None } else { Proxy::try_from_env() };
    let config = Agent::config_builder()
        .tls_config(certificates::trusted()?)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(LONGEST_HEADERS)
        .max_idle_connections(0)
        .timeout_global(Some(timeout))
        .proxy(proxy)
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        .build();
    Ok(config.into())
}

fn answered(address: &Address, response: ureq::http::Response<ureq::Body>) -> SinkAnswer {
    let status = response.status().as_u16();
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (outcome, detail) = match status {
        200..=299 => (SinkOutcome::Accepted, String::new()),
        300..=399 => {
            let host = header("location").and_then(|to| Address::read(&to)).map(|to| to.host);
            let to = match host {
                Some(host) if host != address.host => format!("to {host}"),
                _ => "elsewhere".to_owned(),
            };
            (
                SinkOutcome::Refused,
                format!("redirected {to}; redirects are not followed, configure the address it leads to"),
            )
        }
        429 | 500..=599 => {
            let rest =
                header("retry-after").and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
            (SinkOutcome::TryAgain(rest.map(|rest| rest.min(LONGEST_REST))), refusal(response))
        }
        _ => (SinkOutcome::Refused, refusal(response)),
    };
    SinkAnswer { outcome, status: Some(i32::from(status)), detail }
}

/// What the service says of why, on one line.
fn refusal(response: ureq::http::Response<ureq::Body>) -> String {
    let mut bytes = Vec::new();
    // What cannot be read says nothing; the status stands.
    let _ = response.into_body().into_reader().take(LONGEST_REFUSAL).read_to_end(&mut bytes);
    super::one_line(&String::from_utf8_lossy(&bytes))
}

fn unanswered(error: &Error, timeout: Duration) -> SinkAnswer {
    if let Some(detail) = certificates::explained(error) {
        return SinkAnswer { outcome: SinkOutcome::Refused, status: None, detail };
    }
    let again = SinkOutcome::TryAgain(None);
    let (outcome, detail) = match error {
        Error::Timeout(_) => (again, format!("no answer within {} s", timeout.as_secs_f32())),
        Error::HostNotFound => (again, "the host's name is not known".to_owned()),
        Error::ConnectionFailed => (again, "no connection".to_owned()),
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            (again, "the connection is refused: nobody listens there".to_owned())
        }
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            (again, format!("no answer within {} s", timeout.as_secs_f32()))
        }
        Error::Io(error) => (again, error.to_string()),
        Error::Tls(_) | Error::Rustls(_) => (SinkOutcome::Refused, format!("TLS: {error}")),
        Error::BadUri(_) | Error::Http(_) | Error::InvalidProxyUrl => {
            (SinkOutcome::Refused, "it cannot be posted to: address or proxy are not understood".to_owned())
        }
        other => (again, other.to_string()),
    };
    SinkAnswer { outcome, status: None, detail: super::one_line(&detail) }
}
