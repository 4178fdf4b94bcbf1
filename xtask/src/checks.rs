//! `cargo xtask ci`: everything a change has to pass, the quick things first.

use std::path::PathBuf;
use std::process::Command;

use crate::program::{Failure, cargo, run, succeeds};
use crate::rows::{self, Purpose};
use crate::workspace::Workspace;
use crate::{actions, docs, places, suite, tidy};

/// Stops at the first thing that fails.
pub fn run_all(workspace: &Workspace) -> Result<(), Failure> {
    heading("format");
    run(cargo().args(["fmt", "--all", "--check"]).current_dir(&workspace.root))?;
    heading("tidy");
    tidy::run(workspace)?;
    heading("rows");
    rows::run(workspace, Purpose::Check)?;
    heading("actions");
    actions::check(workspace)?;
    heading("docs");
    docs::check(workspace)?;
    heading("deny");
    deny(workspace)?;
    heading("clippy");
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"];
    run(cargo().args(clippy).current_dir(&workspace.root))?;
    without_views(workspace)?;
    heading("test");
    suite::run_suite(workspace, &[])?;
    heading("places");
    places::run_chore(workspace, &["--smoke".to_owned()])
}

fn heading(name: &str) {
    eprintln!("==== {name}");
}

/// The program without its views has to be whole as well.
fn without_views(workspace: &Workspace) -> Result<(), Failure> {
    let clippy = ["clippy", "--package", "windlass", "--bins", "--locked", "--no-default-features"];
    run(cargo().args(clippy).args(["--", "--deny", "warnings"]).current_dir(&workspace.root))
}

/// Bans, licences and sources always; advisories where their database can be had.
fn deny(workspace: &Workspace) -> Result<(), Failure> {
    let program = deny_program(workspace);
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command
            .args(["--workspace", "--locked"])
            .args(arguments)
            .env("GIT_TERMINAL_PROMPT", "0")
            .current_dir(&workspace.root);
        command
    };
    run(&mut command(&["check", "bans", "licenses", "sources"]))?;
    if succeeds(&mut command(&["fetch", "db"])) {
        run(&mut command(&["check", "--disable-fetch", "advisories"]))
    } else {
        eprintln!("advisories skipped, because their database cannot be reached from here");
        Ok(())
    }
}

/// The one that `.ci/run` installed below the target directory, else the machine's.
fn deny_program(workspace: &Workspace) -> PathBuf {
    let ours = workspace.target.join("tools/bin/cargo-deny");
    if ours.is_file() { ours } else { PathBuf::from("cargo-deny") }
}
