//! Do tests that only compute notice a mutant?

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::build::{Built, WHICH_FILE};
use super::subject::Trial;
use crate::program::{Failure, line_of, run};

/// What the tests made of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// A test fails.
    Noticed,
    /// All tests pass.
    Survived,
    /// They do not come to an end.
    Endless,
    /// No test reaches it.
    Unreached,
    /// The compiler refuses it.
    Wrong,
}

impl TrialOutcome {
    /// One word.
    pub const fn word(self) -> &'static str {
        match self {
            TrialOutcome::Noticed => "noticed",
            TrialOutcome::Survived => "survived",
            TrialOutcome::Endless => "endless",
            TrialOutcome::Unreached => "not reached",
            TrialOutcome::Wrong => "wrong",
        }
    }
}

/// Runs the tests that a mutant would be tried with, with no mutant: they must pass.
pub fn passes(built: &Built, trials: &[Trial]) -> Result<(), Failure> {
    choose(built, "0")?;
    for trial in trials {
        // Its output says which test fails.
        run(&mut command(built, trial))
            .map_err(|Failure(why)| Failure(format!("without a mutant: {why}")))?;
    }
    Ok(())
}

/// Runs the tests that could notice it, until one does.
pub fn tried(built: &Built, trials: &[Trial], number: usize) -> Result<TrialOutcome, Failure> {
    choose(built, &number.to_string())?;
    for trial in trials {
        let found = tests(built, trial)?;
        if found != TrialOutcome::Survived {
            return Ok(found);
        }
    }
    Ok(TrialOutcome::Survived)
}

/// Makes it the mutant that the tests meet.
pub fn choose(built: &Built, wanted: &str) -> Result<(), Failure> {
    let which = built.tree.join(WHICH_FILE);
    fs::write(&which, wanted).map_err(|error| Failure::at(&which, error))
}

fn command(built: &Built, trial: &Trial) -> Command {
    let Trial { filters, without, seconds } = trial;
    let mut command = Command::new("nice");
    let limits = format!("ulimit -t {seconds}; ulimit -v 4000000; exec \"$0\" \"$@\"");
    command.args(["-n", "15", "sh", "-c", &limits]).arg(&built.program);
    command.args(["--test-threads", "1"]);
    for test in without {
        command.args(["--skip", test]);
    }
    command.args(filters).current_dir(&built.folder);
    quietly(&mut command);
    command
}

/// A failure is enough; the smallest one is of no interest, takes long to find, and would be kept for the next.
pub fn quietly(command: &mut Command) {
    command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true");
    command.env("RUST_BACKTRACE", "0").stdin(Stdio::null());
}

fn tests(built: &Built, trial: &Trial) -> Result<TrialOutcome, Failure> {
    let mut command = command(built, trial);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
    Ok(match (status.code(), status.signal()) {
        (Some(0), _) => TrialOutcome::Survived,
        // SIGXCPU, or SIGKILL where that was not enough.
        (_, Some(24 | 9)) => TrialOutcome::Endless,
        _ => TrialOutcome::Noticed,
    })
}
