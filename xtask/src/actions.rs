//! `cargo xtask actions`: the workflows and the action, read by a linter.
//!
//! The linter comes from npm, pinned by `dist/lint/package-lock.json`, and goes into `target/tools/lint/`. Nothing of it runs while it
//! is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, run};
use crate::workspace::Workspace;

/// The chore.
pub fn check(workspace: &Workspace) -> Result<(), Failure> {
    let modules = install(workspace)?;
    let mut node = Command::new("node");
    node.arg("dist/lint/lint.cjs").arg(modules).arg("action.yml").args(workflows(&workspace.root)?);
    run(node.current_dir(&workspace.root))
}

/// Installs it, unless what is there is what the lock file names.
fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace.target.join("tools/lint");
    let lock = fs::read(workspace.root.join("dist/lint/package-lock.json")).ok();
    if lock.is_some() && fs::read(folder.join("installed")).ok() == lock {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(|error| Failure::at(&folder, error))?;
    for name in ["package.json", "package-lock.json"] {
        let from = workspace.root.join("dist/lint").join(name);
        fs::copy(&from, folder.join(name)).map_err(|error| Failure::at(&from, error))?;
    }
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
    ]);
    run(npm.current_dir(&folder)).map_err(|failure| {
        Failure(format!(
            "{failure}\n  the workflows are read by a linter: it needs npm (Node.js) and, once, its registry"
        ))
    })?;
    // Last, so that half of it is not taken for all.
    let installed = folder.join("installed");
    fs::copy(folder.join("package-lock.json"), &installed).map_err(|error| Failure::at(&installed, error))?;
    Ok(folder)
}

fn workflows(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new(".github/workflows");
    let entries = fs::read_dir(root.join(folder)).map_err(|error| Failure::at(folder, error))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| folder.join(entry.file_name())).collect();
    found.sort();
    Ok(found)
}
