//! What the page shows: whatever was recorded, by whomever, as text; and what is not there any more.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

use windlass_testkit::environment::{Running, TestEnv};

use super::{PATIENCE, Page, Visitor, eventually, finished, patient};

/// What strangers put into titles, files, commands and texts.
pub const PAYLOADS: [&str; 8] = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=document.title='owned'>",
    "\"><svg onload=document.title='owned'>",
    "javascript:document.title='owned'",
    "' onmouseover='document.title=1",
    "\u{202e}gpj.exe\u{2066}",
    "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{1b}[0m",
    "</title></textarea></style><h1>owned</h1>",
];

/// A run whose every field is a payload.
pub fn hostile(env: &TestEnv) -> String {
    let all = PAYLOADS.concat();
    let text = serde_json::to_string(&all).unwrap();
    let script = env.write(
        env.root().join("hostile.toml"),
        format!(
            r#"
[[call]]
steps = [
  {{ say = {text} }},
  {{ tool = {{ name = {text}, input = {{ pattern = {text} }}, output = {text}, is_error = true }} }},
  {{ write = {{ path = "<img src=x onerror=alert(1)>.txt", text = {text} }} }},
  {{ bash = {{ command = "echo '<script>alert(1)</script>'", description = {text} }} }},
  {{ deny = {{ tool = "Bash", input = {{ command = {text} }} }} }},
  {{ result = {{ text = {text}, cost = 0.02 }} }},
]
"#
        ),
    );
    let mock = format!("--mock={}", script.display());
    let gate = "echo '<script>alert(2)</script>'; false";
    let mut command = super::windlass(
        env,
        &["run", "-p", &all, &mock, "--gate", gate, "--gate-later", "--no-delay", "-m", "2", "--json"],
    );
    let outcome = Running::start(&mut command).wait(PATIENCE);
    let lines = outcome.json_lines();
    assert!(!lines.is_empty(), "{}", outcome.stderr_text());
    lines[0]["run"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_whose_process_is_gone_is_at_work_nowhere_and_its_commands_say_where() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    running.signal(rustix::process::Signal::KILL);
    let _ = running.wait(PATIENCE);
    env.write("go", "");
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let place = env.project().canonicalize().unwrap();
    for path in ["", "/i/1", "/report"] {
        let body = visitor.get(&format!("/r/{run}{path}")).body;
        assert!(!body.contains("at work"), "{path}: {body}");
        assert!(path == "/report" || body.contains("cut off"), "{path}: {body}");
        assert!(body.contains(&format!("windlass -C {} ", place.display())), "{path}: {body}");
        assert!(!body.contains("<code>windlass resume"), "{path}: {body}");
    }
    let report = super::ask(&env, &["report", &run]).stdout_text();
    assert!(report.contains("cut off"), "{report}");
    assert!(report.contains("repeated $"), "what was reserved for it is in a row: {report}");
}

#[test]
fn what_cannot_be_read_hides_nothing_else_and_says_why() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let projects = env.state().join("projects");
    let own = fs::read_dir(&projects).unwrap().next().unwrap().unwrap().path();
    // One whose index is a folder, one whose runs are none.
    fs::remove_file(own.join("runs/index.jsonl")).unwrap();
    fs::create_dir(own.join("runs/index.jsonl")).unwrap();
    fs::create_dir(projects.join("closed-0000")).unwrap();
    fs::write(projects.join("closed-0000/runs"), "").unwrap();
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    for path in ["/", "/runs", "/projects"] {
        let answer = visitor.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let list = visitor.get("/").body;
    assert!(list.contains("Quick") && list.contains("closed-0000"), "{list}");
    let report = super::ask(&env, &["report", "--last-night"]);
    let text = report.stdout_text();
    assert!(text.contains(&run) && text.contains("project closed-0000 is left out"), "{text}");
    // A journal that is gone.
    fs::remove_dir(own.join("runs/index.jsonl")).unwrap();
    let _ = super::ask(&env, &["runs"]);
    fs::remove_file(own.join("runs").join(&run).join("journal.jsonl")).unwrap();
    eventually("it is seen", || visitor.get(&format!("/r/{run}")).status == 422);
    let answer = visitor.get(&format!("/r/{run}"));
    assert!(answer.body.contains("cannot be read") && answer.body.contains("/runs"), "{}", answer.body);
}

/// Every page of a run.
pub fn pages(run: &str) -> Vec<String> {
    let of_run = [
        "",
        "/report",
        "/numbers",
        "/tasks",
        "/i/1",
        "/i/1/transcript",
        "/i/1/changes",
        "/i/1/gates",
        "/i/1/denials",
        "/i/1/prompt",
        "/c/1",
    ];
    let all = of_run.iter().map(|rest| format!("/r/{run}{rest}"));
    ["/", "/runs", "/projects"].into_iter().map(str::to_owned).chain(all).collect()
}

fn run_folder(env: &TestEnv, run: &str) -> PathBuf {
    let projects = fs::read_dir(env.state().join("projects")).unwrap();
    projects.map(|project| project.unwrap().path().join("runs").join(run)).find(|path| path.exists()).unwrap()
}

// attack(page): titles, file names, commands, texts, gates and results hold markup, scripts, escape sequences and marks that reorder text
// holds: all of it is text on every page; a recording is only ever sent as plain text to be saved
#[test]
fn whatever_was_written_is_text() {
    let env = TestEnv::with_git();
    let run = hostile(&env);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    for address in pages(&run) {
        let answer = visitor.get(&address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.body);
        let body = &answer.body;
        for wrong in ["<script>", "<img", "<svg onload", "<h1>owned", "onerror=document.title='owned'>"] {
            assert!(!body.contains(wrong), "{address} has {wrong}");
        }
        assert!(!body.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{2066}']), "{address}");
        assert!(!body.contains("href=\"javascript:") && !body.contains(" style="), "{address}");
    }
    let raw = visitor.get(&format!("/r/{run}/c/1/raw?at=0"));
    assert_eq!(raw.status, 200);
    assert_eq!(raw.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(raw.header("content-disposition").unwrap().starts_with("attachment"));
}

#[test]
fn a_run_is_told_with_all_that_lies_behind_it() {
    let env = TestEnv::with_git();
    let run = finished(&env, 2);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let text = |path: &str| visitor.get(&format!("/r/{run}{path}")).body;
    for (path, words) in [
        ("", vec!["max iterations", "2 worked", "Needs you", "data-action", "Denied", "touch denied"]),
        ("/numbers", vec!["<caption>Cost per iteration</caption>", "<caption>Verdicts</caption>"]),
        ("/report", vec!["Is it right", "To merge", "Cost", " resume "]),
        ("/i/1", vec!["Iteration 1", "Restore the files after it", "/c/1"]),
        ("/i/2/changes", vec!["work.txt", "<mark>1</mark>", "<mark>2</mark>", "new-2.txt"]),
        ("/i/1/denials", vec!["touch denied", "Allow from the next run on"]),
        ("/i/1/prompt", vec!["Quick"]),
        ("/c/1", vec!["Call 1.", "Written.", "id=\"o="]),
        ("/c/1?q=Written", vec!["Found."]),
        ("/c/1?q=nowhere-at-all", vec!["Not found."]),
    ] {
        let body = text(path);
        for word in words {
            assert!(body.contains(word), "{path} lacks {word}: {body}");
        }
    }
    // A place in a transcript stays what it is.
    let body = text("/c/1");
    let offset = body.split("id=\"o=").nth(2).unwrap().split('"').next().unwrap().to_owned();
    let there = text(&format!("/c/1?from={offset}"));
    assert!(there.contains(&format!("id=\"o={offset}\"")), "{there}");
}

// attack(page): addresses hold paths, encoded ones too, numbers that are none, and cursors beyond the end
// holds: no such page; no link is followed
#[test]
fn only_what_is_an_address_is_one() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let secret = env.write(env.root().join("secret.txt"), "the secret");
    for path in [
        "/r/..".to_owned(),
        "/r/%2e%2e".to_owned(),
        "/r/%2e%2e%2fsecret.txt".to_owned(),
        "/r/r-%00".to_owned(),
        format!("/r/{run}/i/0"),
        format!("/r/{run}/i/99"),
        format!("/r/{run}/i/-1"),
        format!("/r/{run}/i/1/..%2f"),
        format!("/r/{run}/i/1/none"),
        format!("/r/{run}/c/99"),
        format!("/r/{run}/c/1/raw"),
        format!("/r/{run}/c/1/raw?at=x"),
        format!("/r/{run}/../../{}", secret.display()),
        "/assets/..%2f..%2fsecret.txt".to_owned(),
        "/r/r-nobody".to_owned(),
        "/%".to_owned(),
        "//evil.example/".to_owned(),
        format!("/r/{}", "a".repeat(5000)),
    ] {
        let answer = visitor.get(&path);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.head);
        assert!(!answer.body.contains("the secret"));
    }
    for query in [
        "?from=18446744073709551615",
        "?from=99999999",
        "?from=-1",
        "?before=0",
        "?q=%ff&at=99",
        "?at=1&q=a&d=back",
        "?from=x",
    ] {
        let answer = visitor.get(&format!("/r/{run}/c/1{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    }
}

#[test]
fn what_is_gone_half_written_or_newer_is_said() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let folder = run_folder(&env, &run);
    fs::remove_dir_all(folder.join("iterations")).unwrap();
    assert!(visitor.get(&format!("/r/{run}/c/1")).body.contains("is gone"));
    assert!(visitor.get(&format!("/r/{run}/i/1/prompt")).body.contains("not kept any more"));
    assert_eq!(visitor.get(&format!("/r/{run}/i/1/gates")).status, 200);
    let journal = fs::read(folder.join("journal.jsonl")).unwrap();
    let copies = folder.parent().unwrap();
    let make = |name: &str, bytes: &[u8]| {
        fs::create_dir(copies.join(name)).unwrap();
        fs::write(copies.join(name).join("journal.jsonl"), bytes).unwrap();
    };
    make("r-half", &journal[..journal.len() * 2 / 3]);
    make("r-newer", b"{\"windlass\":\"journal\",\"v\":99}\n");
    make("r-empty", b"");
    make("r-garbage", &[0xff; 4096]);
    std::os::unix::fs::symlink("/etc", copies.join("r-link")).unwrap();
    eventually("the list has them", || visitor.get("/").body.contains("r-half"));
    assert_eq!(visitor.get("/r/r-half").status, 200);
    for name in ["r-newer", "r-empty", "r-garbage", "r-link"] {
        let answer = visitor.get(&format!("/r/{name}"));
        assert!([404, 409, 422, 500].contains(&answer.status), "{name}: {}", answer.head);
        assert!(!answer.body.contains("root:"), "{name}");
    }
    assert_eq!(visitor.get("/").status, 200);
}

/// Reads events until one has this.
fn told(stream: &mut TcpStream, what: &str) -> String {
    let mut said = String::new();
    let mut piece = [0; 4096];
    while !said.contains(what) {
        let read = stream.read(&mut piece).unwrap_or(0);
        assert!(read > 0, "the stream ended before {what:?}: {said}");
        said.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    said
}

fn live(visitor: &Visitor<'_>, path: &str, more: &str) -> TcpStream {
    let mut stream = TcpStream::connect(visitor.page.at).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n{more}\r\n",
        visitor.page.at, visitor.cookie
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

#[test]
fn a_page_goes_on_by_itself_and_after_a_sleep_where_it_was() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let mut of_run = live(&visitor, &format!("/live/r/{run}"), "");
    let mut of_call = live(&visitor, &format!("/live/r/{run}/c/1?from=0"), "");
    let said = told(&mut of_call, "Now I wait.");
    let cursor = said.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().to_owned();
    drop(of_call);
    env.write("go", "");
    let _ = running.wait(PATIENCE);
    // Asleep meanwhile: all that came since, and nothing twice.
    let mut again =
        live(&visitor, &format!("/live/r/{run}/c/1?from=0"), &format!("last-event-id: {cursor}\r\n"));
    let said = told(&mut again, "event: over");
    assert!(said.contains("Written.") && !said.contains("Now I wait."), "{said}");
    told(&mut of_run, "max iterations");
}
