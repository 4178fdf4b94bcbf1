//! A front end of its own: starts a run with the scripted agent in the current directory, and prints its end.
//!
//! `scripted_run WINDLASS [SCRIPT]`: the windlass program plays the agent and keeps its processes.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a front end prints")]

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use windlass_app::run::{Goal, RunEnd, StartRun, WantedJob};
use windlass_app::{App, AppError, Unattended, helper};

fn main() -> ExitCode {
    if let Some(code) = helper(env::args_os()) {
        return code;
    }
    match run() {
        Ok(end) => {
            println!("{} ended: {}", end.run, end.stop_reason.name());
            ExitCode::from(end.exit_code)
        }
        Err(error) => {
            eprintln!("{error}");
            error.hints.iter().for_each(|hint| eprintln!("  {hint}"));
            ExitCode::from(error.kind.exit_code())
        }
    }
}

fn run() -> Result<RunEnd, AppError> {
    let mut arguments = env::args().skip(1);
    let windlass = arguments.next().ok_or_else(|| AppError::usage("say where the windlass program is"))?;
    let script = arguments.next().unwrap_or_else(|| "builtin:default".to_owned());
    let app = App::here(Arc::new(Unattended))?.with_program(windlass.into());
    let goal = Goal::new("Say that the job is done.", "the goal", None)?;
    app.start(&StartRun::of(WantedJob::goal(goal)).scripted(script))
}
