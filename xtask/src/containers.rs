//! `cargo xtask containers`: the tests with real containers, which take a minute and need Podman or Docker.

use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;

/// The chore; what is typed after `--` chooses among the tests.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let filters = arguments.strip_prefix(&["--".to_owned()]).unwrap_or(arguments);
    let tests = ["test", "--locked", "--package", "windlass", "--test", "containers", "--"];
    // What is skipped is printed by the tests themselves.
    let with = ["--ignored", "--nocapture"];
    run(cargo().args(tests).args(with).args(filters).current_dir(&workspace.root))
}
