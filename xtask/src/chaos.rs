//! `cargo xtask chaos`: forty tasks on a fleet of which one of anything is killed every two seconds. Each run takes minutes.

use crate::nats;
use crate::program::{Failure, cargo, run};
use crate::workspace::Workspace;

/// The chore: `[--runs N] [--seed S]`.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let usage = || Failure("usage: cargo xtask chaos [--runs N] [--seed S]".to_owned());
    nats::install(workspace)?;
    let tests = ["test", "--locked", "--package", "windlass", "--test", "fleet", "--"];
    let mut command = cargo();
    command.args(tests).args(["--ignored", "--nocapture", "chaos"]).current_dir(&workspace.root);
    for pair in arguments.chunks(2) {
        let (variable, value) = match pair {
            [flag, value] if flag == "--runs" => ("WINDLASS_TEST_CHAOS_RUNS", value),
            [flag, value] if flag == "--seed" => ("WINDLASS_TEST_CHAOS_SEED", value),
            _ => return Err(usage()),
        };
        let number: u64 = value.parse().map_err(|_| usage())?;
        command.env(variable, number.to_string());
    }
    run(&mut command)
}
