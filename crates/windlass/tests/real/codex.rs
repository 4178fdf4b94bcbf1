//! The same with the real Codex.

use windlass_testkit::api::{Reply, Scenario};

use crate::night::Night;
use crate::others::{CODEX, FREE, claim};

#[test]
fn it_reaches_a_goal_and_each_call_is_priced_by_the_list() {
    let scenario = Scenario::new([
        (CODEX.run)("echo ahoy > greeting.txt"),
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
