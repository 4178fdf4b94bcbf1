//! One HTTP GET, bounded in time and size.

use std::io::Read;
use std::time::Duration;

use ureq::{Agent, Error};

use super::UpdateError;
use crate::certificates;

/// Where releases are published, archives are often somewhere else. What comes is checked, wherever it came from.
const MOST_REDIRECTS: u32 = 5;

/// The body of what is at this address; at most `longest` bytes.
pub(super) fn get(url: &str, longest: u64, timeout: Duration) -> Result<Vec<u8>, UpdateError> {
    let failed = |why: String| UpdateError::Fetch { url: without_credentials(url), why };
    let config = Agent::config_builder()
        .tls_config(certificates::trusted().map_err(failed)?)
        .max_redirects(MOST_REDIRECTS)
        .timeout_global(Some(timeout))
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent: Agent = config.into();
    let response = agent.get(url).call().map_err(|error| failed(in_words(&error, timeout)))?;
    let promised =
        response.headers().get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    let mut bytes = Vec::new();
    let read = response.into_body().into_reader().take(longest + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(format!("it broke off: {error}")))?;
    let length = bytes.len() as u64;
    if length > longest {
        return Err(failed(format!("it is longer than {longest} bytes")));
    }
    if promised.is_some_and(|promised: u64| promised != length) {
        return Err(failed("it came incomplete".to_owned()));
    }
    Ok(bytes)
}

fn in_words(error: &Error, timeout: Duration) -> String {
    match error {
        Error::StatusCode(404) => "there is no such file".to_owned(),
        Error::StatusCode(status) => format!("the server answered {status}"),
        Error::Timeout(_) => format!("no answer within {} s", timeout.as_secs()),
        Error::HostNotFound => "the host's name is not known".to_owned(),
        other => certificates::explained(other).unwrap_or_else(|| other.to_string()),
    }
}

/// An address may hold a password.
fn without_credentials(url: &str) -> String {
    match url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.1))) {
        Some((scheme, rest)) => format!("{scheme}://{rest}"),
        None => url.to_owned(),
    }
}
