//! The main job: a goal, from its prompt to its proof.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{COMPLETE, GOAL, Night, prompt};

/// Three iterations: one writes, one edits and runs, both later ones claim.
fn three_iterations(env: &TestEnv) -> Scenario {
    let file = env.project().join("greeting.txt");
    let notes = env.project().join("SHARED_TASK_NOTES.md");
    let notes_text = format!("Done: the draft.\nNext: name the harbour.\n{COMPLETE}\n");
    let edit = json!({"file_path": file, "old_string": "world", "new_string": "harbour"});
    Scenario::new([
        Reply::text("I begin.").and_tool("Write", json!({"file_path": file, "content": "hello world\n"})),
        Reply::write(&notes, &notes_text),
        Reply::text("The draft is there."),
        Reply::tool("Read", json!({"file_path": file})),
        Reply::tool("Edit", edit),
        Reply::bash("grep -q harbour greeting.txt && git status --short"),
        Reply::text(format!("Checked.\n\n{COMPLETE}")),
        Reply::bash("touch verified"),
        Reply::text(COMPLETE),
    ])
}

// rows: 1, 11, 15, 18, 24, 25, 28, 29, 35, 50, 55
#[test]
fn three_iterations_reach_a_goal() {
    let env = TestEnv::with_git();
    env.write("AGENTS.md", "Run `make greet` to see it.\n");
    let scenario = three_iterations(&env);
    let night = Night::at(env, scenario, Credentials::ApiKey)
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash(touch verified)");
    let run = night.run(&["--completion-threshold", "2", "--gate", "grep -q harbour greeting.txt"]);

    run.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "hello harbour\n");
    assert!(night.env.project().join("verified").exists());
    assert_eq!(run.verdicts(), ["worked", "claim_accepted", "claim_accepted"]);
    assert_eq!(run.each("iteration_finished", "iteration"), [1, 2, 3]);
    run.expect_requests_charged(9);
    assert_eq!(run.each("call_finished", "denials"), [&Value::Null; 3]);
    assert!(run.each("kept", "snapshot").iter().all(|snapshot| snapshot.is_string()));
    assert!(night.env.git(&["status", "--short"]).contains("?? greeting.txt"));
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "1");

    check_prompts(&night.first_requests());
    let left = night.env.home().join(".claude/projects");
    assert!(!left.exists(), "a session or a memory was kept");
}

fn check_prompts(requests: &[Request]) {
    assert_eq!(requests.len(), 3);
    let ours = |request: &Request| {
        let system = request.system();
        let begin = system.find("You work unattended").unwrap();
        system[begin..].to_owned()
    };
    // The agent reads it by itself.
    assert!(!ours(&requests[0]).contains("AGENTS.md"));
    assert!(
        requests.iter().all(|request| request
            .body
            .to_string()
            .matches("Run `make greet` to see it.")
            .count()
            == 1)
    );
    for request in requests {
        assert_eq!(ours(request), ours(&requests[0]), "the system prompt changes");
        assert!(!request.system().contains(COMPLETE));
        assert!(!request.system().contains("persistent file-based memory"));
        let session = |request: &Request| request.header("x-claude-code-session-id").map(str::to_owned);
        assert_eq!(requests.iter().filter(|other| session(other) == session(request)).count(), 1);
        for text in request.user_texts() {
            assert!(text.lines().all(|line| line.trim() != COMPLETE), "the prompt would be a claim:\n{text}");
        }
    }
    let parts = [
        "## How this works",
        "## Goal",
        GOAL,
        "## Notes of earlier iterations",
        "## Notes for the next iteration",
    ];
    for (index, request) in requests.iter().enumerate() {
        let prompt = prompt(request);
        assert!(prompt.contains(&format!("This is iteration {}", index + 1)), "{prompt}");
        let places: Vec<Option<usize>> = parts.iter().map(|part| prompt.find(part)).collect();
        let there: Vec<usize> = places.iter().copied().flatten().collect();
        assert!(there.is_sorted(), "{prompt}");
        assert_eq!(
            places.iter().map(Option::is_some).collect::<Vec<_>>(),
            [true, true, true, index > 0, true]
        );
        assert_eq!(prompt.contains("Next: name the harbour."), index > 0, "{prompt}");
    }
}

// rows: 1, 50
#[test]
fn until_decides_instead_of_the_phrase() {
    let env = TestEnv::with_git();
    let file = env.project().join("count.txt");
    let append = |text: &str| Reply::write(&file, text);
    let scenario = Scenario::new([
        append("one\n"),
        Reply::text(format!("I say that it is done.\n{COMPLETE}")),
        Reply::tool("Read", json!({"file_path": file})),
        append("one\ntwo\n"),
        Reply::text("More."),
        Reply::tool("Read", json!({"file_path": file})),
        append("one\ntwo\nthree\n"),
        Reply::text("No phrase at all."),
    ]);
    let night = Night::at(env, scenario, Credentials::OauthToken);
    let run = night.run(&["--until", "grep -q three count.txt", "--completion-threshold", "1"]);
    run.expect("complete", 0);
    assert_eq!(run.verdicts(), ["worked", "worked", "claim_accepted"]);
    assert!(!prompt(&night.first_requests()[0]).contains(COMPLETE));
    assert!(prompt(&night.first_requests()[0]).contains("`grep -q three count.txt`"));
}

// rows: 51
#[test]
fn a_phrase_in_a_tool_result_or_a_file_claims_nothing() {
    let env = TestEnv::with_git();
    env.write("yesterday.md", format!("{COMPLETE}\n"));
    let env = env.git_initialised();
    let file = env.project().join("yesterday.md");
    let scenario = Scenario::new([
        Reply::tool("Read", json!({"file_path": file})).and_text(COMPLETE),
        Reply::bash("cat yesterday.md"),
        Reply::text(format!("I read `{COMPLETE}` there: {COMPLETE}.")),
    ])
    .repeat_last();
    let night = Night::at(env, scenario, Credentials::ApiKey);
    let run = night.run(&["--completion-threshold", "1", "--stagnation-threshold", "1"]);
    run.expect("stagnated", 14);
    assert_eq!(run.verdicts(), ["idle"]);
    assert_eq!(run.each("call_finished", "claimed"), [&Value::Null]);
}

const PRINTENV: &str = "env | sort > environment.txt";

fn environment_of_a_tool(night: &Night) -> Vec<String> {
    let run = night.run(&["--max-iterations", "1"]);
    run.expect("max_iterations", 10);
    assert_eq!(run.each("call_finished", "denials"), [&Value::Null], "{}", run.said);
    night.env.read("environment.txt").lines().map(str::to_owned).collect()
}

// rows: 11, 28
#[test]
fn the_agent_gets_an_environment_of_its_own() {
    let scenario = || Scenario::new([Reply::bash(PRINTENV), Reply::text("There it is.")]);
    let inherited = |night: Night| {
        night
            .variable("WINDLASS_PERMISSIONS__ALLOW", format!("Bash({PRINTENV})\nBash(env)\nBash(sort)"))
            .variable("CLAUDECODE", "1")
            .variable("CLAUDE_CODE_SESSION_ID", "11111111-1111-1111-1111-111111111111")
            .variable("CLAUDE_CODE_SSE_PORT", "4711")
            .variable("AI_AGENT", "somebody-else")
    };

    let night = inherited(Night::subscriber(scenario())).variable("ANTHROPIC_API_KEY", "sk-ant-costs-money");
    let seen = environment_of_a_tool(&night);
    let has = |line: &str| seen.iter().any(|seen| seen == line);
    let named = |name: &str| seen.iter().any(|seen| seen.starts_with(&format!("{name}=")));
    assert!(has("DISABLE_AUTOUPDATER=1") && has("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"), "{seen:#?}");
    assert!(named("WINDLASS_RUN") && has("WINDLASS_CALL=1"), "{seen:#?}");
    assert!(!named("ANTHROPIC_API_KEY") && !named("CLAUDE_CODE_SSE_PORT"), "{seen:#?}");
    // The agent sets these itself; what was inherited is gone.
    assert!(!has("AI_AGENT=somebody-else"), "{seen:#?}");
    assert!(!has("CLAUDE_CODE_SESSION_ID=11111111-1111-1111-1111-111111111111"), "{seen:#?}");
    let request = &night.api.requests()[0];
    assert_eq!(request.header("authorization"), Some("Bearer sk-ant-oat01-test-dummy"));
    assert_eq!(request.header("x-api-key"), None);
    let bash = request.body["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "Bash").unwrap();
    assert_eq!(bash["input_schema"]["properties"]["run_in_background"], Value::Null);

    let night = inherited(Night::new(scenario()));
    let seen = environment_of_a_tool(&night);
    assert!(seen.iter().any(|line| line == "ANTHROPIC_API_KEY=sk-ant-test-dummy"), "{seen:#?}");
}
