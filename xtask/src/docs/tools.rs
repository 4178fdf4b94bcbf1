//! The programs that check and build the pages, pinned, below the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, cargo, output_of, run};
use crate::workspace::Workspace;

/// From crates.io. Built without optimizations: it runs for two seconds, and is built in two minutes instead of four.
const MDBOOK: &str = "0.5.4";

/// From `PyPI`, which has it as a finished program.
const TYPOS: &str = "1.52.0";

/// The program that makes a site of pages, installed unless it is there.
pub fn mdbook(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let tools = workspace.target.join("tools");
    let program = tools.join("bin/mdbook");
    if !is_version(&program, MDBOOK) {
        let mut install = cargo();
        install.args(["install", "--locked", "--debug", "--no-default-features", "--features", "search"]);
        install.args(["--version", MDBOOK, "--force", "mdbook", "--root"]).arg(&tools);
        install.arg("--target-dir").arg(workspace.target.join("tools-build"));
        run(&mut install)?;
    }
    Ok(program)
}

/// The program that knows misspellings, installed unless it is there.
pub fn typos(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace.target.join("tools/typos");
    let program = folder.join("bin/typos");
    if !is_version(&program, TYPOS) {
        let mut install = Command::new("python3");
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--upgrade",
            "--disable-pip-version-check",
        ]);
        install
            .args(["--root-user-action", "ignore", "--target"])
            .arg(&folder)
            .arg(format!("typos=={TYPOS}"));
        run(&mut install)?;
    }
    Ok(program)
}

/// Whether it is there and says that it is this version.
fn is_version(program: &Path, version: &str) -> bool {
    let said = program.is_file().then(|| output_of(Command::new(program).arg("--version")));
    said.is_some_and(|said| said.is_ok_and(|said| said.trim_end().ends_with(version)))
}
