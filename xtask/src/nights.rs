//! `cargo xtask nights`: simulated nights, many of them. Built for speed, and run with what was typed.

use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let nights = ["run", "--quiet", "--locked", "--profile", "nights", "--package", "windlass-nights", "--"];
    run(cargo().args(nights).args(arguments).current_dir(&workspace.root))
}
