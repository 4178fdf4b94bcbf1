//! `cargo xtask agents`: the real Claude Code, for the tests.
//!
//! It comes from npm, pinned by `agents/claude-code/package-lock.json`, and goes into `target/agents/`. Nothing of it
//! runs while it is installed, and nothing is written outside the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_testkit::environment::{CLAUDE_CODE_VERSION, claude_below_target};

use crate::program::{Failure, output_of, run};
use crate::workspace::Workspace;

/// Installs it, unless it is there.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    let program = workspace.target.join(claude_below_target());
    if program.is_file() {
        check_version(&program)?;
        println!("Claude Code {CLAUDE_CODE_VERSION} is there: {}", program.display());
        return Ok(());
    }
    let agents = workspace.target.join("agents");
    fs::create_dir_all(&agents).map_err(|error| Failure::at(&agents, error))?;
    // Beside its final place, which it takes in one step: what is there is always complete.
    let building = tempfile::Builder::new()
        .prefix("installing-")
        .tempdir_in(&agents)
        .map_err(|error| Failure::at(&agents, error))?;
    install_into(&workspace.root.join("agents/claude-code"), building.path())?;

    let home = agents.join(format!("claude-code-{CLAUDE_CODE_VERSION}"));
    if home.exists() {
        fs::remove_dir_all(&home).map_err(|error| Failure::at(&home, error))?;
    }
    fs::rename(building.keep(), &home).map_err(|error| Failure::at(&home, error))?;
    println!("installed Claude Code {CLAUDE_CODE_VERSION}: {}", program.display());
    Ok(())
}

fn install_into(recipe: &Path, directory: &Path) -> Result<(), Failure> {
    for name in ["package.json", "package-lock.json"] {
        let from = recipe.join(name);
        fs::copy(&from, directory.join(name)).map_err(|error| Failure::at(&from, error))?;
    }
    let cache = directory.join("npm-cache");
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
    ])
    .arg("--cache")
    .arg(&cache)
    .current_dir(directory);
    run(&mut npm).map_err(|failure| {
        Failure(format!(
            "{failure}\n  the tests run the real Claude Code: they need npm (Node.js) and, once, its registry"
        ))
    })?;
    fs::remove_dir_all(&cache).map_err(|error| Failure::at(&cache, error))?;

    let links = directory.join("bin");
    fs::create_dir(&links).map_err(|error| Failure::at(&links, error))?;
    let link = links.join("claude");
    std::os::unix::fs::symlink(Path::new("..").join(native_program(directory)?), &link)
        .map_err(|error| Failure::at(&link, error))?;
    check_version(&link)
}

/// The program of the platform's own package, below `directory`. The main package only holds a link to it, which a
/// script would have to make.
fn native_program(directory: &Path) -> Result<PathBuf, Failure> {
    let scope = Path::new("node_modules/@anthropic-ai");
    let packages = directory.join(scope);
    let entries = fs::read_dir(&packages).map_err(|error| Failure::at(&packages, error))?;
    let mut programs = entries
        .filter_map(|entry| Some(scope.join(entry.ok()?.file_name()).join("claude")))
        .filter(|program| directory.join(program).is_file());
    programs.next().ok_or_else(|| Failure::at(&packages, "npm installed no Claude Code for this platform"))
}

fn check_version(program: &Path) -> Result<(), Failure> {
    let home = tempfile::tempdir().map_err(|error| Failure(format!("a temporary directory: {error}")))?;
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", home.path()).env("TMPDIR", home.path());
    let version = output_of(&mut command)?;
    if version.split_whitespace().next() == Some(CLAUDE_CODE_VERSION) {
        Ok(())
    } else {
        Err(Failure::at(program, format!("is version {}, wanted {CLAUDE_CODE_VERSION}", version.trim())))
    }
}
