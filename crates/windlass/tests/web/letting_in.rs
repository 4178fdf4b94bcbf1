//! Who is let in, and by what.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, Page, ask, finished};

const ROUTES: [&str; 13] = [
    "/",
    "/runs",
    "/projects",
    "/r/r-7k2",
    "/r/r-7k2/report",
    "/r/r-7k2/numbers",
    "/r/r-7k2/i/1",
    "/r/r-7k2/c/1",
    "/r/r-7k2/c/1/raw?at=0",
    "/live",
    "/live/r/r-7k2",
    "/metrics",
    "/nowhere",
];

// attack(page): a stranger's page makes its own name mean this machine, and asks every address of the page by it; so does a request without a host, with two, or with another one in its line
// holds: each is refused before any route is looked for
#[test]
fn a_foreign_missing_or_double_host_gets_nothing_from_any_route() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &["--name", "desk.example.ts.net"]);
    let visitor = page.visitor();
    let port = page.at.port();
    for route in ROUTES.into_iter().chain(["/assets/page.js", "/session"]) {
        for method in ["GET", "POST"] {
            for host in [
                "evil.example".to_owned(),
                format!("evil.example:{port}"),
                format!("127.0.0.1.evil.example:{port}"),
                String::new(),
            ] {
                let answer = page.ask(method, route, &[("host", &host), ("cookie", &visitor.cookie)], "");
                assert!([400, 403].contains(&answer.status), "{method} {route} {host:?}: {}", answer.head);
                assert!(!answer.body.contains("<html"), "{method} {route} {host:?}");
            }
            let missing =
                page.raw(format!("{method} {route} HTTP/1.1\r\nconnection: close\r\n\r\n").as_bytes());
            assert!([400, 403].contains(&missing.status), "{}", missing.head);
            let old = page.raw(format!("{method} {route} HTTP/1.0\r\n\r\n").as_bytes());
            assert_eq!(old.status, 403, "{}", old.head);
            let both = format!(
                "{method} {route} HTTP/1.1\r\nhost: {0}\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
                page.at
            );
            assert!([400, 403].contains(&page.raw(both.as_bytes()).status));
            let named = format!(
                "{method} http://evil.example{route} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
                page.at
            );
            assert_eq!(page.raw(named.as_bytes()).status, 403, "{named}");
        }
    }
    for host in ["localhost", "[::1]:80", "desk.example.ts.net", "10.0.0.7:1"] {
        assert_eq!(
            page.ask("GET", "/", &[("host", host), ("cookie", &visitor.cookie)], "").status,
            200,
            "{host}"
        );
    }
}

// attack(page): another program of this machine asks for every address without a cookie, with a made-up one, or with the key in its place
// holds: it is shown the way in and nothing else
#[test]
fn nobody_reads_who_was_not_let_in() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &[]);
    for route in ROUTES {
        let route = route.replace("r-7k2", &run);
        for cookie in ["", "windlass-1=x", "windlass-8417=00000000000000000000000000000000"] {
            let answer = page.ask("GET", &route, &[("cookie", cookie)], "");
            assert_eq!(answer.status, 401, "{route}: {}", answer.head);
            assert!(
                !answer.body.contains("Quick") && !answer.body.contains(&run),
                "{route}: {}",
                answer.body
            );
        }
    }
    let visitor = page.visitor();
    assert!(visitor.get("/").body.contains("Quick"));
    // The cookie of this page under any other name, and the key in its place, are nothing.
    let value = visitor.cookie.split_once('=').unwrap().1;
    let name = visitor.cookie.split_once('=').unwrap().0;
    assert_eq!(name, format!("windlass-{}", page.at.port()));
    for cookie in [
        format!("windlass={value}"),
        format!("{name}={}", visitor.key),
        format!("{name}=../browsers/{value}"),
    ] {
        assert_eq!(page.ask("GET", "/", &[("cookie", &cookie)], "").status, 401, "{cookie}");
    }
}

// attack(page): a link is used a second time, guessed, or looked for in the state folder
// holds: it lets nobody in; no secret is on the disk, and its files are readable by their owner alone
#[test]
fn a_link_lets_one_browser_in_once_and_is_written_nowhere() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    assert_eq!(page.code.len(), 32, "128 bits");
    let answer = page.let_in(&page.code);
    assert_eq!(answer.status, 200);
    let cookie = answer.header("set-cookie").unwrap();
    for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    let again = page.let_in(&page.code);
    assert_eq!(again.status, 401);
    assert!(again.header("set-cookie").is_none() && again.body.contains("was used"), "{again:?}");
    for wrong in ["", "0", "00000000000000000000000000000000", "../server.json"] {
        assert_eq!(page.let_in(wrong).status, 401, "{wrong}");
    }
    let another = ask(&env, &["web", "--link"]).stdout_text();
    let code = another.trim().split_once("#code=").unwrap().1.to_owned();
    assert_eq!(page.let_in(&code).status, 200);
    let secrets = [page.code.clone(), code, cookie.split(['=', ';']).nth(1).unwrap().to_owned()];
    let mut folders = vec![env.state().join("web")];
    while let Some(folder) = folders.pop() {
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o077, 0);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
            let all = format!("{} {}", path.display(), fs::read_to_string(&path).unwrap());
            assert!(secrets.iter().all(|secret| !all.contains(secret.as_str())), "{all}");
        }
    }
}

#[test]
fn each_page_that_stands_has_a_link_and_those_that_are_gone_have_none() {
    let env = TestEnv::new();
    let mut first = Page::serve(&env, &[]);
    let second = Page::serve(&env, &[]);
    let links = || ask(&env, &["web", "--link"]).stdout_text();
    let both = links();
    assert_eq!(both.lines().count(), 2, "{both}");
    let code_of = |page: &Page, links: &str| {
        let link = links.lines().find(|link| link.contains(&page.at.to_string())).unwrap().to_owned();
        link.trim().split_once("#code=").unwrap().1.to_owned()
    };
    for page in [&first, &second] {
        assert_eq!(page.let_in(&code_of(page, &both)).status, 200);
    }
    first.kill();
    let one = links();
    assert_eq!((one.lines().count(), second.let_in(&code_of(&second, &one)).status), (1, 200), "{one}");
    drop(second);
    let none = ask(&env, &["web", "--link"]);
    assert!(none.stderr_text().contains("no page is served"), "{}", none.stderr_text());
}

#[test]
fn a_browser_that_is_forgotten_is_told_nothing_more() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let mut live = TcpStream::connect(page.at).unwrap();
    live.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET /live HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", page.at, visitor.cookie);
    live.write_all(request.as_bytes()).unwrap();
    let mut told = Vec::new();
    while !String::from_utf8_lossy(&told).contains("event: put") {
        let mut bytes = [0; 1024];
        let read = live.read(&mut bytes).unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&told));
        told.extend_from_slice(&bytes[..read]);
    }
    assert!(ask(&env, &["web", "--forget"]).stdout_text().contains("1 browser is forgotten"));
    std::thread::scope(|scope| {
        let ends = scope.spawn(|| live.read_to_end(&mut Vec::new()));
        super::eventually("its stream ends", || ends.is_finished());
    });
    assert_eq!(visitor.get("/").status, 401);
}

// attack(page): a stranger's page posts a code: from another origin, from none, as a form, as text
// holds: refused, nothing is used up, and no other origin is ever allowed anything
#[test]
fn only_the_page_itself_asks_for_a_way_in() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let body = format!("{{\"code\":\"{}\"}}", page.code);
    let own = page.origin();
    let wrong_port = format!("http://127.0.0.1:{}", page.at.port().wrapping_add(1));
    for (origin, kind) in [
        ("", "application/json"),
        ("null", "application/json"),
        ("http://evil.example", "application/json"),
        (wrong_port.as_str(), "application/json"),
        ("http://localhost", "application/json"),
        (own.as_str(), "text/plain"),
        (own.as_str(), "application/x-www-form-urlencoded"),
        (own.as_str(), ""),
    ] {
        let mut headers = vec![];
        if !origin.is_empty() {
            headers.push(("origin", origin));
        }
        if !kind.is_empty() {
            headers.push(("content-type", kind));
        }
        let answer = page.ask("POST", "/session", &headers, &body);
        assert!([403, 415].contains(&answer.status), "{origin} {kind}: {}", answer.head);
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    let asked = page.ask(
        "OPTIONS",
        "/session",
        &[("origin", "http://evil.example"), ("access-control-request-method", "POST")],
        "",
    );
    assert!(asked.status >= 400 && asked.header("access-control-allow-origin").is_none(), "{}", asked.head);
    assert_eq!(page.let_in(&page.code).status, 200, "none of these used it up");
}

#[test]
fn whoever_is_forgotten_is_not_let_in_any_more() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let token = ask(&env, &["web", "--metrics-token"]).stdout_text().trim().to_owned();
    let figures = || page.ask("GET", "/metrics", &[("authorization", &format!("Bearer {token}"))], "").status;
    assert_eq!((visitor.get("/").status, figures()), (200, 200));
    assert!(ask(&env, &["web", "--forget"]).stdout_text().contains("1 browser is forgotten"));
    assert_eq!((visitor.get("/").status, figures()), (401, 401));
}

// attack(page): whoever has the token of the dashboard asks for pages, and whoever has a cookie for figures
// holds: both are refused
#[test]
fn a_token_for_figures_reads_figures_and_nothing_else() {
    let env = TestEnv::with_git();
    finished(&env, 2);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let token = ask(&env, &["web", "--metrics-token"]).stdout_text().trim().to_owned();
    let bearer = format!("Bearer {token}");
    let answer = page.ask("GET", "/metrics", &[("authorization", &bearer)], "");
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    assert!(
        answer.body.contains("windlass_runs{state=\"ended\"} 1\n")
            && answer.body.trim_end().ends_with("# EOF"),
        "{}",
        answer.body
    );
    assert_eq!(page.ask("GET", "/", &[("authorization", &bearer)], "").status, 401);
    assert_eq!(
        page.ask("GET", "/", &[("cookie", &format!("windlass-{}={token}", page.at.port()))], "").status,
        401
    );
    assert_eq!(visitor.get("/metrics").status, 401, "nor does a cookie read figures");
}

// attack(page): a stranger's page frames the page, sniffs at its answers, or reads where a link came from
// holds: every answer, refusals included, forbids it
#[test]
fn every_answer_forbids_a_browser_the_same() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    for route in [
        "/",
        "/nowhere",
        "/r/r-nowhere",
        "/metrics",
        "/assets/x",
        &format!("/r/{run}"),
        &format!("/r/{run}/c/1/raw?at=0"),
    ] {
        for answer in [
            visitor.get(route),
            page.ask("GET", route, &[("host", "evil.example")], ""),
            page.ask("DELETE", route, &[], ""),
        ] {
            let policy = answer
                .header("content-security-policy")
                .unwrap_or_else(|| panic!("{route}: {}", answer.head));
            for part in [
                "default-src 'none'",
                "script-src 'self'",
                "frame-ancestors 'none'",
                "base-uri 'none'",
                "form-action 'self'",
            ] {
                assert!(policy.contains(part), "{policy}");
            }
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{route}");
            assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{route}");
            assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{route}");
            assert!(answer.header("access-control-allow-origin").is_none(), "{route}");
        }
    }
}

#[test]
fn inside_a_run_no_page_is_served() {
    let env = TestEnv::new();
    for more in [&["--link"][..], &["--metrics-token"], &["--forget"], &["--listen", "127.0.0.1:0"]] {
        let mut command = super::windlass(&env, &["web"]);
        let outcome = env.run(command.args(more).env("WINDLASS_RUN", "r-7k2"), PATIENCE);
        assert_eq!(outcome.code, Some(2));
        assert!(
            outcome.stderr_text().contains("refused: this was started by windlass itself"),
            "{}",
            outcome.stderr_text()
        );
    }
}

#[test]
fn an_address_that_is_taken_is_said() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let outcome = ask(&env, &["web", "--listen", &page.at.to_string()]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr_text().contains("windlass web --link"), "{}", outcome.stderr_text());
    let nobody = ask(&TestEnv::new(), &["web", "--link"]);
    assert_eq!((nobody.code, nobody.stderr_text().contains("no page is served")), (Some(2), true));
}
