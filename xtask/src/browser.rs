//! What drives a browser over the page in tests: `playwright-core` and `axe-core` from npm, pinned by `agents/browser/package-lock.json`,
//! below `target/tools/browser`. The browser itself is the system's chromium; where there is none, these tests say so and are skipped.

use std::fs;
use std::process::Command;

use crate::program::{Failure, run};
use crate::workspace::Workspace;

/// Where the system's browser is.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Installs it, where there is a browser to be driven, unless it is there as it is pinned.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    if !std::path::Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    let recipe = workspace.root.join("agents/browser");
    let place = workspace.target.join("tools/browser");
    let lock = recipe.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(|error| Failure::at(&lock, error))?;
    let mark = place.join("installed");
    if fs::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs::create_dir_all(&place).map_err(|error| Failure::at(&place, error))?;
    for name in ["package.json", "package-lock.json"] {
        let from = recipe.join(name);
        fs::copy(&from, place.join(name)).map_err(|error| Failure::at(&from, error))?;
    }
    let cache = place.join("npm-cache");
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
    ]);
    run(npm.arg("--cache").arg(&cache).current_dir(&place))?;
    fs::remove_dir_all(&cache).map_err(|error| Failure::at(&cache, error))?;
    // Last: what was cut off is installed again.
    fs::write(&mark, wanted).map_err(|error| Failure::at(&mark, error))
}
