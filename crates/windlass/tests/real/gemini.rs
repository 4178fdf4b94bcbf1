//! The same with the real Gemini CLI, by ACP.

use serde_json::json;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::Running;

use crate::night::{Night, PATIENCE};
use crate::others::{FREE, GEMINI, reach_a_goal};

#[test]
fn it_reaches_a_goal_and_each_call_is_priced_by_the_list() {
    let (night, ended) = reach_a_goal(GEMINI, &[]);
    assert_eq!(ended.finish()["estimated"], true, "it does not say what it costs");
    assert_eq!(night.api.requests()[0].model(), "gemini-2.5-pro");
    ended.says("gemini 0.61.0");
}

#[test]
fn what_failed_ends_the_run_or_is_waited_for() {
    let rows = [
        (Reply::error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."), "auth"),
        (Reply::error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth"),
        (Reply::error(403, "PERMISSION_DENIED", "Your API key was reported as leaked."), "permission"),
        (
            Reply::error(
                400,
                "INVALID_ARGUMENT",
                "The input token count (1048999) exceeds the maximum number",
            ),
            "context_too_long",
        ),
    ];
    for (reply, class) in rows {
        let night = Night::gemini(Scenario::always(reply));
        let ended = night.run(&[FREE, "--max-iterations", "1", "--max-failures", "1"]);
        assert_eq!(ended.classes()[0], class, "{}", ended.said);
    }
}

// The agent asks before it edits, and Windlass answers.
#[test]
fn one_that_judges_is_refused_its_edits() {
    let edit = Reply::tool("write_file", json!({"file_path": "greeting.txt", "content": "changed"}));
    let judged = json!({"verdict": "pass", "confidence": "high", "summary": "It says ahoy.", "findings": [],
        "recommendation": ""});
    let night = Night::gemini(Scenario::new([edit, Reply::text(format!("I looked.\n\n{judged}"))]));
    night.env.write("greeting.txt", "ahoy\n");
    let folder = ".windlass/workspaces/api";
    let metadata = json!({"name": "api", "created": "2026-01-01T00:00:00Z", "status": "in_progress", "mode": "loop",
        "totalIterations": 0, "setupIterations": 0, "executionIterations": 0});
    night.env.write(format!("{folder}/.metadata.json"), metadata.to_string());
    night.env.write(format!("{folder}/INSTRUCTIONS.md"), "# Greet\n\nWrite `greeting.txt`.\n");
    let running = Running::start(&mut night.windlass(&["verify", "api", "--json", FREE]));
    let outcome = running.wait(PATIENCE);
    outcome.expect_code(0, "pass");
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert_eq!(night.api.requests().len(), 2, "it was refused, and went on");
}
