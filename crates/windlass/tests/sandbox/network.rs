//! The network: on, off, or some hosts.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use super::place::{Place, kinds, said};

/// Words for scripts that speak with hosts.
const WORDS: &str = r#"
reach() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
proxy=${HTTP_PROXY##*:}
ask() { exec 3<>"/dev/tcp/127.0.0.1/$proxy" && printf "$1 HTTP/1.1\r\nHost: x\r\n\r\n$2" >&3 && timeout 10 cat <&3 > answer; exec 3>&-; grep -q "$3" answer; }
"#;

/// Answers whoever connects; for as long as the test's process lives.
fn host() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut client = client;
                let _ = client.read(&mut [0; 1024]);
                let _ = client
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n");
            });
        }
    });
    port
}

#[test]
fn the_network_is_there_or_it_is_not() {
    let port = host();
    for kind in kinds() {
        Place::new(kind).expect(&["--network", "on"], &format!("{WORDS}may 'reach it' reach {port}"));
        Place::new(kind).expect(&["--network", "off"], &format!("{WORDS}may_not 'reach it' reach {port}"));
    }
}

// rows: 137
#[test]
fn allowed_hosts_are_reached_through_the_proxy_and_no_others() {
    let port = host();
    for kind in kinds() {
        let place = Place::new(kind).set("WINDLASS_SANDBOX__HOSTS", "127.0.0.1\n*.example.test");
        let script = format!(
            r#"{WORDS}
may 'reach an allowed host' ask "GET http://127.0.0.1:{port}/" "" "200 OK"
may 'tunnel to it' ask "CONNECT 127.0.0.1:{port}" "GET / HTTP/1.1\r\n\r\n" "hello"
may 'be refused others' ask "CONNECT localhost:{port}" "" "403 Forbidden"
may 'be refused what is outside' ask "GET http://refused.example.org/" "" "403 Forbidden"
may 'be refused addresses' ask "CONNECT 169.254.169.254:80" "" "403 Forbidden"
may_not 'reach anything directly' reach {port}
test "$NO_PROXY" = localhost,::1 || {{ echo "FAILED: NO_PROXY is $NO_PROXY"; failed=1; }}
test "$https_proxy" = "$HTTP_PROXY" || {{ echo "FAILED: https_proxy is $https_proxy"; failed=1; }}
"#
        );
        let outcome = place.expect(&["--network", "hosts"], &script);
        let said = said(&outcome);
        let told = "a connection to refused.example.org, which is not among sandbox.hosts";
        assert_eq!(said.matches(told).count(), 1, "{said}");
        assert!(said.contains("reaching 127.0.0.1, *.example.test"), "{said}");
    }
}
