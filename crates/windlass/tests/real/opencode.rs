//! The same with the real opencode.

use windlass_testkit::api::{Reply, Scenario};

use crate::night::Night;
use crate::others::{FREE, OPENCODE, reach_a_goal};

#[test]
fn it_reaches_a_goal_and_says_what_each_call_cost() {
    let (_, ended) = reach_a_goal(OPENCODE, &[]);
    assert_ne!(ended.finish()["estimated"], true, "it knows the prices of its models");
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

// It says so in its log alone, and would go on for ever. A time of day alone would be tried again at once in the hour after
// it, at which this test may run.
#[test]
fn a_limit_that_it_tries_again_is_known_by_its_sentence() {
    let said = "Claude usage limit reached. Your limit will reset on 2099-01-01 at 9pm";
    let night = Night::opencode(Scenario::always(Reply::error(429, "rate_limit_error", said)));
    let ended = night.variable("WINDLASS_LIMITS__MAX_WAIT", "0s").run(&[FREE]);
    ended.expect("limit_wait_exceeded", 22);
    assert_eq!(ended.classes(), ["usage_limit"], "{}", ended.said);
}
