//! What is kept of old runs.

use std::path::{Path, PathBuf};

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{PATIENCE, ask, document, finished, start, told, windlass};

/// The folder of a run.
fn folder(env: &TestEnv, run: &str) -> PathBuf {
    let projects: Vec<PathBuf> = std::fs::read_dir(env.state().join("projects"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("runs").join(run))
        .filter(|path| path.exists())
        .collect();
    assert_eq!(projects.len(), 1, "{run}: {projects:?}");
    projects[0].clone()
}

fn is_recorded(run: &Path) -> bool {
    run.join("iterations").exists()
}

/// A run of one iteration with these variables set; what it printed.
fn run_with(env: &TestEnv, variables: &[(&str, &str)]) -> String {
    let mut command = windlass(env, &["run", "-p", "Another", "--mock", "--no-delay", "-m", "1", "--fresh"]);
    let outcome = env.run(command.envs(variables.iter().copied()), PATIENCE);
    assert_eq!(outcome.code, Some(10), "{}", outcome.stderr_text());
    outcome.stdout_text() + &outcome.stderr_text()
}

// rows: 116
#[test]
fn recordings_of_old_runs_go_by_a_rule_and_all_else_stays() {
    let env = TestEnv::with_git();
    let runs: Vec<String> = (0..3).map(|number| finished(&env, &format!("Job {number}"), 1)).collect();
    let (killed, interrupted) = start(&env, "Patience", &[]);
    killed.signal(Signal::KILL);
    let _ = killed.wait(PATIENCE);
    let folders: Vec<PathBuf> = runs.iter().map(|run| folder(&env, run)).collect();
    assert!(folders.iter().all(|folder| is_recorded(folder)), "the default keeps them");
    let before = document(&env, &["runs", "--json"]);

    let said = run_with(&env, &[("WINDLASS_RUNS__KEEP", "1")]);
    assert!(said.contains("the recordings of 2 old runs are removed"), "{said}");
    let left: Vec<bool> = folders.iter().map(|folder| is_recorded(folder)).collect();
    assert_eq!(left, [false, false, true]);
    assert!(is_recorded(&folder(&env, &interrupted)), "it can still be resumed");
    assert!(!run_with(&env, &[("WINDLASS_RUNS__KEEP", "9")]).contains("recordings"), "said once");

    let after = document(&env, &["runs", "--json"]);
    let old = |listed: &serde_json::Value| {
        let all = listed["runs"].as_array().unwrap().clone();
        all.into_iter().filter(|run| runs.iter().any(|old| run["run"] == old.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(old(&after), old(&before));
    let status = document(&env, &["status", &runs[0], "--json"]);
    assert_eq!((&status["cost_usd"], &status["restorable"]), (&0.02.into(), &1.into()));
    for arguments in [&["logs", &runs[0]][..], &["logs", &runs[0], "--tools"]] {
        let logs = ask(&env, arguments);
        assert_eq!(logs.code, Some(0));
        let complaint =
            format!("warning: what the agents of run {} said and did is not kept any more", runs[0]);
        assert!(logs.stderr_text().starts_with(&complaint), "{}", logs.stderr_text());
    }
    told(&env, &["restore", &runs[0], "1"]);
    assert_eq!(env.read("work.txt"), "call 1\n");
}

// rows: 116
#[test]
fn recordings_take_no_more_room_than_they_may() {
    let env = TestEnv::with_git();
    let (first, second) = (finished(&env, "First job", 1), finished(&env, "Second job", 1));
    let said = run_with(&env, &[("WINDLASS_RUNS__KEEP_SIZE", "1k")]);
    assert!(said.contains("the recordings of 1 old run are removed"), "{said}");
    assert!(!is_recorded(&folder(&env, &first)) && is_recorded(&folder(&env, &second)));
    let said = run_with(&env, &[("WINDLASS_RUNS__KEEP_SIZE", "0"), ("WINDLASS_RUNS__KEEP", "0")]);
    assert!(!said.contains("recordings"), "{said}");
}
