//! The real agent as a council.

use serde_json::json;
use windlass_core::principles::{Preset, Principles};
use windlass_jobs::doc::principles::written;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::Night;

// rows: 102
#[test]
fn a_conflict_goes_to_a_council_and_its_decision_into_the_next_prompt() {
    let env = TestEnv::with_git();
    env.write(
        env.project().join(".windlass/principles.yaml"),
        written(&Principles::of(Preset::Enterprise), "2026-01-31"),
    );
    let file = env.project().join("work.txt");
    let conflict = json!({"principle_conflict": {
        "principles": ["speed_correctness", "blast_radius"],
        "options": ["rewrite it", "patch it"],
        "question": "Rewrite or patch?",
    }});
    let decision =
        json!({"decision": "Patch it, and note the rest.", "rationale": "It can be undone.", "choice": 2});
    let replies = [
        Reply::write(&file, "one"),
        Reply::text(format!("I patched it for now.\n\n```json\n{conflict}\n```")),
        Reply::tool("StructuredOutput", decision),
        Reply::text("Done.\n\nWINDLASS_JOB_COMPLETE"),
    ];
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    let run = night.run(&["--completion-threshold", "1", "-m", "3"]);
    run.expect("complete", 0);
    assert_eq!(run.verdicts(), ["worked", "claim_accepted"]);
    let calls = run.all("call_finished");
    assert_eq!(calls[0]["conflict"]["question"], "Rewrite or patch?");
    assert_eq!(calls[1]["decision"]["choice"], 2);
    assert_eq!(run.all("decision_logged").len(), 1);
    run.expect_requests_charged(4);

    let requests = night.first_requests();
    let prompts: Vec<String> = requests.iter().map(|request| request.user_texts().join("\n")).collect();
    assert!(
        prompts[1].contains("## A conflict to settle") && prompts[1].contains("2. patch it"),
        "{}",
        prompts[1]
    );
    assert!(prompts[1].contains("- blast_radius 9: "), "{}", prompts[1]);
    let tools = requests[1].body["tools"].to_string();
    assert!(!tools.contains("\"Write\"") && !tools.contains("\"Edit\""), "it may change nothing: {tools}");
    assert!(prompts[2].contains("Decided: Patch it, and note the rest."), "{}", prompts[2]);
    assert!(!prompts[0].contains("## Decided in this run"), "{}", prompts[0]);
}
