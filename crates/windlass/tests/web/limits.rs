//! Slow browsers, many browsers, large requests: each has its bound, and the page stays.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, Page, Visitor, eventually, finished, patient};

fn stream(visitor: &Visitor<'_>, path: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(visitor.page.at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", visitor.page.at, visitor.cookie);
    stream.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 512];
    let read = stream.read(&mut first).unwrap_or(0);
    (stream, String::from_utf8_lossy(&first[..read]).into_owned())
}

/// Reads until this is said.
fn until(stream: &mut TcpStream, said: &mut String, what: &str) -> bool {
    let mut piece = [0; 4096];
    while !said.contains(what) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return false,
            Ok(read) => said.push_str(&String::from_utf8_lossy(&piece[..read])),
        }
    }
    true
}

// attack(page): forty connections begin a request and never end it
// holds: they are closed, and the page answers
#[test]
fn whoever_says_nothing_is_not_waited_for() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    // Many that begin and do not end: more than there are places.
    let mut slow: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(page.at).unwrap()).collect();
    for one in &mut slow {
        let _ = one.write_all(b"GET / HTTP/1.1\r\nhost: ");
    }
    assert_eq!(visitor.get("/").status, 200, "they go, and the page answers");
    for mut one in slow {
        one.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut rest = Vec::new();
        let _ = one.read_to_end(&mut rest);
        assert!(
            rest.is_empty() || String::from_utf8_lossy(&rest).starts_with("HTTP/1.1 40"),
            "closed, with nothing shown"
        );
    }
}

// attack(page): a body of 70 kB, an endless head, a body that never comes, bytes that are no HTTP
// holds: refused, and the page answers
#[test]
fn what_is_too_large_is_refused() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let long = "x".repeat(70 * 1024);
    let action = format!("{{\"do\":\"reopen\",\"task\":\"{long}\"}}");
    assert_eq!(visitor.act(&run, &action, 1, "0123456789abcdef").status, 400);
    let head = format!("GET /{long} HTTP/1.1\r\nhost: {}\r\n\r\n", page.at);
    assert!([0, 400, 414, 431].contains(&page.raw(head.as_bytes()).status));
    let head = format!("GET / HTTP/1.1\r\nhost: {}\r\nx: {long}\r\n\r\n", page.at);
    assert!([0, 400, 431].contains(&page.raw(head.as_bytes()).status));
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ] {
        assert!([0, 400, 403, 505].contains(&page.raw(bytes).status), "{bytes:?}");
    }
    // A body that is announced and does not come.
    let begun = Instant::now();
    let half = format!(
        "POST /session HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{{",
        page.at
    );
    assert_eq!(page.raw(half.as_bytes()).status, 400);
    assert!(begun.elapsed() < PATIENCE);
    assert_eq!(visitor.get("/").status, 200);
}

// attack(page): forty tabs, of which nine are live
// holds: eight are, the ninth is told to try later, and a closed one makes room
#[test]
fn eight_pages_are_live_and_forty_tabs_harm_nobody() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let path = format!("/live/r/{run}");
    let mut live: Vec<(TcpStream, String)> = (0..8).map(|_| stream(&visitor, &path)).collect();
    for (_, first) in &live {
        assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    }
    let (_, ninth) = stream(&visitor, &path);
    assert!(ninth.starts_with("HTTP/1.1 503") && ninth.to_lowercase().contains("retry-after"), "{ninth}");
    for _ in 0..40 {
        assert_eq!(visitor.get(&format!("/r/{run}")).status, 200);
    }
    let (one, said) = &mut live[0];
    assert!(until(one, said, "event: put"), "{said}");
    // A tab that is closed makes room for another one.
    live.clear();
    eventually("there is room", || stream(&visitor, &path).1.starts_with("HTTP/1.1 200"));
    env.write("go", "");
    drop(running);
}

// attack(page): a browser asks two thousand times and reads nothing
// holds: nothing is piled up for it, and others are answered
#[test]
fn a_browser_that_never_reads_is_left_and_slows_nobody() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    // Asks again and again on one connection, and takes nothing of it.
    let mut deaf = TcpStream::connect(page.at).unwrap();
    deaf.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let request = format!("GET /r/{run} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", page.at, visitor.cookie);
    for _ in 0..2000 {
        if deaf.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    for _ in 0..5 {
        assert_eq!(visitor.get(&format!("/r/{run}")).status, 200);
    }
    let resident =
        std::fs::read_to_string(format!("/proc/{}/status", page.running.as_ref().unwrap().id())).unwrap();
    let kilobytes: u64 = resident
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok())
        .unwrap();
    assert!(kilobytes < 200_000, "nothing is piled up for it: {kilobytes} kB");
}
