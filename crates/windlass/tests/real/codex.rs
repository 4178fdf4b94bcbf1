//! The same with the real Codex.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use serde_json::json;
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::TestEnv;

use crate::night::Night;
use crate::others::{CODEX, FREE, claim, reach_a_goal};

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

/// Which client asked, as it says itself.
fn clients(night: &Night) -> BTreeSet<String> {
    let originator = |request: &Request| request.header("originator").map(str::to_owned);
    night.api.requests().iter().filter_map(originator).collect()
}

#[test]
fn it_is_talked_with_and_by_exec_where_its_arguments_need_that() {
    for (more, client) in [("", "windlass"), ("\n--color=never", "codex_exec")] {
        let mut night = Night::codex(Scenario::always(claim()));
        for (name, value) in TestEnv::codex_environment(&night.api) {
            let more = if name == "WINDLASS_AGENT__ARGUMENTS" { more } else { "" };
            night = night.variable(&name, format!("{}{more}", value.display()));
        }
        night.run(&[FREE, "--max-iterations", "1"]).expect("max_iterations", 10);
        assert_eq!(clients(&night), BTreeSet::from([client.to_owned()]), "{more}");
    }
}

#[test]
fn a_usage_limit_is_over_when_the_window_is_that_is_used_up() {
    let limit = Reply::computed(|_| {
        let soon = Timestamp::now().as_second() + 2;
        Reply::error(429, "usage_limit_reached", "The usage limit has been reached")
            .header("x-codex-primary-used-percent", "100")
            .header("x-codex-primary-window-minutes", "300")
            .header("x-codex-primary-reset-at", &soon.to_string())
    });
    let night = Night::codex(Scenario::new([limit, claim()]));
    let ended = night.run(&[FREE, "--max-iterations", "1"]);
    ended.expect("max_iterations", 10);
    assert_eq!(ended.classes(), ["usage_limit", "success"]);
    let limit = &ended.all("call_finished")[0]["limit"];
    assert_eq!(limit["window"], "five_hour", "{limit}");
    assert!(limit["resets_at"].is_string(), "{limit}");
}

#[test]
fn its_own_sandbox_keeps_it_to_the_project() {
    // Folders of temporary files are open to it.
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside-of-codex");
    for night in [Night::codex, Night::codex_exec] {
        let command = format!("echo in > inside.txt; echo out > '{}'; touch .git/mark", outside.display());
        let write = json!({"cmd": command});
        let night = night(Scenario::new([Reply::tool("exec_command", write), claim()]));
        night.run(&["--max-iterations", "1"]).expect("max_iterations", 10);
        assert_eq!(night.env.read("inside.txt"), "in\n");
        assert!(!outside.exists());
        assert!(!night.env.project().join(".git/mark").exists());
    }
}
