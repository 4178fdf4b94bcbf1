//! `logs`: live and replayed, the same.

use std::io::Read as _;
use std::process::Stdio;

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;
use windlass_testkit::environment::{Running, TestEnv, wait_until};

use super::{PATIENCE, ask, finished, go, start, told, windlass};

/// What the `times` file may be off by, in milliseconds, and as much again for a slow disk.
const TOLERANCE: i128 = 2 * 250;

/// The lines in an order of their own: a fact and an observation that are a few milliseconds apart may come either way.
fn sorted(mut lines: Vec<Value>) -> Vec<(Timestamp, Value)> {
    lines.sort_by_key(|line| {
        let number = |key: &str| line[key].as_u64().unwrap_or(0);
        (number("seq"), number("line"))
    });
    let timed = lines.into_iter().map(|mut line| {
        let time = line.as_object_mut().unwrap().remove("time").unwrap();
        (time.as_str().unwrap().parse().unwrap(), line)
    });
    timed.collect()
}

// rows: 36, 37, 38, 39, 40, 112
#[test]
fn what_was_seen_live_is_seen_again() {
    let env = TestEnv::with_git();
    env.write("text.txt", "one\ntwo\n");
    let script = env.write(
        env.root().join("script.toml"),
        r#"
[[call]]
steps = [
  { say = "I look first." },
  { read = "text.txt" },
  { edit = { path = "text.txt", old = "one", new = "three" } },
  { edit = { path = "text.txt", old = "nowhere", new = "x" } },
  { sleep = "400ms" },
  { bash = "echo out; echo err >&2; exit 3" },
  { long_line = { bytes = 300000, kind = "tool_result" } },
  { noise = 1000 },
]
[[call]]
steps = [ { api_error = { status = 529 } } ]
[[call]]
steps = [ { say = "Again." } ]
"#,
    );
    let mock = format!("--mock={}", script.display());
    let mut command = windlass(&env, &["run", "-p", "Look", &mock, "--no-delay", "-m", "3", "--json"]);
    let live = env.run(command.env("WINDLASS_CLOCKS__BACKOFF", "1s"), PATIENCE).json_lines();
    let replayed = ask(&env, &["logs", "--json"]).json_lines();
    assert!(live.iter().any(|line| line["type"] == "agent_garbage") && live.len() > 30, "{live:#?}");
    assert_eq!(replayed.len(), live.len());
    for ((at, line), (again_at, again)) in sorted(live).iter().zip(&sorted(replayed)) {
        assert_eq!(again, line);
        let apart = again_at.as_millisecond().abs_diff(at.as_millisecond());
        let exact = line["line"].is_null();
        assert!(if exact { apart == 0 } else { i128::from(apart) < TOLERANCE }, "{apart} ms: {line}");
    }
}

// rows: 36, 37, 38, 113
#[test]
fn tools_are_shown_when_asked_for() {
    let env = TestEnv::with_git();
    let first = finished(&env, "First job", 1);
    finished(&env, "Second job", 1);
    let plain = told(&env, &["logs", &first]);
    assert!(
        plain.contains("Call 1.") && plain.contains("First job") && plain.contains("stopped: max_iterations")
    );
    assert!(!plain.contains("work.txt"), "{plain}");
    let tools = told(&env, &["logs", &first, "--tools"]);
    let (written, ended) = (tools.find("Write work.txt").unwrap(), tools.find("stopped: ").unwrap());
    assert!(written < ended && tools.contains("Call 1."), "{tools}");
    assert!(told(&env, &["logs"]).contains("Second job"), "the newest by default");
}

// rows: 36
#[test]
fn a_live_run_is_followed_to_its_end() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &["-m", "2"]);
    let mut following = Running::start(&mut windlass(&env, &["logs", "-f", &run]));
    assert!(following.wait_for_stdout("Now I wait.", PATIENCE));
    assert!(!following.stdout_so_far().contains("The end of call 1."));
    // What is there so far is shown without following, too.
    assert!(told(&env, &["logs"]).ends_with("Now I wait.\n"));
    go(&env);
    let followed = following.wait(PATIENCE);
    assert_eq!((followed.code, followed.timed_out), (Some(0), false));
    let text = followed.stdout_text();
    assert!(text.contains("The end of call 2.") && text.ends_with("stopped: max_iterations\n"), "{text}");
    assert_eq!(text, told(&env, &["logs", &run]));
    assert_eq!(running.wait(PATIENCE).code, Some(0));
}

#[test]
fn following_ends_with_the_runs_process_with_ctrl_c_and_with_the_reader() {
    let env = TestEnv::with_git();
    let (running, run) = start(&env, "Patience", &[]);
    let follow = || {
        let mut following = Running::start(&mut windlass(&env, &["logs", "-f", "--tools"]));
        assert!(following.wait_for_stdout("Now I wait.", PATIENCE));
        following
    };
    let interrupted = follow();
    interrupted.signal_group(Signal::INT);
    let interrupted = interrupted.wait(PATIENCE);
    assert!(interrupted.signal == Some(2) || interrupted.code == Some(130));
    assert_eq!(interrupted.stderr_text(), "");

    let mut piped = windlass(&env, &["logs", "-f", &run]).stdout(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 16];
    let mut pipe = piped.stdout.take().unwrap();
    pipe.read_exact(&mut some).unwrap();
    drop(pipe);
    // The run says nothing more, and still the follower notices.
    let ended = wait_until(PATIENCE, || piped.try_wait().unwrap().is_some());
    if !ended {
        piped.kill().unwrap();
    }
    assert!(ended && piped.wait().unwrap().success());

    let following = follow();
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    assert_eq!(following.wait(PATIENCE).code, Some(0));
}
