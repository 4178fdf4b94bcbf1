//! What stands in addresses and headers of the page: ids, numbers, queries, hosts, origins, and what is asked of a run.

use windlass_web::{Cursor, Hosts, Ordinal, RunName, encoded, is_action, is_own_origin, query_value};

/// The only name that a person gave.
const GIVEN: &str = "desk.example.ts.net";

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let hosts = Hosts::with(&[GIVEN.to_owned()]);
    for line in text.lines() {
        names(line);
        query(line);
        if hosts.allow(line) {
            host(line);
        }
    }
    let (origin, host) = text.split_once('\n').unwrap_or((&text, ""));
    if is_own_origin(origin, host) {
        assert!(origin.starts_with("http") && origin.ends_with(host), "{origin:?} {host:?}");
    }
    // Whatever is asked is one of few things, or nothing.
    let _ = is_action(data);
}

fn names(text: &str) {
    if let Ok(RunName(run)) = text.parse::<RunName>() {
        assert!(run.0.starts_with("r-") && run.0.len() <= 40, "{run}");
        assert!(
            run.0.bytes().skip(2).all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
            "{run}"
        );
        assert_eq!(run.0, text);
    }
    if let Ok(Ordinal(number)) = text.parse::<Ordinal>() {
        assert!(number > 0 && text.trim_start_matches('0') == number.to_string(), "{text:?}");
    }
    if let Ok(Cursor(place)) = text.parse::<Cursor>() {
        assert!(text.bytes().all(|byte| byte.is_ascii_digit()), "{text:?}");
        assert_eq!(text.parse(), Ok(place));
    }
}

fn query(text: &str) {
    for name in ["q", "from", "before", "at", "d", ""] {
        let Some(value) = query_value(text, name) else { continue };
        let again = format!("x=1&{name}={}", encoded(&value));
        assert_eq!(query_value(&again, name), Some(value), "{text:?}");
    }
}

fn host(text: &str) {
    assert!(!text.contains(|letter: char| letter.is_whitespace() || "/@?#%\\,".contains(letter)), "{text:?}");
    let name = match text.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => text.split(':').next().unwrap_or_default(),
    };
    let is_address = name.parse::<std::net::IpAddr>().is_ok();
    let is_known = [GIVEN, "localhost"].iter().any(|known| known.eq_ignore_ascii_case(name));
    assert!(is_address || is_known, "{text:?}");
}
