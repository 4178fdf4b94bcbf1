//! The same with the real Codex.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use windlass_core::spec::SandboxKind;
use windlass_core::values::Named;
use windlass_engine::sandbox::probe;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Running, wait_until};

use crate::night::{COMPLETE, Night, PATIENCE};

/// Its sandbox would need a home outside of all temporary folders.
const FREE: &str = "--dangerously-skip-permissions";

/// A command that the model wants to be run.
fn run(command: &str) -> Reply {
    Reply::tool("exec_command", json!({"cmd": command}))
}

fn claim() -> Reply {
    Reply::text(format!("Checked.\n\n{COMPLETE}"))
}

#[test]
fn it_reaches_a_goal_and_each_call_is_priced_by_the_list() {
    let scenario = Scenario::new([
        run("echo ahoy > greeting.txt"),
        Reply::text("The draft is there."),
        claim(),
        claim(),
    ]);
    let night = Night::codex(scenario);
    night.env.write("AGENTS.md", "Run `make greet` to see it.\n");
    let ended = night.run(&[
        FREE,
        "--completion-threshold",
        "2",
        "--gate",
        "grep -q ahoy greeting.txt",
        "--model",
        "gpt-5",
    ]);
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert_eq!(ended.verdicts(), ["worked", "claim_accepted", "claim_accepted"]);
    assert_eq!(ended.classes(), ["success"; 3]);
    assert_eq!(ended.each("call_finished", "tool_uses")[0], 1);
    assert_eq!(ended.finish()["estimated"], true, "it does not say what it costs");
    assert_eq!(ended.finish()["tokens"]["input"], 400);
    let requests = night.api.requests();
    assert_eq!(requests.len(), 4);
    let told = requests[0].item_texts().join("\n");
    assert_eq!(told.matches("Run `make greet` to see it.").count(), 1, "it reads AGENTS.md by itself");
    assert_eq!(told.matches("You work unattended").count(), 1, "{told}");
    ended.says("codex 0.169.0");
}

#[test]
fn what_its_sentences_say_went_wrong_ends_the_run_or_is_waited_for() {
    let rows = [
        (
            Reply::error(401, "invalid_request_error", "Incorrect API key provided"),
            "auth",
            "agent_unavailable",
            21,
        ),
        (
            Reply::error(404, "invalid_request_error", "The model `m` does not exist"),
            "config",
            "agent_unavailable",
            21,
        ),
        (
            Reply::error(429, "insufficient_quota", "You exceeded your current quota"),
            "billing",
            "agent_unavailable",
            21,
        ),
        (Reply::error(429, "rate_limit_exceeded", "Slow down"), "outage", "agent_unavailable", 21),
    ];
    for (reply, class, stop_reason, code) in rows {
        let night = Night::codex(Scenario::always(reply)).variable("WINDLASS_LIMITS__OUTAGE_RETRIES", "0");
        let ended = night.run(&[FREE]);
        ended.expect(stop_reason, code);
        assert_eq!(ended.classes(), [class], "{}", ended.said);
    }
}

#[test]
fn a_turn_without_a_word_is_no_success() {
    let night = Night::codex(Scenario::always(Reply::text("")));
    let ended = night.run(&[FREE, "--max-failures", "1"]);
    ended.expect("consecutive_failures", 20).says("without a word");
}

#[test]
fn a_box_of_a_plan_is_built_and_committed() {
    let tick = "echo ahoy > greeting.txt; sed -i 's/- \\[ \\] 1/- [x] 1/' IMPLEMENTATION_PLAN.md";
    let night = Night::codex(Scenario::new([run(tick), Reply::text("Done.")]));
    night.env.write("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] 1. Write the greeting\n");
    night.env.git(&["add", "."]);
    night.env.git(&["commit", "-qm", "Plan"]);
    let running = Running::start(&mut night.windlass(&["build", FREE, "--no-delay", "--commit", "runner"]));
    let ended = night.ended(running);
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert!(night.env.git(&["status", "--short"]).is_empty());
    let asked = &night.api.requests()[0];
    assert_ne!(asked.model(), "sonnet", "what is proposed for another agent is not asked of it");
}

/// A command that never ends, with a child in a session of its own that ignores SIGTERM.
const STEP: &str = "setsid bash -c 'trap \"\" TERM; touch detached; sleep 300' & touch started; sleep 302";

#[test]
fn an_interrupt_in_a_tool_leaves_nothing_and_the_run_goes_on_later() {
    let night = Night::codex(Scenario::new([run(STEP), Reply::text("Now it is done.")]));
    let running = night.start(&[FREE, "--max-iterations", "1"]);
    let there = |name: &str| night.env.project().join(name).exists();
    let begun = wait_until(PATIENCE, || there("started") && there("detached"));
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::TERM);
    running.signal(Signal::TERM);
    let ended = night.ended(running);
    ended.expect("terminated", 143);
    assert_eq!(ended.classes(), ["interrupted"]);
    let resumed = night.resume(&[]);
    resumed.expect("max_iterations", 10);
    assert_eq!(resumed.classes(), ["interrupted", "success"]);
}

#[test]
fn a_killed_runner_leaves_nothing_and_the_run_goes_on() {
    let night = Night::codex(Scenario::new([run(STEP), Reply::text("Now it is done.")]));
    let running = night.start(&[FREE, "--max-iterations", "1"]);
    let begun = wait_until(PATIENCE, || night.env.project().join("started").exists());
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    night.env.assert_no_processes(Duration::from_secs(10));
    night.resume(&[]).expect("max_iterations", 10);
}

#[test]
fn it_works_in_a_sandbox_of_windlass_instead_of_its_own() {
    let kind = SandboxKind::Bwrap;
    if let Err(why) = probe(&kind).works {
        let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
        assert!(!required, "{why}");
        eprintln!("skipped: {} cannot be used here: {why}", kind.name());
        return;
    }
    let work = "echo Ahoy > greeting.txt && git add greeting.txt && git commit -q -m Greet; touch ../outside-was-written";
    let night = Night::codex(Scenario::new([run(work), claim()]));
    let flags =
        ["--sandbox", "bwrap", "-m", "2", "--completion-threshold", "1", "--gate", "test -f greeting.txt"];
    night.run(&flags).expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n");
    assert_eq!(night.env.git(&["log", "-1", "--format=%s"]), "Greet");
    assert!(!night.env.root().join("outside-was-written").exists());
}
