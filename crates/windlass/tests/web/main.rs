//! The page, from outside: raw sockets against the real binary. Every threat that it stands against is a test here.
#![cfg(feature = "web")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acting;
mod browser;
mod guests;
mod kills;
mod letting_in;
mod limits;
mod looking;
mod numbers;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use windlass_testkit::environment::{Outcome, Running, TestEnv, wait_until};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn windlass(env: &TestEnv, arguments: &[&str]) -> Command {
    env.trust_before(env!("CARGO_BIN_EXE_windlass"), arguments);
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments);
    command
}

fn ask(env: &TestEnv, arguments: &[&str]) -> Outcome {
    env.run(&mut windlass(env, arguments), PATIENCE)
}

/// A page that is served.
struct Page {
    running: Option<Running>,
    at: SocketAddr,
    code: String,
}

impl Page {
    fn serve(env: &TestEnv, more: &[&str]) -> Page {
        Page::serve_at(env, "127.0.0.1:0", more)
    }

    fn serve_at(env: &TestEnv, address: &str, more: &[&str]) -> Page {
        let mut command = windlass(env, &["web", "--listen", address]);
        let mut running = Running::start(command.args(more));
        let stands = running.wait_for_stdout("no run notices", PATIENCE);
        assert!(stands, "{}{}", running.stdout_so_far(), running.stderr_so_far());
        let said = running.stdout_so_far();
        let link = said.split_whitespace().find(|word| word.contains("/#code=")).unwrap();
        let (address, code) = link.strip_prefix("http://").unwrap().split_once("/#code=").unwrap();
        Page { at: address.parse().unwrap(), code: code.to_owned(), running: Some(running) }
    }

    /// Sends bytes as they are, and reads what comes until the other side ends it.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::of(&all)
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let host = self.at.to_string();
        let mut lines = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            lines.extend(["host: ", &host, "\r\n"]);
        }
        for (name, value) in headers {
            lines.extend([name, ": ", value, "\r\n"]);
        }
        if !body.is_empty() {
            lines.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
        }
        self.raw(format!("{lines}\r\n{body}").as_bytes())
    }

    fn origin(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Uses a code.
    fn let_in(&self, code: &str) -> Answer {
        let body = format!("{{\"code\":\"{code}\"}}");
        let origin = self.origin();
        self.ask("POST", "/session", &[("origin", &origin), ("content-type", "application/json")], &body)
    }

    /// A browser that was let in by the page's first link.
    fn visitor(&self) -> Visitor<'_> {
        let answer = self.let_in(&self.code);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let key: Value = serde_json::from_str(&answer.body).unwrap();
        Visitor { page: self, cookie, key: key["key"].as_str().unwrap().to_owned() }
    }

    fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.signal(rustix::process::Signal::KILL);
            let _ = running.wait(PATIENCE);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.signal(rustix::process::Signal::TERM);
            let ended = running.wait(PATIENCE);
            if !std::thread::panicking() {
                assert_eq!((ended.code, ended.stderr_text().as_str()), (Some(0), ""));
            }
        }
    }
}

/// An answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn of(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// A browser that was let in.
struct Visitor<'a> {
    page: &'a Page,
    cookie: String,
    key: String,
}

impl Visitor<'_> {
    fn get(&self, path: &str) -> Answer {
        self.page.ask("GET", path, &[("cookie", &self.cookie)], "")
    }

    fn act(&self, run: &str, action: &str, seq: u64, once: &str) -> Answer {
        let body = format!("{{\"action\":{action},\"seq\":{seq},\"once\":\"{once}\"}}");
        let origin = self.page.origin();
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("origin", &origin),
            ("content-type", "application/json"),
            ("x-windlass-key", &self.key),
        ];
        self.page.ask("POST", &format!("/r/{run}/act"), &headers, &body)
    }

    /// The number of the run's last fact, as its page says.
    fn seq(&self, run: &str) -> u64 {
        let page = self.get(&format!("/r/{run}")).body;
        let (_, rest) = page.split_once("data-seq=\"").unwrap_or_else(|| panic!("{page}"));
        rest.split('"').next().unwrap().parse().unwrap()
    }
}

/// A script whose calls wait for a file.
const PATIENT: &str = r#"
[[call]]
steps = [
  { say = "Now I wait." },
  { write = { path = "work.txt", text = "call {{call}}\n" } },
  { bash = "while ! test -e go; do sleep 0.02; done; echo gone" },
  { result = { text = "Written.", cost = 0.02 } },
]
"#;

/// Starts a run whose first call waits; its name.
fn patient(env: &TestEnv) -> (Running, String) {
    patient_at(env, &["-p", "Patience"])
}

/// The same at a job of these words.
fn patient_at(env: &TestEnv, job: &[&str]) -> (Running, String) {
    let script = env.write(env.root().join("patient.toml"), PATIENT);
    let mock = format!("--mock={}", script.display());
    let mut running = Running::start(windlass(env, &["run", &mock, "--no-delay", "--json"]).args(job));
    assert!(running.wait_for_stdout("Now I wait.", PATIENCE), "{}", running.stderr_so_far());
    let first: Value = serde_json::from_str(running.stdout_so_far().lines().next().unwrap()).unwrap();
    (running, first["run"].as_str().unwrap().to_owned())
}

/// A whole run of so many iterations that ends at its limit; its name.
fn finished(env: &TestEnv, iterations: u32) -> String {
    let script = env.write(
        env.root().join("quick.toml"),
        r#"
[[call]]
steps = [
  { say = "Call {{call}}." },
  { write = { path = "work.txt", text = "call {{call}}\n" } },
  { deny = { tool = "Bash", input = { command = "touch denied" } } },
  { bash = "echo made > new-$WINDLASS_CALL.txt" },
  { result = { text = "Written.", cost = 0.02 } },
]
"#,
    );
    let mock = format!("--mock={}", script.display());
    let count = iterations.to_string();
    let lines = ask(env, &["run", "-p", "Quick", &mock, "--no-delay", "-m", &count, "--json"]).json_lines();
    assert_eq!(lines.last().unwrap()["iterations"], iterations);
    lines[0]["run"].as_str().unwrap().to_owned()
}

/// The run's facts of this kind.
fn facts(env: &TestEnv, kind: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for project in fs::read_dir(env.state().join("projects")).unwrap() {
        for run in fs::read_dir(project.unwrap().path().join("runs")).unwrap() {
            let journal = fs::read_to_string(run.unwrap().path().join("journal.jsonl")).unwrap_or_default();
            let entries = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            found.extend(entries.filter(|entry| entry["fact"] == kind));
        }
    }
    found
}

/// Waits until something holds.
fn eventually(what: &str, holds: impl FnMut() -> bool) {
    assert!(wait_until(PATIENCE, holds), "{what}");
}
