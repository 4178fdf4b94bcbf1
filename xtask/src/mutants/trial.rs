//! Do the tests notice a mutant?

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::build::Built;
use super::listing::Mutant;
use crate::program::{Failure, line_of};

/// Tests that take longer than all others together, and those of files' formats: they say nothing about these rules that
/// the others do not.
const SLOW: &[&str] =
    &["every_prefix_of_a_journal", "enormous_line", "any_bytes_are_taken", "an_edit_is_never_cut", "doc::"];

/// The simulated nights of the core's own tests: the rest is tried first.
const NIGHTS: &[&str] = &["tests::nights", "whatever_the_order"];

/// Seconds of a processor that the tests of a part may take; without a mutant they take less than one.
const SECONDS: u32 = 3;

/// The same of all tests that could notice it.
const SECONDS_OF_ALL: u32 = 30;

/// What the tests made of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A test fails.
    Noticed,
    /// All tests pass.
    Survived,
    /// They do not come to an end.
    Endless,
    /// The compiler refuses it.
    Wrong,
}

impl Found {
    /// One word.
    pub const fn word(self) -> &'static str {
        match self {
            Found::Noticed => "noticed",
            Found::Survived => "survived",
            Found::Endless => "endless",
            Found::Wrong => "wrong",
        }
    }
}

/// Runs the tests with no mutant, which must pass.
pub fn passes(built: &Built) -> Result<(), Failure> {
    let found = tests(built, 0, &[], SLOW, SECONDS_OF_ALL)?;
    if found == Found::Survived { Ok(()) } else { Err(Failure("the tests fail without a mutant".to_owned())) }
}

/// The tests of its own part first, without their simulated nights: nearly every mutant is noticed by them. Then all
/// that could notice it.
pub fn tried(built: &Built, number: usize, mutant: &Mutant) -> Result<Found, Failure> {
    let part = mutant.file.split("/src/").nth(1).and_then(|path| path.split(['/', '.']).next());
    let part = part.unwrap_or_default();
    let (own, all): (&[&str], &[&str]) = match part {
        "run" | "mode" => (&["run::"], &["run::", "prompt::", "notification::", "recovery::"]),
        "tasks" => (&["tasks::tests", "tasks::natural"], &["tasks::", "run::"]),
        "agent" => (&["agent::"], &["agent::"]),
        _ => (&[], &[]),
    };
    let quick: Vec<&str> = SLOW.iter().chain(NIGHTS).copied().collect();
    match tests(built, number, own, &quick, SECONDS)? {
        Found::Survived => tests(built, number, all, SLOW, SECONDS_OF_ALL),
        found => Ok(found),
    }
}

fn tests(
    built: &Built,
    number: usize,
    filters: &[&str],
    skipped: &[&str],
    seconds: u32,
) -> Result<Found, Failure> {
    let mut command = Command::new("nice");
    let limits = format!("ulimit -t {seconds}; ulimit -v 4000000; exec \"$0\" \"$@\"");
    command.args(["-n", "15", "sh", "-c", &limits]).arg(&built.program).args(["--test-threads", "1"]);
    for test in skipped {
        command.args(["--skip", test]);
    }
    command
        .args(filters)
        .current_dir(&built.folder)
        .env("WINDLASS_MUTANT", number.to_string())
        // A failure is enough; the smallest one is of no interest, takes long to find, and would be kept for the next.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = command.status().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
    Ok(match (status.success(), status.signal()) {
        (true, _) => Found::Survived,
        // SIGXCPU, or SIGKILL where that was not enough.
        (false, Some(24 | 9)) => Found::Endless,
        _ => Found::Noticed,
    })
}
