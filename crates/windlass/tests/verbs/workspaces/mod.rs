//! `init`, `list`, `show`, `reset`, `clean`: the life of a workspace, from outside.

mod guard;
mod hostile;
mod importing;
mod keeping;
mod life;
mod links;
mod options;

use std::path::PathBuf;

use serde_json::Value;
use windlass_testkit::environment::{Outcome, Running, TestEnv};

use super::{PATIENCE, ask, windlass};

/// Where a workspace of the test's project is.
fn folder(env: &TestEnv, name: &str) -> PathBuf {
    env.project().canonicalize().unwrap().join(".windlass/workspaces").join(name)
}

/// What it says when it refuses with exit code 2; nothing is on standard output.
fn refused(env: &TestEnv, arguments: &[&str]) -> String {
    let outcome = ask(env, arguments);
    outcome.expect_code(2, &format!("{arguments:?}"));
    assert_eq!(outcome.stdout_text(), "", "{arguments:?}");
    // Whole sentences, whatever the width of the lines.
    outcome.stderr_text().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn metadata(env: &TestEnv, name: &str) -> Value {
    serde_json::from_str(&env.read(folder(env, name).join(".metadata.json"))).unwrap()
}

/// A whole run of a workspace with the scripted agent that works through a list of so many items.
fn run_workspace(env: &TestEnv, name: &str, more: &[&str]) -> Outcome {
    let mut arguments = vec!["run", name, "--mock", "--no-delay", "--json"];
    arguments.extend(more);
    ask(env, &arguments)
}

/// Starts a run of a workspace whose call waits for the file `go`.
fn start_workspace(env: &TestEnv, name: &str) -> (Running, String) {
    let script = env.write(env.root().join("patient.toml"), super::PATIENT);
    let mock = format!("--mock={}", script.display());
    let mut running = Running::start(&mut windlass(env, &["run", name, &mock, "--no-delay", "--json"]));
    let begun = running.wait_for_stdout("Now I wait.", PATIENCE);
    assert!(begun, "{}{}", running.stdout_so_far(), running.stderr_so_far());
    let first: Value = serde_json::from_str(running.stdout_so_far().lines().next().unwrap()).unwrap();
    (running, first["run"].as_str().unwrap().to_owned())
}
