//! By which names the page is asked for.
//!
//! A page of a stranger can make its own name mean this machine, and then talk to whatever listens there. It cannot make a browser
//! send another name than its own. So names that nobody can own are allowed (addresses, `localhost`), and those that a person gave.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Names that the page may be asked for by.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    given: Vec<String>,
}

impl Hosts {
    /// Addresses, `localhost`, and these.
    pub fn with(given: &[String]) -> Hosts {
        Hosts { given: given.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// May it be asked for so: `NAME`, `NAME:PORT`, `[ADDRESS]:PORT`?
    pub fn allow(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let name = name.to_ascii_lowercase();
        if let Some(address) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            return address.parse::<Ipv6Addr>().is_ok();
        }
        name == "localhost" || name.parse::<Ipv4Addr>().is_ok() || self.given.contains(&name)
    }
}

/// Without its port, which is digits.
fn name_of(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at_checked(end)?;
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok() && !port.starts_with('+'));
    (is_port && !name.is_empty()).then_some(name)
}

/// Does a page that was asked for by this name come from this origin? Behind a proxy of the person's its scheme is `https`.
pub fn is_own_origin(origin: &str, host: &str) -> bool {
    let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    place.is_some_and(|place| place == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_somebody_else_can_own_are_foreign() {
        let hosts = Hosts::with(&["Desk.tail1.ts.net".to_owned()]);
        for host in [
            "127.0.0.1",
            "127.0.0.1:8417",
            "localhost",
            "LOCALHOST:1",
            "[::1]:8417",
            "192.168.1.4:80",
            "[fd00::1]",
            "desk.tail1.ts.net",
            "desk.tail1.ts.net:443",
        ] {
            assert!(hosts.allow(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "evil.example:8417",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost.",
            "127.0.0.1:8417:1",
            "127.0.0.1:port",
            "127.0.0.1:99999",
            "127.0.0.1:+80",
            "[::1",
            "[evil]",
            "::1",
            "a@127.0.0.1",
            "127.0.0.1 ",
            "0x7f.1",
            "2130706433",
            "desk.tail1.ts.net.evil.example",
            "[::1]x",
        ] {
            assert!(!hosts.allow(host), "{host}");
        }
    }

    #[test]
    fn an_origin_is_the_page_s_own_or_it_is_foreign() {
        assert!(is_own_origin("http://127.0.0.1:8417", "127.0.0.1:8417"));
        assert!(is_own_origin("https://desk.ts.net", "desk.ts.net"));
        for origin in [
            "",
            "null",
            "http://127.0.0.1",
            "http://127.0.0.1:8418",
            "http://localhost:8417",
            "127.0.0.1:8417",
            "http://127.0.0.1:8417/",
            "http://127.0.0.1:8417.evil.example",
            "ftp://127.0.0.1:8417",
        ] {
            assert!(!is_own_origin(origin, "127.0.0.1:8417"), "{origin}");
        }
    }
}
