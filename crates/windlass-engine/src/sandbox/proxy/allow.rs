//! Which hosts may be reached.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Hosts that may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    exact: BTreeSet<String>,
    /// With the dot before them.
    below: Vec<String>,
}

impl Allowed {
    /// From names and `*.name`, in lower case.
    pub fn new(hosts: &[String]) -> Allowed {
        let below = hosts.iter().filter_map(|host| host.strip_prefix('*')).map(str::to_owned).collect();
        let exact = hosts.iter().filter(|host| !host.starts_with('*')).cloned().collect();
        Allowed { exact, below }
    }

    /// Is the host among them, by itself or below one?
    pub fn names(&self, host: &str) -> bool {
        self.names_itself(host)
            // An address is below nothing.
            || (host.parse::<IpAddr>().is_err()
                && self.below.iter().any(|end| host.len() > end.len() && host.ends_with(end.as_str())))
    }

    /// Is the host among them by itself?
    pub fn names_itself(&self, host: &str) -> bool {
        self.exact.contains(host)
    }
}

/// Is it an address of somebody else, out in the world?
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        // Shared by a provider's customers; for protocols; for measuring.
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && (second == 18 || second == 19)))
}

/// The address of version 4 that one of version 6 stands for.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let at = |place: usize| {
        let high = segments.get(place).copied().unwrap_or_default().to_be_bytes();
        let low = segments.get(place + 1).copied().unwrap_or_default().to_be_bytes();
        Ipv4Addr::new(high[0], high[1], low[0], low[1])
    };
    match segments {
        // ::a.b.c.d, where `::` and `::1` are none; ::ffff:a.b.c.d; 64:ff9b::a.b.c.d.
        [0, 0, 0, 0, 0, 0, high, _] if high != 0 => Some(at(6)),
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(at(6)),
        // 2002:aabb:ccdd::
        [0x2002, ..] => Some(at(1)),
        _ => None,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // What is given out to the world begins with 2 or 3.
    let first = address.segments()[0];
    (0x2000..0x4000).contains(&first) && !(first == 0x2001 && address.segments()[1] == 0xdb8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_allowed_by_name_or_below_one() {
        let hosts = ["api.anthropic.com", "*.example.org", "127.0.0.1", "*.0.0.2"].map(str::to_owned);
        let allowed = Allowed::new(&hosts);
        for host in ["api.anthropic.com", "a.example.org", "a.b.example.org", "127.0.0.1"] {
            assert!(allowed.names(host), "{host}");
        }
        for host in [
            "anthropic.com",
            "x.api.anthropic.com",
            "example.org",
            ".example.org",
            "badexample.org",
            "api.anthropic.com.evil.org",
            "127.0.0.2",
            "::1",
            "",
        ] {
            assert!(!allowed.names(host), "{host}");
        }
    }

    #[test]
    fn addresses_within_are_told_from_those_of_the_world() {
        for within in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "0.1.2.3",
            "255.255.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "::127.0.0.1",
        ] {
            assert!(!is_public(within.parse().unwrap()), "{within}");
        }
        for outside in [
            "1.1.1.1",
            "160.79.104.10",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1",
            "2001:4860::8888",
            "::ffff:1.1.1.1",
        ] {
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }
}
