//! `completions`: a script for a shell, made from the command line's own types.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::{generate, shells};

use super::print;
use crate::args::{Cli, CompletionsArgs, Shell};
use windlass_app::AppError;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, AppError> {
    print(&script(args.shell))?;
    Ok(ExitCode::SUCCESS)
}

fn script(shell: Shell) -> String {
    let (mut command, name) = (Cli::command(), "windlass");
    let mut bytes = Vec::new();
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, name, &mut bytes),
        Shell::Zsh => generate(shells::Zsh, &mut command, name, &mut bytes),
        Shell::Fish => generate(shells::Fish, &mut command, name, &mut bytes),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
