//! For tests: what lies in a folder, and a repository of a tool that numbers its branches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::values::Extent;
use windlass_engine::store::Project;

use crate::{Item, Landing, Plan, Planned};

/// Every file below a folder, with its bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.insert(entry.path(), fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    found
}

/// Runs git as a person would, with no settings but these.
#[expect(clippy::disallowed_methods, reason = "a person's git in a test, not ours")]
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=Someone", "-c", "user.email=someone@example.com"]);
    command.args(arguments).current_dir(folder).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What one tool has to be taken over, taken over or looked at.
pub fn import(planned: Vec<Planned>, target: &Path, extent: Extent) -> Vec<Item> {
    let plan = Plan::of(planned);
    if extent == Extent::Look {
        return plan.items();
    }
    let state = tempfile::tempdir().unwrap();
    let project = Project::locate(state.path(), target, None).unwrap();
    plan.carry_out(&Landing { target: target.to_owned(), project, user: None }).unwrap()
}
