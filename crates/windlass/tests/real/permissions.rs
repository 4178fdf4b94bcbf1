//! What the agent may do, and what is said about what it may not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_core::principles::{Preset, Principles};
use windlass_jobs::doc::principles::written;
use windlass_testkit::api::{Reply, Request, Scenario, ToolResult};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::Night;

const COMMAND: &str = r#"touch "quoted (1).txt" && touch plain.txt"#;

// rows: 29, 32
#[test]
fn a_denied_command_is_named_with_the_command_that_allows_it() {
    let night = Night::new(Scenario::new([Reply::bash(COMMAND), Reply::text("I may not.")]));
    let run = night.run(&["--max-iterations", "1"]);
    run.expect("max_iterations", 10).says(&format!("denied: Bash {COMMAND}"));
    assert!(!night.env.project().join("plain.txt").exists());
    let line = run
        .said
        .lines()
        .find_map(|line| line.split_once("allowed by: "))
        .map(|(_, line)| line.trim())
        .unwrap();
    let rule = r#"Bash(touch "quoted \(1\).txt" && touch plain.txt)"#;
    assert_eq!(line, format!("windlass config set permissions.allow --add '{rule}'"));

    let again = Night::new(Scenario::new([Reply::bash(COMMAND), Reply::text("Done.")]));
    let mut command = again.windlass(&["config", "set", "permissions.allow", "--add", rule]);
    again.env.run(&mut command, Duration::from_secs(30)).expect_success(line);
    let run = again.run(&["--max-iterations", "1"]);
    run.expect("max_iterations", 10);
    assert_eq!(run.each("call_finished", "denials"), [&Value::Null], "{}", run.said);
    assert!(
        again.env.project().join("plain.txt").exists() && again.env.project().join("quoted (1).txt").exists()
    );
}

// rows: 29, 32
#[test]
fn git_is_read_and_gates_and_the_projects_own_tools_are_run_without_asking() {
    let env = TestEnv::with_git();
    env.write("Makefile", "test:\n\t@echo tested > tested\n");
    env.write("check.sh", "touch checked\n");
    let gate = "sh check.sh && test -f checked";
    let commands = [
        "git status --short",
        "git log --oneline -3 | head -2",
        "git diff",
        "make test",
        gate,
        "sh check.sh",
    ];
    let scenario = Scenario::new(commands.map(Reply::bash).into_iter().chain([Reply::text("All done.")]));
    let night = Night::at(env, scenario, Credentials::ApiKey);
    let run = night.run(&["--max-iterations", "1", "--gate", gate]);
    run.expect("max_iterations", 10).says("may do");
    assert_eq!(run.each("call_finished", "denials"), [&Value::Null], "{}", run.said);
    assert_eq!(night.env.read("tested"), "tested\n");
    assert!(night.env.project().join("checked").exists());
    let results = night.api.requests().last().unwrap().tool_results();
    assert!(results.iter().all(|result| !result.is_error), "{results:#?}");
}

/// Tries to change each file, one request after the other, by Write or Edit and by a redirection.
fn attack(files: &[PathBuf], tool: &str) -> Scenario {
    let attempt = |file: &PathBuf| match tool {
        "Bash" => Reply::bash(&format!("echo owned > '{}'", file.display())),
        _ => Reply::write(file, "owned\n"),
    };
    // What exists has to be read before it may be written.
    let reads = files.iter().map(|file| Reply::tool("Read", json!({"file_path": file})));
    let attempts = files.iter().map(attempt);
    Scenario::new(reads.chain(attempts).chain([Reply::text("I tried.")]))
}

fn with_windlass_files(project: &str) -> TestEnv {
    let env = TestEnv::with_project_named(project).git_initialised();
    env.write(".windlass/hooks/started", "#!/bin/sh\n");
    env.write(".windlass/prompts/goal.md", "prompt\n");
    let principles = written(&Principles::of(Preset::Startup), "2026-01-31");
    env.write(".windlass/principles.yaml", principles);
    for file in ["settings.json", "settings.local.json"] {
        env.write(format!(".claude/{file}"), "{}\n");
    }
    env.write("web/.claude/settings.json", "{}\n");
    env.write(".claude/hooks/check.sh", "#!/bin/sh\n");
    env.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nReview.\n");
    env.write(".claude/commands/deploy.md", "Deploy.\n");
    env.write(".windlass/config.toml", "[limits]\nmax_iterations = 1\n");
    env.write(env.config().join("config.toml"), "[output]\nemoji = false\n");
    env
}

// rows: 29, 32
// Seed defect D3, core/claude.ts:89-133: the user's own settings were overwritten in every iteration.
#[test]
fn windlasss_own_files_are_closed_even_where_permissions_are_skipped() {
    let guarded = [
        ".windlass/config.toml",
        ".windlass/hooks/started",
        ".windlass/prompts/goal.md",
        ".windlass/principles.yaml",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/hooks/check.sh",
        ".claude/agents/reviewer.md",
        ".claude/commands/deploy.md",
        "web/.claude/settings.json",
    ];
    for (project, tool, flags) in [
        ("project", "Write", &[][..]),
        ("my (1) [a] *project* \\ 🦀", "Write", &["--dangerously-skip-permissions"]),
        ("project", "Bash", &["--dangerously-skip-permissions"]),
    ] {
        let env = with_windlass_files(project);
        let mut files = guarded.map(|file| env.project().join(file)).to_vec();
        files.push(env.config().join("config.toml"));
        let before: Vec<String> = files.iter().map(|file| env.read(file)).collect();
        let story = attack(&files, tool);
        let night = Night::at(env, story, Credentials::ApiKey).variable("IS_SANDBOX", "1");
        let run = night.run(flags);
        run.expect("max_iterations", 10);
        let after: Vec<String> = files.iter().map(|file| night.env.read(file)).collect();
        assert_eq!(after, before, "{tool} {flags:?}");
        let results = night.api.requests().last().unwrap().tool_results();
        let refused = |result: &ToolResult| result.is_error && result.content.contains("denied");
        assert!(results[files.len()..].iter().all(refused), "{tool} {flags:?} {results:#?}");
        if tool == "Write" {
            run.says("(windlass's own file: closed to the agent)");
            run.says("(it steers agents: closed to the agent)");
            assert!(!run.said.contains("\"Edit("), "no rule allows it:\n{}", run.said);
        }
    }
}

// rows: 29, 32
#[test]
fn a_folder_that_was_added_may_be_written_and_one_beside_it_may_not() {
    let env = TestEnv::with_git();
    let beside = |name: &str| env.root().join(name);
    for folder in ["my docs", "others"] {
        std::fs::create_dir(beside(folder)).unwrap();
    }
    let files = [beside("my docs/new.md"), beside("others/new.md")];
    let writes = files.iter().map(|file| Reply::write(file, "written\n"));
    let story = Scenario::new(writes.chain([Reply::text("Done.")]));
    let [added, other] = files.clone();
    let night = Night::at(env, story, Credentials::ApiKey);
    let run = night.run(&["--max-iterations", "1", "--add-dir", "../my docs"]);
    run.expect("max_iterations", 10);
    assert!(added.exists() && !other.exists(), "{}", run.said);
    let system = night.api.requests().last().unwrap().system();
    assert!(system.contains("Stay inside this project") && system.contains("my docs"), "{system}");
}

/// The run's own journal, and what all runs of the project share: known only once the run is there.
// rows: 29, 32
#[test]
fn the_state_of_runs_is_closed_even_where_permissions_are_skipped() {
    let env = TestEnv::with_git();
    let state = env.state();
    let scenario = Scenario::computed(move |request: &Request| {
        let tried = request.tool_results().len();
        let found = find(&state, &["journal.jsonl", "HEAD", "system.md"]);
        match found.get(tried) {
            Some(file) => Reply::tool("Write", json!({"file_path": file, "content": "owned\n"})),
            None => Reply::text("I tried."),
        }
    });
    let night = Night::at(env, scenario, Credentials::ApiKey).variable("IS_SANDBOX", "1");
    let run = night.run(&["--max-iterations", "1", "--dangerously-skip-permissions"]);
    run.expect("max_iterations", 10);
    let results = night.api.requests().last().unwrap().tool_results();
    assert_eq!(results.len(), 3, "{results:#?}");
    assert!(
        results.iter().all(|result| result.is_error && result.content.contains("denied")),
        "{results:#?}"
    );
}

/// The first file of each name below a folder.
fn find(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = vec![None; names.len()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if let Some(index) = names.iter().position(|name| path.ends_with(name)) {
                found[index] = Some(path);
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.into_iter().flatten().collect()
}
