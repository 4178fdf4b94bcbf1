//! Do the tests notice a mutant?

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::build::{Built, WHICH_FILE, cargo_in};
use super::listing::Mutant;
use super::subject::{Subject, Trial};
use crate::program::{Failure, line_of, run};

/// Seconds that tests with processes may take.
const APART_SECONDS: u32 = 600;

/// What `timeout` ends with when it had to end something.
const TIMED_OUT: i32 = 124;

/// What the tests made of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// A test fails.
    Noticed,
    /// All tests pass.
    Survived,
    /// They do not come to an end.
    Endless,
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
            TrialOutcome::Wrong => "wrong",
        }
    }
}

/// Runs the tests that this mutant would be tried with, with no mutant: they must pass. Builds before, without a bound, what no
/// mutant needs to be built again.
pub fn passes(built: &Built, subject: &Subject, mutant: &Mutant) -> Result<(), Failure> {
    for trial in (subject.trials)(mutant) {
        if let Trial::Apart { package, .. } = trial {
            let mut command = cargo_in(&built.tree, &built.target);
            run(command.args(["nextest", "run", "--locked", "--no-run", "--package", &package]))?;
        }
    }
    choose(built, 0)?;
    for trial in (subject.trials)(mutant) {
        // Its output says which test fails.
        run(&mut command(built, &trial))
            .map_err(|Failure(why)| Failure(format!("without a mutant: {why}")))?;
    }
    Ok(())
}

/// Runs the tests that could notice it, until one does.
pub fn tried(
    built: &Built,
    subject: &Subject,
    number: usize,
    mutant: &Mutant,
) -> Result<TrialOutcome, Failure> {
    choose(built, number)?;
    for trial in (subject.trials)(mutant) {
        let found = tests(built, &trial)?;
        if found != TrialOutcome::Survived {
            return Ok(found);
        }
    }
    Ok(TrialOutcome::Survived)
}

/// Makes it the mutant that the tests meet.
fn choose(built: &Built, number: usize) -> Result<(), Failure> {
    let which = built.tree.join(WHICH_FILE);
    fs::write(&which, number.to_string()).map_err(|error| Failure::at(&which, error))
}

fn command(built: &Built, trial: &Trial) -> Command {
    let mut command = match trial {
        Trial::Computing { filters, without, seconds } => {
            let mut command = Command::new("nice");
            let limits = format!("ulimit -t {seconds}; ulimit -v 4000000; exec \"$0\" \"$@\"");
            command.args(["-n", "15", "sh", "-c", &limits]).arg(&built.program);
            command.args(["--test-threads", "1"]);
            for test in without {
                command.args(["--skip", test]);
            }
            command.args(filters).current_dir(&built.folder);
            command
        }
        Trial::Apart { package, filter } => {
            let cargo = cargo_in(&built.tree, &built.target);
            let mut command = Command::new("timeout");
            command.args(["-k", "5", &APART_SECONDS.to_string()]).arg(cargo.get_program());
            command.args(["nextest", "run", "--locked", "--package", package, "--no-tests", "pass"]);
            command.args(["--fail-fast", "-E", filter]).current_dir(&built.tree);
            command.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command
        }
    };
    command
        // A failure is enough; the smallest one is of no interest, takes long to find, and would be kept for the next.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null());
    command
}

fn tests(built: &Built, trial: &Trial) -> Result<TrialOutcome, Failure> {
    let mut command = command(built, trial);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
    Ok(match (status.code(), status.signal()) {
        (Some(0), _) => TrialOutcome::Survived,
        // SIGXCPU, or SIGKILL where that was not enough.
        (Some(TIMED_OUT), _) | (_, Some(24 | 9)) => TrialOutcome::Endless,
        _ => TrialOutcome::Noticed,
    })
}
