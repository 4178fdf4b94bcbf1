//! Another front end than the command line: the application library's example.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_testkit::TestEnv;

use super::night::{CLEARED, PATIENCE};

/// Building the example takes as long as its crates do.
const BUILDING: Duration = Duration::from_mins(10);

/// Cargo builds examples with the suite; a single target of it is built without them.
fn example() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_windlass")).with_file_name("examples").join("scripted_run");
    if !built.is_file() {
        let place = TestEnv::new();
        #[expect(clippy::disallowed_methods, reason = "a test builds what it starts")]
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args([
            "build",
            "--offline",
            "--quiet",
            "--package",
            "windlass-app",
            "--example",
            "scripted_run",
        ]);
        place.run(&mut cargo, BUILDING).expect_success("cargo builds the example");
    }
    built
}

fn front_end(place: &TestEnv) -> std::process::Command {
    let mut command = place.command(example());
    command.arg(env!("CARGO_BIN_EXE_windlass")).env("WINDLASS_CLOCKS__DELAY", "0");
    command
}

#[test]
fn another_front_end_starts_a_run_and_prints_its_end() {
    let place = TestEnv::with_git();
    let outcome = place.run(&mut front_end(&place), PATIENCE);
    let said = outcome.stdout_text();
    outcome.expect_code(0, "the scripted agent does its job");
    assert!(said.starts_with("r-") && said.trim_end().ends_with(" ended: complete"), "{said}");
    assert_eq!(outcome.stderr_text(), "", "a library prints nothing");
    place.assert_no_processes(CLEARED);
    let mut status = place.command(env!("CARGO_BIN_EXE_windlass"));
    let shown = place.run(status.args(["status", "--json"]), PATIENCE).stdout_text();
    assert!(shown.contains("\"complete\""), "the command line sees the same run: {shown}");
}

// attack(trust): a front end without a person starts a run where the repository's files name a gate that nobody trusts
// holds: nobody is asked and nothing is started; what it is and how to trust it is said
#[test]
fn nobody_there_is_nobody_who_trusts() {
    let place = TestEnv::with_git();
    place.write(".windlass/config.toml", "[gates]\ncommands = ['touch gate-was-run']\n");
    let outcome = place.run(&mut front_end(&place), PATIENCE);
    outcome.expect_code(2, "refused");
    let said = outcome.stderr_text();
    assert!(said.contains("would start 1 thing that you have not trusted"), "{said}");
    assert!(said.contains("Without a terminal: the same with --trust="), "{said}");
    assert!(!place.project().join("gate-was-run").exists());
}
