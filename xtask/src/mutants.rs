//! `cargo xtask mutants`: are the core's rules held by its tests?
//!
//! cargo-mutants changes one thing at a time (`<` to `<=`, an arm away, a function to a constant) in a copy of the tree
//! and runs the core's tests. A change that no test notices shows a rule that nothing holds. What survives is killed by
//! a test, or explained in `docs/mutants.md`. Takes about an hour, so it is no part of `ci`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, cargo, line_of, run, succeeds};
use crate::workspace::Workspace;

/// The version whose mutants `docs/mutants.md` counts.
const VERSION: &str = "27.1.0";

/// Where the rules are, unless it is said.
const RULES: &[&str] = &[
    "crates/windlass-core/src/run/**/*.rs",
    "crates/windlass-core/src/mode/**/*.rs",
    "crates/windlass-core/src/agent/claude/judge.rs",
    "crates/windlass-core/src/agent/claude/prose.rs",
    "crates/windlass-core/src/agent/reset_time.rs",
];

/// Tests that take longer than all others together and say nothing about these rules that the others do not.
const SLOW: &[&str] = &[
    "every_prefix_of_a_journal",
    "enormous_line",
    "any_bytes_are_taken",
    "an_edit_is_never_cut",
    "doc::plan",
];

/// The chore, with its arguments as typed: files below the root, or patterns of such.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let program = install(workspace)?;
    let output = workspace.target.join("mutants");
    fs::create_dir_all(&output).map_err(|error| Failure::at(&output, error))?;
    let mut command = command(&program, &output, arguments);
    command.current_dir(&workspace.root);
    eprintln!("     $ {}", line_of(&command));
    let status = command.status().map_err(|error| Failure::at(&program, error))?;
    match status.code() {
        Some(0) => Ok(()),
        // Some were missed, or took too long.
        Some(2 | 3) => {
            println!("compare {} with docs/mutants.md", output.join("mutants.out/missed.txt").display());
            Ok(())
        }
        _ => Err(Failure(format!("cargo-mutants ended with {status}"))),
    }
}

/// Installs cargo-mutants below the target directory, unless it is there.
fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let root = workspace.target.join("tools");
    let program = root.join("bin/cargo-mutants");
    let marker = root.join(format!("cargo-mutants-{VERSION}"));
    if program.is_file()
        && marker.is_file()
        && succeeds(Command::new(&program).args(["mutants", "--version"]))
    {
        return Ok(program);
    }
    let mut command = cargo();
    command.args(["install", "--locked", "--force", "--version", VERSION, "--root"]).arg(&root);
    run(command.arg("cargo-mutants"))?;
    fs::write(&marker, "").map_err(|error| Failure::at(&marker, error))?;
    Ok(program)
}

fn command(program: &Path, output: &Path, files: &[String]) -> Command {
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(program).args(["mutants", "--package", "windlass-core", "--jobs", "1"]);
    let rules = || RULES.iter().map(|file| (*file).to_owned()).collect();
    let files: Vec<String> = if files.is_empty() { rules() } else { files.to_vec() };
    for file in files {
        command.args(["--file", &file]);
    }
    command
        .args(["--timeout", "20", "--build-timeout", "300", "--cap-lints", "true", "--output"])
        .arg(output)
        .args(["--", "--lib", "--"])
        // The copy builds for itself: a shared directory would be built anew for each in turn.
        .env_remove("CARGO_TARGET_DIR")
        .env("CARGO_PROFILE_DEV_DEBUG", "none")
        // A failure is enough; the smallest one is of no interest, and takes long to find.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("RUST_BACKTRACE", "0");
    for test in SLOW {
        command.args(["--skip", test]);
    }
    command
}
