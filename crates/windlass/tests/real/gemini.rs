//! The same with the real Gemini CLI, by ACP.

use serde_json::json;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::Running;

use crate::night::{Night, PATIENCE};
use crate::others::{FREE, GEMINI, claim};

#[test]
fn it_reaches_a_goal_and_each_call_is_priced_by_the_list() {
    let scenario = Scenario::new([
        (GEMINI.run)("echo ahoy > greeting.txt"),
        Reply::text("The draft is there."),
        claim(),
        claim(),
    ]);
    let night = Night::gemini(scenario);
    night.env.write("AGENTS.md", "Run `make greet` to see it.\n");
    let ended = night.run(&[FREE, "--completion-threshold", "2", "--gate", "grep -q ahoy greeting.txt"]);
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "ahoy\n");
    assert_eq!(ended.verdicts(), ["worked", "claim_accepted", "claim_accepted"]);
    assert_eq!(ended.classes(), ["success"; 3]);
    assert_eq!(ended.each("call_finished", "tool_uses")[0], 1);
    assert_eq!(ended.finish()["estimated"], true, "it does not say what it costs");
    assert_eq!(ended.finish()["tokens"]["input"], 400);
    let requests = night.api.requests();
    assert_eq!(requests.len(), 4, "nothing is asked beside the job");
    assert_eq!(requests[0].model(), "gemini-2.5-pro");
    let told = requests[0].item_texts().join("\n");
    assert_eq!(told.matches("Run `make greet` to see it.").count(), 1, "it reads GEMINI.md alone");
    assert_eq!(told.matches("You work unattended").count(), 1, "{told}");
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

// Without a sandbox it could do anything: that needs a yes.
#[test]
fn without_a_sandbox_nothing_is_begun_without_a_yes() {
    let night = Night::gemini(Scenario::always(claim()));
    let ended = night.run(&[]);
    assert_eq!(ended.outcome.code, Some(2), "{}", ended.said);
    assert!(night.api.requests().is_empty());
    ended.says("--sandbox");
}
