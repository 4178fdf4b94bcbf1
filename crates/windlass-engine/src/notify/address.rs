//! Where something is posted to.

use windlass_core::redact::percent_decoded;

use super::encoding::base64;

/// An address, with the credentials that stood in it apart. Shown nowhere: a path may be as secret as a password.
#[derive(Clone)]
pub(super) struct Address {
    /// Without user and password.
    pub url: String,
    /// The host's name.
    pub host: String,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
}

impl Address {
    /// Takes an address of the configuration apart. `None` when it is not an address of a web service.
    pub fn read(address: &str) -> Option<Address> {
        let (scheme, rest) = address.split_once("://")?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let (user, place) =
            authority.rsplit_once('@').map_or((None, authority), |(user, place)| (Some(user), place));
        let host = match place.strip_prefix('[') {
            Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
            None => place.split(':').next().unwrap_or_default(),
        };
        if host.is_empty() {
            return None;
        }
        let path = path.split('#').next().unwrap_or_default();
        let decoded = |user: &str| {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            format!(
                "Basic {}",
                base64(format!("{}:{}", percent_decoded(name), percent_decoded(password)).as_bytes())
            )
        };
        Some(Address {
            url: format!("{}://{place}{path}", scheme.to_ascii_lowercase()),
            host: host.to_ascii_lowercase(),
            authorization: user.map(decoded),
        })
    }

    /// Is it this machine?
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out() {
        let address = Address::read("HTTPS://me:p%40ss@Ntfy.example.org:8443/topic?auth=x#y").unwrap();
        assert_eq!(address.url, "https://Ntfy.example.org:8443/topic?auth=x");
        assert_eq!(address.host, "ntfy.example.org");
        assert_eq!(address.authorization.as_deref(), Some("Basic bWU6cEBzcw=="));
        assert!(!address.is_loopback());
    }

    #[test]
    fn this_machine_is_known_by_every_name() {
        for loopback in ["http://127.0.0.1:80/x", "http://[::1]:80", "http://localhost", "http://127.9.9.9"] {
            assert!(Address::read(loopback).unwrap().is_loopback(), "{loopback}");
        }
    }

    #[test]
    fn what_is_no_web_address_is_none() {
        for bad in ["", "ftp://x", "file:///etc", "https://", "x", "http://@/", "http://:80"] {
            assert!(Address::read(bad).is_none(), "{bad}");
        }
    }
}
