//! The real Claude Code and the real Codex in one run: who cannot work is replaced, and returns.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::json;
use windlass_core::spec::SandboxKind;
use windlass_testkit::api::{Dialect, Reply, Scenario, Window};
use windlass_testkit::environment::{CLAUDE_CODE, CODEX, wait_until};

use crate::night::{COMPLETE, Night, PATIENCE, is_usable};

const FREE: &str = "--dangerously-skip-permissions";

/// Claude Code works first; each of its calls leaves a line in a file beside the project. Codex is found by its name.
fn night(scenario: Scenario) -> Night {
    let night = Night::subscriber(scenario);
    let (root, api) = (night.env.root().to_owned(), night.api.url());
    let claude = format!(
        "case \"$*\" in *stream-json*) echo call >> '{}';; esac\nexec '{}' \"$@\"",
        root.join("calls").display(),
        CLAUDE_CODE.installed().display()
    );
    let provider = format!(
        "model_providers.stand-in={{name=\"stand-in\",base_url=\"{api}/v1\",env_key=\"STAND_IN\",wire_api=\"responses\"}}"
    );
    let codex = format!(
        "STAND_IN=dummy exec '{}' -c 'model_provider=\"stand-in\"' -c '{provider}' \"$@\"",
        CODEX.installed().display()
    );
    for (name, script) in [("claude", claude), ("codex", codex)] {
        let program = night.env.write(root.join("agents").join(name), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", root.join("agents").display(), std::env::var("PATH").unwrap());
    night
        .variable("PATH", path)
        .variable("WINDLASS_AGENT__COMMAND", root.join("agents/claude"))
        .variable("WINDLASS_AGENT__USE", "claude,codex")
        .variable("IS_SANDBOX", "1")
}

/// A limit that is over soon.
fn limit() -> Reply {
    Reply::computed(|_| {
        Reply::usage_limit(
            Window::FiveHour,
            Timestamp::from_second(Timestamp::now().as_second() + 1).unwrap(),
        )
    })
}

/// Whose each call was.
fn callers(run: &crate::night::Ended) -> Vec<u64> {
    run.all("call_reserved").iter().map(|call| call["agent"].as_u64().unwrap_or(0)).collect()
}

#[test]
fn at_a_limit_codex_goes_on_and_claude_code_returns_when_it_is_over() {
    let scenario =
        Scenario::new([limit(), Reply::tool("exec_command", json!({"cmd": "echo ahoy > greeting.txt"}))])
            .then(Scenario::always(Reply::text("A step is done.")));
    let night = night(scenario);
    let until = format!("test $(wc -l < '{}') -ge 2", night.env.root().join("calls").display());
    let run = night.run(&[FREE, "--until", &until, "--stagnation-threshold", "0", "-m", "200"]);
    run.expect("complete", 0)
        .says("claude has reached its usage limit, and is back at")
        .says("codex takes over")
        .says("claude can work again, and does");
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    let callers = callers(&run);
    let by_codex = callers.iter().filter(|agent| **agent == 1).count();
    assert_eq!(callers[..2], [0, 1]);
    assert_eq!(callers[1 + by_codex..], [0], "{callers:?}");
    assert!(run.all("held").is_empty(), "nobody waited");
    assert_eq!(run.classes()[0], "usage_limit");
    assert!(run.classes()[1..].iter().all(|class| *class == "success"), "{:?}", run.classes());
}

#[test]
fn without_a_login_codex_does_all_of_it_also_after_a_kill() {
    let asked = AtomicUsize::new(0);
    let scenario = Scenario::computed(move |request| {
        if request.dialect() != Some(Dialect::Responses) {
            return Reply::unauthorized();
        }
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::tool("exec_command", json!({"cmd": "touch began; sleep 60; touch never"})),
            1 => Reply::tool("exec_command", json!({"cmd": "echo ahoy > greeting.txt"})),
            _ => Reply::text(format!("Checked.\n\n{COMPLETE}")),
        }
    });
    let night = night(scenario);
    let running = night.start(&[FREE, "--completion-threshold", "1", "--gate", "grep -q ahoy greeting.txt"]);
    let began = night.env.project().join("began");
    assert!(wait_until(PATIENCE, || began.exists()), "{}", running.stderr_so_far());
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    night.env.assert_no_processes(std::time::Duration::from_secs(2));
    let run = night.resume(&[]);
    run.expect("complete", 0);
    assert_eq!(callers(&run).iter().filter(|agent| **agent == 0).count(), 1, "it is not asked again");
    assert!(!night.env.project().join("never").exists());
}

#[test]
fn codex_reviews_what_claude_code_did_and_works_on_nothing() {
    let scenario = Scenario::computed(move |request| match request.dialect() {
        Some(Dialect::Responses) => {
            let verdict =
                json!({"verdict": "pass", "summary": "looked at it", "findings": [], "criteria": []});
            Reply::text(format!("I looked.\n\n{verdict}"))
        }
        _ if request.tool_results().is_empty() => Reply::bash("echo ahoy > greeting.txt"),
        _ => Reply::text(format!("Done.\n\n{COMPLETE}")),
    });
    let night =
        night(scenario).variable("WINDLASS_AGENT__USE", "claude").variable("WINDLASS_REVIEW__AGENT", "codex");
    let run =
        night.run(&[FREE, "--review", "--completion-threshold", "1", "--gate", "grep -q ahoy greeting.txt"]);
    run.expect("complete", 0).says("; reviews by codex 0.169.0");
    assert_eq!(callers(&run), [0, 1]);
    assert_eq!(run.each("call_reserved", "purpose"), ["work", "review"]);
    assert_eq!(run.all("call_finished")[1]["review"]["verdict"], "pass");
}

// Each in its own: the login of one is not there for the other.
#[test]
fn in_a_sandbox_codex_takes_over_as_well() {
    if !is_usable(&SandboxKind::Bwrap) {
        return;
    }
    let asked = AtomicUsize::new(0);
    let scenario = Scenario::computed(move |request| {
        if request.dialect() != Some(Dialect::Responses) {
            return Reply::unauthorized();
        }
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::tool("exec_command", json!({"cmd": "echo ahoy > greeting.txt; touch ../outside"})),
            _ => Reply::text(format!("Checked.\n\n{COMPLETE}")),
        }
    });
    let night = night(scenario);
    let flags = ["--sandbox", "bwrap", "--completion-threshold", "1", "--gate", "grep -q ahoy greeting.txt"];
    let run = night.run(&flags);
    run.expect("complete", 0).says("codex takes over");
    assert_eq!(callers(&run), [0, 1]);
    assert!(!night.env.root().join("outside").exists());
}
