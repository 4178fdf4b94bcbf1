//! `demo`: the whole loop in a scratch repository, without any account.

use std::process::ExitCode;

use super::not_connected;
use crate::args::DemoArgs;
use crate::error::CliError;

/// What the scripted agent does in the demo.
pub const SCRIPT: &str = include_str!("script.toml");

/// The goal.
pub const GOAL: &str = include_str!("goal.md");

/// The command that decides whether a claim counts.
pub const GATE: &str = "sh test.sh";

/// The project's files: name and content. They are committed before the run begins.
pub const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("greet.sh", include_str!("project/greet.sh")),
    ("test.sh", include_str!("project/test.sh")),
];

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(_args: &DemoArgs) -> Result<ExitCode, CliError> {
    let _ = (GOAL, GATE, PROJECT);
    Err(not_connected("demo"))
}
