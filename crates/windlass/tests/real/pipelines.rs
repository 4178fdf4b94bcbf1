//! A pipeline: from a goal over its three documents to executed tasks.

use serde_json::json;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv};

use crate::night::{Night, prompt};

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
