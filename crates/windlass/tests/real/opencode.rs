//! The same with the real opencode.

use windlass_testkit::api::{Reply, Scenario};

use crate::night::Night;
use crate::others::{FREE, OPENCODE, claim};

#[test]
fn it_reaches_a_goal_and_says_what_each_call_cost() {
    let scenario = Scenario::new([
        (OPENCODE.run)("echo ahoy > greeting.txt"),
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

// Without a sandbox it could do anything: that needs a yes.
#[test]
fn without_a_sandbox_nothing_is_begun_without_a_yes() {
    let night = Night::opencode(Scenario::always(claim()));
    let ended = night.run(&[]);
    assert_eq!(ended.outcome.code, Some(2), "{}", ended.said);
    assert!(night.api.requests().is_empty());
    ended.says("--sandbox");
}
