//! `cargo xtask agents`: the real agents, for the tests.
//!
//! They come from npm, each pinned by its `agents/NAME/package-lock.json`, and go into `target/agents/`. Nothing of them
//! runs while they are installed, and nothing is written outside the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_testkit::environment::{REAL_AGENTS, RealAgent};

use crate::program::{Failure, output_of, run};
use crate::workspace::Workspace;

/// Installs them, unless they are there.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    REAL_AGENTS.into_iter().try_for_each(|agent| install_one(workspace, agent))
}

fn install_one(workspace: &Workspace, agent: RealAgent) -> Result<(), Failure> {
    let RealAgent { product, version, .. } = agent;
    let program = workspace.target.join(agent.below_target());
    if program.is_file() {
        check_version(agent, &program)?;
        println!("{product} {version} is there: {}", program.display());
        return Ok(());
    }
    let agents = workspace.target.join("agents");
    fs::create_dir_all(&agents).map_err(|error| Failure::at(&agents, error))?;
    // Beside its final place, which it takes in one step: what is there is always complete.
    let building = tempfile::Builder::new()
        .prefix("installing-")
        .tempdir_in(&agents)
        .map_err(|error| Failure::at(&agents, error))?;
    install_into(workspace, agent, building.path())?;

    let home = workspace.target.join(agent.folder());
    if home.exists() {
        fs::remove_dir_all(&home).map_err(|error| Failure::at(&home, error))?;
    }
    fs::rename(building.keep(), &home).map_err(|error| Failure::at(&home, error))?;
    println!("installed {product} {version}: {}", program.display());
    Ok(())
}

fn install_into(workspace: &Workspace, agent: RealAgent, directory: &Path) -> Result<(), Failure> {
    let recipe = workspace.root.join("agents").join(agent.recipe);
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
            "{failure}\n  the tests run real agents: they need npm (Node.js) and, once, its registry"
        ))
    })?;
    fs::remove_dir_all(&cache).map_err(|error| Failure::at(&cache, error))?;

    let links = directory.join("bin");
    fs::create_dir(&links).map_err(|error| Failure::at(&links, error))?;
    let link = links.join(agent.program);
    std::os::unix::fs::symlink(Path::new("..").join(native_program(agent, directory)?), &link)
        .map_err(|error| Failure::at(&link, error))?;
    check_version(agent, &link)
}

/// The program of the platform's own package, below `directory`. The main package only holds what would start it.
fn native_program(agent: RealAgent, directory: &Path) -> Result<PathBuf, Failure> {
    let found =
        find(&directory.join("node_modules"), agent.script.unwrap_or(agent.program)).ok_or_else(|| {
            Failure::at(directory, format!("npm installed no {} for this platform", agent.product))
        })?;
    found.strip_prefix(directory).map(Path::to_owned).map_err(|error| Failure(error.to_string()))
}

/// A file of this name whose folder belongs to one platform; scripts that start it stand in the main package's `bin`.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let is_program = |entry: &&fs::DirEntry| {
        entry.file_name() == name && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    let here = entries.iter().find(is_program).map(fs::DirEntry::path);
    let folders = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    here.or_else(|| folders.map(fs::DirEntry::path).find_map(|folder| find(&folder, name)))
}

/// Some say their name before it.
fn check_version(agent: RealAgent, program: &Path) -> Result<(), Failure> {
    let home = tempfile::tempdir().map_err(|error| Failure(format!("a temporary directory: {error}")))?;
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", home.path()).env("TMPDIR", home.path());
    let said = output_of(&mut command)?;
    if said.split_whitespace().any(|word| word == agent.version) {
        Ok(())
    } else {
        Err(Failure::at(program, format!("is version {}, wanted {}", said.trim(), agent.version)))
    }
}
