//! Sessions and judgements with the real agent.

use std::fs;

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, Outcome, PersonsTerminal, Running, TestEnv};

use crate::night::{Night, PATIENCE};

const FOLDER: &str = ".windlass/workspaces/api";

fn metadata() -> String {
    json!({"name": "api", "created": "2026-01-01T00:00:00Z", "status": "in_progress", "mode": "loop",
        "totalIterations": 0, "setupIterations": 0, "executionIterations": 0})
    .to_string()
}

/// A project with the workspace `api`, and instructions in it.
fn place() -> TestEnv {
    let env = TestEnv::with_git();
    env.write(format!("{FOLDER}/.metadata.json"), metadata());
    env.write(format!("{FOLDER}/INSTRUCTIONS.md"), "# Greet\n\nWrite `greeting.txt` with the word hello.\n");
    env
}

/// Nothing is asked on the first start but what the session is about: theme, trust and key are settled.
fn settled(env: &TestEnv) {
    let project = env.project().canonicalize().unwrap();
    let mut projects = serde_json::Map::new();
    projects.insert(
        project.display().to_string(),
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}),
    );
    let state = json!({
        "hasCompletedOnboarding": true, "theme": "dark", "projects": projects,
        "customApiKeyResponses": {"approved": ["sk-ant-test-dummy"], "rejected": []},
    });
    env.write(env.home().join(".claude/.claude.json"), state.to_string());
}

fn ask(night: &Night, arguments: &[&str]) -> Outcome {
    let outcome = Running::start(&mut night.windlass(arguments)).wait(PATIENCE);
    assert!(!outcome.timed_out, "{}\n{}", outcome.stdout_text(), outcome.stderr_text());
    night.env.assert_no_processes(std::time::Duration::from_secs(2));
    outcome
}

fn document(outcome: &Outcome) -> Value {
    let lines = outcome.json_lines();
    assert_eq!(lines.len(), 1, "{}\n{}", outcome.stdout_text(), outcome.stderr_text());
    lines.into_iter().next().unwrap()
}

fn judges(verdict: &str) -> Reply {
    Reply::tool(
        "StructuredOutput",
        json!({"verdict": verdict, "confidence": "high", "summary": "I looked at greeting.txt.",
            "findings": [{"title": "The word is missing", "detail": "greeting.txt:1", "required": verdict != "pass"}],
            "recommendation": "Write it."}),
    )
}

// rows: 7, 99
#[test]
fn setup_hands_the_terminal_to_the_agent_and_has_it_back() {
    let env = TestEnv::with_git();
    env.write(format!("{FOLDER}/.metadata.json"), metadata());
    settled(&env);
    let file = env.project().canonicalize().unwrap().join(FOLDER).join("INSTRUCTIONS.md");
    let scenario = Scenario::new([
        Reply::write(&file, "# Greet\n\nWrite greeting.txt.\n"),
        Reply::text("The instructions are there, Harald."),
    ])
    .repeat_last();
    let night = Night::at(env, scenario, Credentials::ApiKey);
    let mut terminal = PersonsTerminal::start(&mut night.windlass(&["setup", "api"]));
    terminal.wait_for("Harald.");
    assert!(!terminal.is_ordinary());
    // Typed as a person types: the line is there before Enter is pressed.
    terminal.press("/exit");
    terminal.wait_for("/exit");
    // sleep: the agent takes keys that come at once for pasted text
    std::thread::sleep(std::time::Duration::from_millis(700));
    terminal.press("\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(terminal.is_ordinary());
    assert!(terminal.text().contains("the instructions of api are written"), "{}", terminal.text());
    // Written without being asked, since that is what the session is for.
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Greet\n\nWrite greeting.txt.\n");
    let request = &night.api.requests()[0];
    assert!(request.system().contains("# What this session is for"), "{}", request.system());
    assert!(request.user_texts().iter().any(|text| text.contains("the workspace “api”")));
    night.env.assert_no_processes(std::time::Duration::from_secs(2));
}

// rows: 131
#[test]
fn validate_says_ready_or_what_is_to_be_revised() {
    for (verdict, code, words) in [("pass", 0, "ready"), ("needs_review", 23, "needs revision")] {
        let night = Night::at(
            place(),
            Scenario::new([judges(verdict), Reply::text("Said.")]).repeat_last(),
            Credentials::ApiKey,
        );
        let outcome = ask(&night, &["validate", "api"]);
        outcome.expect_code(code, words);
        assert!(outcome.stdout_text().contains(words), "{}", outcome.stdout_text());
        assert!(night.env.read(format!("{FOLDER}/validation-report.md")).contains(words));
        let prompt = night.first_requests()[0].user_texts().join("\n");
        assert!(
            prompt.contains("Judge the instructions, not the project") && prompt.contains("# Greet"),
            "{prompt}"
        );
    }
}

// rows: 132
#[test]
fn verify_passes_only_when_a_fresh_agent_says_so() {
    for (verdict, code) in [("pass", 0), ("fail", 23)] {
        let scenario =
            Scenario::new([Reply::bash("git status --short"), judges(verdict), Reply::text("Said.")])
                .repeat_last();
        let night = Night::at(place(), scenario, Credentials::ApiKey);
        let outcome = ask(&night, &["verify", "api", "--json", "--depth", "deep"]);
        outcome.expect_code(code, verdict);
        let document = document(&outcome);
        assert_eq!((&document["verdict"], &document["confidence"]), (&verdict.into(), &"high".into()));
        assert_eq!(document["findings"][0]["title"], "The word is missing");
        let request = &night.first_requests()[0];
        assert!(request.user_texts().join("\n").contains("Look closely"));
        let tools = request.body["tools"].as_array().unwrap();
        assert!(tools.iter().any(|tool| tool["name"] == "StructuredOutput"));
        assert!(!tools.iter().any(|tool| tool["name"] == "Write" || tool["name"] == "Edit"));
    }
}

// rows: 132
#[test]
fn who_never_answers_has_not_judged() {
    let scenario = Scenario::always(Reply::text("VERIFICATION_PASS: everything is done."));
    let night = Night::at(place(), scenario, Credentials::ApiKey);
    let outcome = ask(&night, &["verify", "api", "--json"]);
    outcome.expect_code(10, "no judgement");
    assert_eq!(document(&outcome)["verdict"], Value::Null);
    assert!(night.env.read(format!("{FOLDER}/verification-report.md")).contains("no verdict"));
}

/// Works, claims completion, and is judged so; once per verdict.
fn first_and_again(env: &TestEnv, verdicts: &[&str]) -> Scenario {
    let folder = env.project().canonicalize().unwrap();
    let status = folder.join(FOLDER).join(".status.json");
    let mut replies = Vec::new();
    for (number, verdict) in verdicts.iter().enumerate() {
        if number > 0 {
            // A file that is there is only written after it was read.
            replies.push(Reply::tool("Read", json!({"file_path": status})));
        }
        let claim = json!({"complete": true, "summary": format!("round {number}")}).to_string();
        replies.extend([
            Reply::write(folder.join(format!("greeting-{number}.txt")), "hello\n"),
            Reply::write(&status, &claim),
            Reply::text("Done."),
            judges(verdict),
            Reply::text("Said."),
        ]);
    }
    Scenario::new(replies).repeat_last()
}

// rows: 133
#[test]
fn completion_is_verified_and_a_refusal_goes_on() {
    let env = place();
    let scenario = first_and_again(&env, &["fail", "pass"]);
    let night =
        Night::at(env, scenario, Credentials::ApiKey).variable("WINDLASS_VERIFY__ON_COMPLETION", "true");
    let outcome = ask(&night, &["run", "api", "--no-delay"]);
    outcome.expect_success("run");
    assert!(outcome.stdout_text().contains("stopped: complete"), "{}", outcome.stdout_text());
    assert!(night.env.read(format!("{FOLDER}/verification-report.md")).contains("**pass**"));
    // The second iteration is told what was found.
    let told = night.first_requests().iter().any(|request| {
        request
            .user_texts()
            .iter()
            .any(|text| text.contains("The word is missing") && text.contains("was verified"))
    });
    assert!(told);
}

// rows: 133
#[test]
fn refused_twice_a_person_is_needed() {
    let env = place();
    let scenario = first_and_again(&env, &["fail", "needs_review"]);
    let night =
        Night::at(env, scenario, Credentials::ApiKey).variable("WINDLASS_VERIFY__ON_COMPLETION", "true");
    let outcome = ask(&night, &["run", "api", "--no-delay", "--exit-codes", "detailed"]);
    outcome.expect_code(24, "needs_human");
    assert!(night.env.read(format!("{FOLDER}/verification-report.md")).contains("**needs review**"));
}
