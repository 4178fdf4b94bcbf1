//! What a guest of a sandbox asks its proxy for. What is passed on must be one request to the host that was looked at.

use windlass_engine::testing::proxy_request;

pub(crate) fn run(data: &[u8]) {
    let read = match proxy_request(data) {
        Ok(read) => read,
        Err((status, why)) => {
            assert!((400..600).contains(&status), "{status}");
            assert!(!why.trim().is_empty() && !why.contains(char::is_control), "{why:?}");
            return;
        }
    };
    let Some(request) = read else { return };
    let (head, body) = data.split_at_checked(request.length).unwrap_or_default();
    assert!(head.ends_with(b"\r\n\r\n"), "it ends elsewhere");
    assert_eq!(
        proxy_request(head).ok().flatten().as_ref(),
        Some(&request),
        "it matters what follows: {body:?}"
    );
    let begun = head.get(..head.len() - 1).unwrap_or_default();
    assert_eq!(proxy_request(begun), Ok(None), "it is taken before its end has come");
    assert!(request.port > 0 && !request.host.is_empty());
    assert!(!request.host.contains(|letter: char| letter.is_whitespace() || letter.is_uppercase()));
    if let Some(forward) = &request.forward {
        check_forwarded(&String::from_utf8_lossy(forward), &request.host);
    }
}

fn check_forwarded(text: &str, host: &str) {
    assert_eq!(text.matches("\r\n\r\n").count(), 1, "more than one request: {text:?}");
    let head = text.strip_suffix("\r\n\r\n");
    let mut lines = head.unwrap_or_default().split("\r\n");
    let first = lines.next().unwrap_or_default();
    assert_eq!(first.split(' ').count(), 3, "{first:?}");
    assert!(first.split(' ').nth(1).is_some_and(|path| path.starts_with('/')), "{first:?}");
    let mut hosts = 0;
    for line in lines {
        assert!(!line.contains(['\r', '\n', '\0']) && line.contains(':'), "{line:?}");
        let (name, value) = line.split_once(':').unwrap_or_default();
        assert!(
            !name.eq_ignore_ascii_case("proxy-authorization"),
            "what is for the proxy alone goes on: {text:?}"
        );
        if name.eq_ignore_ascii_case("host") {
            hosts += 1;
            let value = value.trim().to_ascii_lowercase();
            let named = value.trim_start_matches('[').split([']', ':']).next().unwrap_or_default();
            let is_it = value.starts_with('[') || named.trim_end_matches('.') == host;
            assert!(is_it, "another host is told: {value} instead of {host}");
        }
    }
    assert_eq!(hosts, 1, "{text:?}");
}
