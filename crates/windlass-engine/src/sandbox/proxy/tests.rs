use std::net::TcpListener;

use super::*;

/// A host that says something and hangs up.
fn host(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let _ = client.write_all(answer);
        }
    });
    port
}

fn ask(proxy: &Proxy, request: &str) -> String {
    let mut client = connect(&proxy.socket).unwrap();
    client.write_all(request.as_bytes()).unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    let _ = client.read_to_string(&mut answer);
    answer
}

fn proxy(folder: &Path, hosts: &[&str]) -> Proxy {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    Proxy::start(&folder.join("proxy.sock"), &hosts).unwrap()
}

#[test]
fn allowed_hosts_answer_and_others_are_refused_and_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let port = host(b"HTTP/1.1 200 OK\r\n\r\nhello");
    let proxy = proxy(folder.path(), &["127.0.0.1"]);
    let plain = ask(&proxy, &format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n"));
    assert!(plain.ends_with("hello"), "{plain}");
    let tunnel = ask(&proxy, &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"));
    assert!(
        tunnel.starts_with("HTTP/1.1 200 Connection established") && tunnel.ends_with("hello"),
        "{tunnel}"
    );
    for _ in 0..3 {
        let refused = ask(&proxy, &format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"));
        assert!(refused.starts_with("HTTP/1.1 403 Forbidden") && refused.contains("localhost"), "{refused}");
        let (head, body) = refused.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{refused}");
    }
    assert!(proxy.news().unwrap().contains("localhost"));
    assert_eq!(proxy.news(), None);
}

// A name that is allowed as one of many may not lead back to this machine.
#[test]
fn a_name_below_an_allowed_one_does_not_lead_within() {
    let folder = tempfile::tempdir().unwrap();
    let port = host(b"secret");
    let below = proxy(folder.path(), &["*.localhost"]);
    let said = ask(&below, &format!("CONNECT x.localhost:{port} HTTP/1.1\r\n\r\nx"));
    // Where such names are not known at all that is as good.
    assert!(said.starts_with("HTTP/1.1 403") || said.starts_with("HTTP/1.1 502"), "{said}");
}

#[test]
fn nonsense_is_answered_and_what_has_no_end_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = proxy(folder.path(), &["127.0.0.1"]);
    assert!(ask(&proxy, "hello\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(ask(&proxy, "GET http://127.0.0.1/").starts_with("HTTP/1.1 400"));
    let long = format!("GET http://127.0.0.1/ HTTP/1.1\r\nX: {}", "x".repeat(40_000));
    let said = ask(&proxy, &long);
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 431"), "{said}");
}

// Guests that say nothing keep others out for a while, and no longer; and cost no more than so many threads.
#[test]
fn too_many_at_once_are_turned_away() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = proxy(folder.path(), &["127.0.0.1"]);
    let silent: Vec<UnixStream> = (0..MOST).map(|_| connect(&proxy.socket).unwrap()).collect();
    let said = ask(&proxy, "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n");
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 503"), "{said}");
    drop(silent);
    let heard = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20)); // sleep: nothing tells when their threads have ended
        ask(&proxy, "hello\r\n\r\n").starts_with("HTTP/1.1 400")
    });
    assert!(heard);
}

#[test]
fn a_path_too_long_for_an_address_is_none_for_us_and_the_socket_is_ours_alone() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("x".repeat(120));
    fs::create_dir(&deep).unwrap();
    let proxy = proxy(&deep, &[]);
    assert!(ask(&proxy, "GET http://a.b/ HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403"));
    assert_eq!(proxy.socket.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let socket = proxy.socket.clone();
    drop(proxy);
    assert!(!socket.exists());
}
