//! `run --dry-run`: everything is said and nothing is touched.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_testkit::environment::TestEnv;

use super::{ask, finished, told, windlass};

/// Every path below a folder with its times of change and its content.
fn census(folder: &Path) -> Vec<(PathBuf, i64, i64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            found.push((path, metadata.ctime(), metadata.ctime_nsec(), content));
        }
    }
    found.sort();
    found
}

// rows: 140
// Seed defect D3, core/loop.ts:151, 297-304, 331-345: a dry run committed.
#[test]
fn no_byte_is_touched() {
    let env = TestEnv::with_git();
    finished(&env, "Work", 1);
    env.write(".windlass/config.toml", "[limits]\nmax_cost = 3\n");
    let before = census(env.root());
    for arguments in [
        &["run", "-p", "Work", "--dry-run"][..],
        &["run", "-p", "Work", "--dry-run", "--mock", "--commit", "runner"],
        &["run", "-f", "README.md", "--dry-run", "--json"],
        &["run", "-p", "x", "--dry-run", "--max-cost", "nonsense"],
    ] {
        let _ = ask(&env, arguments);
        assert!(census(env.root()) == before, "{arguments:?}");
    }
    let fresh = TestEnv::new();
    told(&fresh, &["run", "-p", "Work", "--dry-run"]);
    assert!(!fresh.state().exists());
}

#[test]
fn what_would_be_withheld_is_named() {
    let env = TestEnv::with_git();
    let mut command = windlass(&env, &["run", "-p", "Work", "--dry-run", "--gate", "true"]);
    command.env("GITHUB_TOKEN", "hunter2").env("CLAUDE_CODE_OAUTH_TOKEN", "of-the-agent");
    let outcome = env.run(&mut command, std::time::Duration::from_mins(1));
    let said = outcome.stdout_text();
    assert!(said.contains("secrets withheld from agent and checks: GITHUB_TOKEN"), "{said}");
    assert!(said.contains("from checks: CLAUDE_CODE_OAUTH_TOKEN") && !said.contains("hunter2"), "{said}");
}

// rows: 124, 140
#[test]
fn all_that_a_run_would_be_is_printed() {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", "[agent]\nmodel = 'opus'\n");
    env.write("AGENTS.md", "Tests run with `make check`.\n");
    env.write("SHARED_TASK_NOTES.md", "The parser is done.\n");
    let arguments = ["run", "-p", "Port it's parser", "--dry-run", "--max-cost", "5", "--gate", "make check"];
    let text = told(&env, &[&arguments[..], &["--", "--add-dir", "a b"]].concat());
    let configuration = text.lines().find(|line| line.starts_with("agent.model ")).unwrap();
    assert!(configuration.contains("config.toml:2"), "{configuration}");
    let after =
        |title: &str| text.split_once(&format!("--- {title}")).unwrap_or_else(|| panic!("{title}: {text}")).1;
    assert!(after("system prompt").contains("Tests run with `make check`."));
    assert!(after("prompt of the first iteration").contains("Port it's parser"));
    assert!(after("prompt of the first iteration").contains("The parser is done."));
    assert!(
        after("settings.json").contains("\"Bash(make check)\"")
            || after("settings.json").contains("Bash(make check")
    );
    let command = after("command line").lines().nth(1).unwrap();
    assert!(command.starts_with("claude --add-dir 'a b' -p --output-format stream-json "), "{command}");
    assert!(command.contains(" --model opus --max-budget-usd 5 < "), "{command}");
    assert!(command.ends_with("/runs/r-xxxxxxxx/iterations/0001/1-work/prompt.md"), "{command}");
    assert!(text.contains("the agent `claude` is not installed"), "{text}");
    assert!(text.contains("the gate `make check` cannot pass"), "{text}");
}

/// What does not go together is refused as the run would be.
#[test]
fn what_a_run_refuses_at_once_is_refused() {
    let env = TestEnv::with_git();
    env.write("TASKS.md", "### TASK-001: One\n- **Status**: pending\n");
    for (arguments, sentence) in [
        (&["run", "-p", "x", "--fleet", "--mock"][..], "a fleet has lanes, and this run has none of its own"),
        (
            &["run", "--mode", "tasks", "-f", "TASKS.md", "-j", "300", "--fleet", "--mock"],
            "300 lanes are too many",
        ),
        (&["run", "-p", "x", "-j", "3", "--mock"], "`-j` belongs to tasks"),
    ] {
        let real = ask(&env, arguments);
        let rehearsed = ask(&env, &[arguments, &["--dry-run"]].concat());
        assert!(rehearsed.stderr_text().contains(sentence), "{}", rehearsed.stderr_text());
        assert_eq!((rehearsed.code, rehearsed.stderr_text()), (real.code, real.stderr_text()));
    }
}

// rows: 140
#[test]
fn it_works_inside_a_run() {
    let env = TestEnv::with_git();
    let mut command = windlass(&env, &["run", "-p", "Work", "--dry-run"]);
    let outcome = env.run(command.env("WINDLASS_RUN", "r-12345678"), super::PATIENCE);
    outcome.expect_success("a dry run inside a run");
}
