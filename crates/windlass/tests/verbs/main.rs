//! The verbs around a run, from outside: list, show, replay, stop, restore, look before starting.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_files;
mod beginning;
mod config;
mod diff;
mod doctor;
mod documents;
mod dry_run;
mod ends;
mod hooks;
mod json;
mod keeping;
mod kept;
mod logs;
mod looking;
mod odd_names;
mod plans;
mod principles;
mod report;
mod restoring;
mod stopping;
mod task_files;
mod tasks;
mod typist;
mod workspaces;
mod worktrees;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use windlass_testkit::environment::{Outcome, Running, TestEnv};
use windlass_testkit::printed;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The built program, in the test's project.
fn windlass(env: &TestEnv, arguments: &[&str]) -> Command {
    env.trust_before(env!("CARGO_BIN_EXE_windlass"), arguments);
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments);
    command
}

/// What it answers.
fn ask(env: &TestEnv, arguments: &[&str]) -> Outcome {
    let outcome = env.run(&mut windlass(env, arguments), PATIENCE);
    assert!(!outcome.timed_out, "{arguments:?}: {}", outcome.stderr_text());
    for said in [&outcome.stdout, &outcome.stderr] {
        printed::hold(Path::new(env!("CARGO_BIN_EXE_windlass")), said);
    }
    outcome
}

/// What it prints, if it exits with 0. Runs here end with their iterations.
fn told(env: &TestEnv, arguments: &[&str]) -> String {
    let outcome = ask(env, arguments);
    let runs = matches!(arguments.first(), Some(&("run" | "resume"))) && !arguments.contains(&"--dry-run");
    let code = if runs { 10 } else { 0 };
    outcome.expect_code(code, &format!("{arguments:?}"));
    outcome.stdout_text()
}

/// The one document it prints.
fn document(env: &TestEnv, arguments: &[&str]) -> Value {
    let lines = ask(env, arguments).json_lines();
    assert_eq!(lines.len(), 1, "{arguments:?}");
    lines.into_iter().next().unwrap()
}

/// A script whose calls wait, after their first words and a file, until the test creates the file `go`.
const PATIENT: &str = r#"
[[call]]
steps = [
  { say = "I begin call {{call}}." },
  { write = { path = "work.txt", text = "call {{call}}\n" } },
  { say = "Now I wait." },
  { bash = "while ! test -e go; do sleep 0.02; done; echo gone" },
  { say = "The end of call {{call}}." },
]
"#;

/// Starts a run of [`PATIENT`] in the background and waits until its first call waits.
fn start(env: &TestEnv, goal: &str, more: &[&str]) -> (Running, String) {
    let script = env.write(env.root().join("patient.toml"), PATIENT);
    let mock = format!("--mock={}", script.display());
    let mut command = windlass(env, &["run", "-p", goal, &mock, "--no-delay", "--json"]);
    let mut running = Running::start(command.args(more));
    let begun = running.wait_for_stdout("Now I wait.", PATIENCE);
    assert!(begun, "{}{}", running.stdout_so_far(), running.stderr_so_far());
    let first: Value = serde_json::from_str(running.stdout_so_far().lines().next().unwrap()).unwrap();
    (running, first["run"].as_str().unwrap().to_owned())
}

/// Lets waiting calls, and all after them, go on.
fn go(env: &TestEnv) {
    env.write("go", "");
}

/// A whole run of so many iterations, each of which writes `work.txt` and a file of its own; its name.
fn finished(env: &TestEnv, goal: &str, iterations: u32) -> String {
    let script = env.write(
        env.root().join("quick.toml"),
        r#"
[[call]]
steps = [
  { say = "Call {{call}}." },
  { write = { path = "work.txt", text = "call {{call}}\n" } },
  { bash = "echo made > new-$WINDLASS_CALL.txt" },
  { result = { text = "Written.", cost = 0.02 } },
]
"#,
    );
    let mock = format!("--mock={}", script.display());
    let count = iterations.to_string();
    let arguments = ["run", "-p", goal, &mock, "--no-delay", "-m", &count, "--json"];
    let lines = ask(env, &arguments).json_lines();
    assert_eq!(lines.last().unwrap()["iterations"], iterations);
    lines[0]["run"].as_str().unwrap().to_owned()
}
