//! What a client asks a proxy for.

/// A request up to its empty line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The host: a name in lower case without a dot at its end, or an address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What the host is told, for a plain request; `None` = the client asked for a tunnel.
    pub forward: Option<Vec<u8>>,
}

/// Why a client is sent away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The answer's status.
    pub status: u16,
    /// One line.
    pub why: String,
}

impl Refusal {
    pub fn new(status: u16, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    fn malformed() -> Refusal {
        Refusal::new(400, "windlass: this is not a request to a proxy")
    }
}

/// Headers that are about the way to the proxy, and none of the host's business.
const FOR_THE_PROXY: [&str; 4] = ["connection", "proxy-connection", "proxy-authorization", "keep-alive"];

/// The longest name of a host.
const LONGEST_HOST: usize = 253;

/// Reads a request from its bytes, with the number of bytes that it takes; `None` while its end has not come.
pub fn read_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = bytes.get(..end).and_then(|head| str::from_utf8(head).ok()).ok_or_else(Refusal::malformed)?;
    // A lone line feed would be a line to some readers and none to others.
    let mut lines = text.split("\r\n");
    if text.split("\r\n").any(|line| line.contains(['\r', '\n', '\0'])) {
        return Err(Refusal::malformed());
    }
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::malformed());
    };
    let is_method =
        !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_method || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(Refusal::malformed());
    }
    let head = if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        Head { host, port, forward: None }
    } else {
        plain(method, target, version, lines)?
    };
    Ok(Some((head, end + 4)))
}

/// A request with a whole address: it is passed on with the path alone, for one answer.
fn plain<'a>(
    method: &str,
    target: &str,
    version: &str,
    headers: impl Iterator<Item = &'a str>,
) -> Result<Head, Refusal> {
    let (scheme, rest) = target.split_once("://").ok_or_else(Refusal::malformed)?;
    if !scheme.eq_ignore_ascii_case("http") {
        return Err(Refusal::malformed());
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (name, path) = rest.split_at(end);
    let (host, port) = authority(name, Some(80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut forward = format!("{method} {slash}{path} {version}\r\nHost: {name}\r\n");
    for header in headers {
        let (key, _) = header.split_once(':').ok_or_else(Refusal::malformed)?;
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if key.is_empty() || !key.bytes().all(is_token) {
            return Err(Refusal::malformed());
        }
        // The host is the one that was looked at, whatever the client says besides.
        let is_host = key.eq_ignore_ascii_case("host");
        if !is_host && !FOR_THE_PROXY.iter().any(|name| key.eq_ignore_ascii_case(name)) {
            forward.push_str(header);
            forward.push_str("\r\n");
        }
    }
    forward.push_str("Connection: close\r\n\r\n");
    Ok(Head { host, port, forward: Some(forward.into_bytes()) })
}

/// `host:port`, `address:port` or `[address]:port`.
fn authority(text: &str, usual: Option<u16>) -> Result<(String, u16), Refusal> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']').ok_or_else(Refusal::malformed)?;
            let address: std::net::Ipv6Addr = address.parse().map_err(|_| Refusal::malformed())?;
            (address.to_string(), port.strip_prefix(':').or(port.is_empty().then_some("")))
        }
        None => match text.split_once(':') {
            Some((name, port)) => (host(name)?, Some(port)),
            None => (host(text)?, Some("")),
        },
    };
    let port = match port.ok_or_else(Refusal::malformed)? {
        "" => usual,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        _ => None,
    };
    match port {
        Some(port) if port > 0 => Ok((host, port)),
        _ => Err(Refusal::malformed()),
    }
}

fn host(name: &str) -> Result<String, Refusal> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if name.is_empty() || name.len() > LONGEST_HOST || name.starts_with('.') || !name.bytes().all(plain) {
        return Err(Refusal::malformed());
    }
    Ok(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked(text: &str) -> Option<(String, u16, Option<String>)> {
        let (head, length) = read_head(text.as_bytes()).ok()??;
        assert_eq!(length, text.find("\r\n\r\n").unwrap() + 4);
        Some((head.host, head.port, head.forward.map(|bytes| String::from_utf8(bytes).unwrap())))
    }

    #[test]
    fn tunnels_and_plain_requests_are_read() {
        let tunnel = |text: &str| asked(&format!("CONNECT {text} HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert_eq!(tunnel("API.example.com:443"), Some(("api.example.com".into(), 443, None)));
        assert_eq!(tunnel("example.com.:8443"), Some(("example.com".into(), 8443, None)));
        assert_eq!(tunnel("[::1]:443"), Some(("::1".into(), 443, None)));
        let plain =
            asked("POST http://a.b:81/x?y HTTP/1.1\r\nHost: evil\r\nA: b\r\nProxy-Connection: x\r\n\r\nbody");
        let forward = "POST /x?y HTTP/1.1\r\nHost: a.b:81\r\nA: b\r\nConnection: close\r\n\r\n";
        assert_eq!(plain, Some(("a.b".into(), 81, Some(forward.to_owned()))));
        let bare = asked("GET http://a.b?q HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!(
            (bare.1, bare.2.unwrap().lines().next().unwrap().to_owned()),
            (80, "GET /?q HTTP/1.0".to_owned())
        );
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for text in [
            "CONNECT example.com HTTP/1.1",
            "CONNECT example.com:0 HTTP/1.1",
            "CONNECT example.com:70000 HTTP/1.1",
            "CONNECT example.com:+80 HTTP/1.1",
            "CONNECT user@example.com:443 HTTP/1.1",
            "CONNECT a.b:1:2 HTTP/1.1",
            "CONNECT [::1:443 HTTP/1.1",
            "CONNECT [a.b]:443 HTTP/1.1",
            "CONNECT :443 HTTP/1.1",
            "CONNECT ex\u{e4}mple.com:443 HTTP/1.1",
            "GET / HTTP/1.1",
            "GET https://a.b/ HTTP/1.1",
            "GET http://u:p@a.b/ HTTP/1.1",
            "GET http://a.b/ HTTP/2",
            "GET  http://a.b/ HTTP/1.1",
            "GET http://a.b/\nX: y HTTP/1.1",
            "GET http://a.b/ HTTP/1.1\r\nno colon",
            "GET http://a.b/ HTTP/1.1\r\n folded: x",
            "GET http://a.b/ HTTP/1.1\r\nA: b\nHost: c",
            "",
        ] {
            let said = read_head(format!("{text}\r\n\r\n").as_bytes());
            assert_eq!(said.map_err(|refusal| refusal.status), Err(400), "{text}");
        }
        assert_eq!(read_head(b"CONNECT a.b:1 HTTP/1.1\r\n"), Ok(None));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_head(&bytes);
        }

        #[test]
        fn no_host_holds_what_a_name_cannot(target in "[a-zA-Z0-9.:@/?#\\[\\]%_ -]{0,40}") {
            for text in [format!("CONNECT {target} HTTP/1.1\r\n\r\n"), format!("GET http://{target} HTTP/1.1\r\n\r\n")] {
                if let Ok(Some((head, _))) = read_head(text.as_bytes()) {
                    prop_assert!(head.host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte)));
                    prop_assert_eq!(head.host.to_ascii_lowercase(), head.host);
                    prop_assert!(head.port > 0);
                }
            }
        }
    }
}
