//! The same with the real opencode.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use windlass_core::spec::SandboxKind;
use windlass_core::values::Named;
use windlass_engine::sandbox::probe;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Running, wait_until};

use crate::night::{COMPLETE, Night, PATIENCE};

/// It keeps to no rules of its own that would hold a command.
const FREE: &str = "--dangerously-skip-permissions";

/// A command that the model wants to be run.
fn run(command: &str) -> Reply {
    Reply::tool("bash", json!({"command": command, "description": "x"}))
}

fn claim() -> Reply {
    Reply::text(format!("Checked.\n\n{COMPLETE}"))
}

#[test]
fn it_reaches_a_goal_and_says_what_each_call_cost() {
    let scenario = Scenario::new([
        run("echo ahoy > greeting.txt"),
        Reply::text("The draft is there."),
        claim(),
        claim(),
    ]);
    let night = Night::opencode(scenario);
    night.env.write("AGENTS.md", "Run `make greet` to see it.\n");
    let ended = night.run(&[FREE, "--completion-threshold", "2", "--gate", "grep -q ahoy greeting.txt"]);
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert_eq!(ended.verdicts(), ["worked", "claim_accepted", "claim_accepted"]);
    assert_eq!(ended.classes(), ["success"; 3]);
    assert_eq!(ended.each("call_finished", "tool_uses")[0], 1);
    assert_ne!(ended.finish()["estimated"], true, "it knows the prices of its models");
    assert_eq!(ended.finish()["tokens"]["input"], 400);
    let requests = night.api.requests();
    assert_eq!(requests.len(), 4, "nothing is asked beside the job");
    let told = requests[0].body.to_string();
    assert_eq!(
        told.matches("Run `make greet` to see it.").count(),
        1,
        "it is told, since nothing of the repository is read"
    );
    assert_eq!(told.matches("You work unattended").count(), 1, "{told}");
    ended.says("opencode 1.18.33");
}

#[test]
fn what_failed_ends_the_run_or_is_waited_for() {
    let rows = [
        (Reply::error(401, "authentication_error", "invalid x-api-key"), "auth"),
        (Reply::error(404, "not_found_error", "model: m"), "config"),
        (
            Reply::error(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"),
            "context_too_long",
        ),
    ];
    for (reply, class) in rows {
        let night = Night::opencode(Scenario::always(reply));
        let ended = night.run(&[FREE, "--max-iterations", "1", "--max-failures", "1"]);
        assert_eq!(ended.classes()[0], class, "{}", ended.said);
    }
}

// It says so in its log alone, and would go on for ever.
#[test]
fn a_limit_that_it_tries_again_is_known_by_its_sentence() {
    let said = "Claude usage limit reached. Your limit will reset at 9pm";
    let night = Night::opencode(Scenario::always(Reply::error(429, "rate_limit_error", said)));
    let ended = night.variable("WINDLASS_LIMITS__MAX_WAIT", "0s").run(&[FREE]);
    ended.expect("limit_wait_exceeded", 22);
    assert_eq!(ended.classes(), ["usage_limit"], "{}", ended.said);
}

#[test]
fn a_box_of_a_plan_is_built_and_committed() {
    let tick = "echo ahoy > greeting.txt; sed -i 's/- \\[ \\] 1/- [x] 1/' IMPLEMENTATION_PLAN.md";
    let night = Night::opencode(Scenario::new([run(tick), Reply::text("Done.")]));
    night.env.write("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] 1. Write the greeting\n");
    night.env.git(&["add", "."]);
    night.env.git(&["commit", "-qm", "Plan"]);
    let running = Running::start(&mut night.windlass(&["build", FREE, "--no-delay", "--commit", "runner"]));
    night.ended(running).expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert!(night.env.git(&["status", "--short"]).is_empty());
}

#[test]
fn a_turn_without_a_word_is_no_success() {
    let night = Night::opencode(Scenario::always(Reply::text("")));
    let ended = night.run(&[FREE, "--max-failures", "1"]);
    ended.expect("consecutive_failures", 20).says("without a word");
}

/// A command that never ends, with a child in a session of its own that ignores SIGTERM.
const STEP: &str = "setsid bash -c 'trap \"\" TERM; touch detached; sleep 300' & touch started; sleep 302";

#[test]
fn an_interrupt_in_a_tool_leaves_nothing_and_the_run_goes_on_later() {
    let night = Night::opencode(Scenario::new([run(STEP), Reply::text("Now it is done.")]));
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
    let night = Night::opencode(Scenario::new([run(STEP), Reply::text("Now it is done.")]));
    let running = night.start(&[FREE, "--max-iterations", "1"]);
    let begun = wait_until(PATIENCE, || night.env.project().join("started").exists());
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    night.env.assert_no_processes(Duration::from_secs(10));
    night.resume(&[]).expect("max_iterations", 10);
}

#[test]
fn it_works_in_a_sandbox() {
    let kind = SandboxKind::Bwrap;
    if let Err(why) = probe(&kind).works {
        let required = std::env::var_os("WINDLASS_TEST_SANDBOX").is_some_and(|value| value == "required");
        assert!(!required, "{why}");
        eprintln!("skipped: {} cannot be used here: {why}", kind.name());
        return;
    }
    let work = "echo Ahoy > greeting.txt && git add greeting.txt && git commit -q -m Greet; touch ../outside-was-written";
    let night = Night::opencode(Scenario::new([run(work), claim()]));
    let flags =
        ["--sandbox", "bwrap", "-m", "2", "--completion-threshold", "1", "--gate", "test -f greeting.txt"];
    night.run(&flags).expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n");
    assert_eq!(night.env.git(&["log", "-1", "--format=%s"]), "Greet");
    assert!(!night.env.root().join("outside-was-written").exists());
}

// Without a sandbox it could do anything: that needs a yes.
#[test]
fn without_a_sandbox_nothing_is_begun_without_a_yes() {
    let night = Night::opencode(Scenario::always(claim()));
    let ended = night.run(&[]);
    assert_eq!(ended.outcome.code, Some(2), "{}", ended.said);
    assert!(night.api.requests().is_empty());
    ended.says("--sandbox");
}
