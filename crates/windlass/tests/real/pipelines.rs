//! A pipeline: from a goal over its three documents to executed tasks.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustix::process::Signal;
use serde_json::json;
use windlass_testkit::api::{Reply, Request, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv, wait_until};

use crate::night::{Night, PATIENCE, prompt};

const FOLDER: &str = ".windlass/pipelines/greet-1";

const PRD: &str = "# PRD: Greeting\n\n## Goals\n- Ships are greeted\n\n## Requirements\n- R1: A greeting stands in a file.\n\n\
    ## Success criteria\n- The file is there.\n";

const ARCHITECTURE: &str = "# Architecture\n\n## Components\n\n### Greeting\nThe words.\n- Files: `greeting.txt`\n- Requirements: R1\n\n\
    ## File structure\n- `greeting.txt`\n\n## Technical decisions\n- Plain text.\n";

const TASKS: &str = "# Tasks\n\n### T001: Write the greeting\n- **Status**: pending\n- **Files**: `greeting.txt`\n\
    - **Description**: For R1.\n- **Success Criteria**:\n  - `greeting.txt` contains `Ahoy`\n";

/// Sets the status of the only task from what it is.
fn done(env: &TestEnv, from: &str) -> Vec<Reply> {
    let tasks = env.project().join(FOLDER).join("tasks.md");
    let line = |word: &str| format!("- **Status**: {word}");
    vec![
        Reply::tool("Read", json!({"file_path": tasks})),
        Reply::tool(
            "Edit",
            json!({"file_path": tasks, "old_string": line(from), "new_string": line("done")}),
        ),
        Reply::text("The task is done."),
    ]
}

// rows: 76, 97, 135
#[test]
fn a_goal_becomes_documents_and_the_documents_become_work() {
    let env = TestEnv::with_git();
    env.write("AGENTS.md", "Greetings are plain text.\n");
    env.write(format!("{FOLDER}/goal.md"), "Greet every ship.\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A goal"]);
    let document = |name: &str, text: &str| Reply::write(env.project().join(FOLDER).join(name), text);
    let mut replies = vec![
        // What is not to be done while planning.
        Reply::write(env.project().join("greeting.txt"), "too early\n"),
        document("prd.md", "# PRD\n\n## Goals\n- TODO\n"),
        Reply::text("Planned."),
        Reply::tool("Read", json!({"file_path": env.project().join(FOLDER).join("prd.md")})),
        document("prd.md", PRD),
        Reply::text("Mended."),
        document("architecture.md", ARCHITECTURE),
        Reply::text("Planned."),
        document("tasks.md", TASKS),
        Reply::text("Planned."),
    ];
    // The first claim comes too early.
    replies.extend([Reply::write(env.project().join("greeting.txt"), "Hello\n")]);
    replies.extend(done(&env, "in-progress"));
    replies.extend([
        Reply::tool("Read", json!({"file_path": env.project().join("greeting.txt")})),
        Reply::write(env.project().join("greeting.txt"), "Ahoy\n"),
    ]);
    replies.extend(done(&env, "in-progress"));
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);

    let ended = night.ended(Running::start(&mut night.windlass(&[
        "pipeline",
        "--no-delay",
        "--resume",
        "greet-1",
        "--run",
        "--max-cost",
        "5",
    ])));
    ended.expect("complete", 0);
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n");
    assert!(night.env.read(format!("{FOLDER}/tasks.md")).contains("**Status**: done"));
    assert_eq!(
        night.env.git(&["log", "-1", "--format=%s"]),
        "Windlass iteration 2: T001 - Write the greeting"
    );
    let told: Vec<String> = night.first_requests().iter().map(prompt).collect();
    assert!(told[1].contains("prd.md:4: `TODO` stands for something"), "{}", told[1]);
    assert!(told[2].contains("Each of its requirements is met somewhere: `R1`"), "{}", told[2]);
    assert!(told.last().unwrap().contains("greeting.txt does not contain `Ahoy`"), "{told:#?}");
}

/// What is killed, in its order: each phase, the work, and the judgement of what nothing else shows.
const STEPS: [&str; 5] = ["prd.md", "architecture.md", "tasks.md", "work", "judgement"];

/// Which of them a request belongs to.
fn step(request: &Request) -> &'static str {
    let asked = request.user_texts().join("\n");
    if asked.contains("## What to look over") {
        return "judgement";
    }
    let of = |name: &&&str| asked.contains(&format!("Write the document, `{FOLDER}/{name}`"));
    STEPS.iter().find(of).copied().unwrap_or("work")
}

/// What its agent does next.
fn answer(project: &Path, step: &str, done: usize) -> Reply {
    let judged = format!("{TASKS}  - it is friendly\n");
    let folder = project.join(FOLDER);
    let line = |word: &str| format!("- **Status**: {word}");
    match (step, done) {
        ("prd.md", 0) => Reply::write(folder.join(step), PRD),
        ("architecture.md", 0) => Reply::write(folder.join(step), ARCHITECTURE),
        ("tasks.md", 0) => Reply::write(folder.join(step), &judged),
        ("work", 0) => Reply::write(project.join("greeting.txt"), "Ahoy\n"),
        ("work", 1) => Reply::tool("Read", json!({"file_path": folder.join("tasks.md")})),
        ("work", 2) => Reply::tool(
            "Edit",
            json!({"file_path": folder.join("tasks.md"), "old_string": line("in-progress"), "new_string": line("done")}),
        ),
        ("judgement", _) => Reply::tool(
            "StructuredOutput",
            json!({"verdict": "pass", "summary": "friendly", "findings": [],
                "criteria": [{"number": 1, "met": true, "because": "Ahoy"}]}),
        ),
        _ => Reply::text("It is there."),
    }
}

// rows: 75, 76, 97, 135
#[test]
fn it_is_killed_in_each_phase_and_while_it_is_worked_off_and_goes_on() {
    let env = TestEnv::with_git();
    env.write(format!("{FOLDER}/goal.md"), "Greet every ship.\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A goal"]);
    let project = env.project().to_owned();
    let stalled: Arc<Mutex<BTreeSet<&str>>> = Arc::default();
    let seen = stalled.clone();
    let scenario = Scenario::computed(move |request| {
        let step = step(request);
        // The first time nobody answers.
        if seen.lock().unwrap().insert(step) {
            return Reply::stall_before_headers();
        }
        answer(&project, step, request.tool_results().len())
    });
    let night = Night::at(env, scenario, Credentials::ApiKey);
    let flags = ["pipeline", "--no-delay", "--resume", "greet-1", "--run", "--max-cost", "20"];
    for step in STEPS {
        let running = Running::start(&mut night.windlass(&flags));
        let there = || stalled.lock().unwrap().contains(step);
        assert!(wait_until(PATIENCE, there), "{step}: {}", running.stderr_so_far());
        running.signal(Signal::KILL);
        let killed = running.wait(PATIENCE);
        assert_eq!(killed.signal, Some(9), "{step}: {}", killed.stderr_text());
        night.env.assert_no_processes(PATIENCE);
    }
    let ended = night.ended(Running::start(&mut night.windlass(&flags)));
    ended.expect("complete", 0).says("T001: it is friendly (Ahoy)");
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n");
    let purposes = ended.each("call_reserved", "purpose");
    assert_eq!(purposes, ["work", "work", "review", "review"], "the run goes on, and is not begun anew");
    assert_eq!(night.env.git(&["rev-list", "--count", "HEAD"]), "3", "one task, one commit");
    // Each step is asked for once more than it was killed, and nothing is paid for a third time.
    let asked =
        |wanted: &str| night.first_requests().iter().filter(|request| step(request) == wanted).count();
    assert_eq!(STEPS.map(asked), [2; 5]);
}
