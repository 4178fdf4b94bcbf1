//! The same with the real Codex.

use windlass_testkit::api::{Reply, Scenario};

use crate::night::Night;
use crate::others::{CODEX, FREE, reach_a_goal};

#[test]
fn it_reaches_a_goal_and_each_call_is_priced_by_the_list() {
    let (_, ended) = reach_a_goal(CODEX, &["--model", "gpt-5"]);
    assert_eq!(ended.finish()["estimated"], true, "it does not say what it costs");
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
