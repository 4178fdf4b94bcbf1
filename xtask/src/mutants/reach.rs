//! Tests with processes of their own: which of them reach a mutant, and does one of those notice it?
//!
//! All of them are run once without a mutant, while each woven function notes by which test it is reached (`which.rs`). A mutant is then
//! tried with those that reach it, the quickest of its own package first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build::{Built, cargo_in};
use super::listing::Mutant;
use super::trial::{TrialOutcome, choose, quietly};
use crate::program::{Failure, line_of, output_of, succeeds};

/// What reaches a function where nobody knows the test any more: a process whose parents have ended.
const UNKNOWN: &str = "?";

/// Seconds that the tests of other packages that a mutant is tried with take together, without it: what reaches nearly all of them is noticed by
/// the quick ones, or rarely.
const ENOUGH_SECONDS: f64 = 40.0;

/// What is left of the tests of other packages is run in parts, the first so large, each twice as large as the one before it.
const FIRST_PART: usize = 16;

/// What nextest ends with when a test failed.
const TESTS_FAILED: i32 = 100;

/// What `timeout` ends with when it had to end something; what a shell says of a program that SIGKILL or SIGTERM ended.
const ENDED: [i32; 3] = [124, 137, 143];

/// A test that passes without a mutant.
#[derive(Debug, PartialEq)]
struct Test {
    binary: String,
    name: String,
    seconds: f64,
}

impl Test {
    /// One of `cargo nextest run`'s lines: `PASS [   0.014s] (12/34) windlass-host process::tests::name`.
    fn read(line: &str) -> Option<Test> {
        let (seconds, rest) = line.trim_start().strip_prefix("PASS [")?.split_once("s]")?;
        let mut words = rest.split_whitespace().rev();
        let (name, binary) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Test { binary, name, seconds: seconds.trim().parse().ok()? })
    }

    /// Whether it is a package's own.
    fn is_of(&self, package: &str) -> bool {
        self.binary.split("::").next() == Some(package)
    }
}

/// Which tests reach which mutant.
pub struct Reach {
    tests: Vec<Test>,
    /// By a mutant's number: a test's binary and name.
    reached: BTreeMap<usize, BTreeSet<String>>,
}

impl Reach {
    fn read(tests: &str, notes: &str) -> Reach {
        let mut reached: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (test, numbers) in notes.lines().filter_map(|line| line.split_once('\t')) {
            let numbers: Vec<usize> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
            if let [first, last] = numbers[..] {
                for number in first..=last {
                    reached.entry(number).or_default().insert(test.to_owned());
                }
            }
        }
        let mut tests: Vec<Test> = tests.lines().filter_map(Test::read).collect();
        tests.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        Reach { tests, reached }
    }

    /// The tests that a mutant is tried with, in parts: those of its own package, then the quickest others. Of all, where only an unknown one
    /// reached it.
    fn parts(&self, number: usize, package: &str) -> Vec<Vec<&Test>> {
        let Some(reached) = self.reached.get(&number) else { return Vec::new() };
        let anyone = reached.iter().all(|test| test == UNKNOWN);
        let is_wanted = |test: &&Test| anyone || reached.contains(&format!("{} {}", test.binary, test.name));
        let (own, others): (Vec<&Test>, Vec<&Test>) =
            self.tests.iter().filter(is_wanted).partition(|test| test.is_of(package));
        let mut together = 0.0;
        let enough = |test: &&Test| {
            together += test.seconds;
            together <= ENOUGH_SECONDS
        };
        let others: Vec<&Test> = others.into_iter().take_while(enough).collect();
        let mut parts = vec![own];
        let (mut rest, mut size) = (&others[..], FIRST_PART);
        while !rest.is_empty() {
            let (part, after) = rest.split_at(size.min(rest.len()));
            parts.push(part.to_vec());
            (rest, size) = (after, size * 2);
        }
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// The tests of some packages, built.
pub struct Apart<'a> {
    built: &'a Built,
    /// What cargo and nextest would find out before each go.
    known: [PathBuf; 2],
    reach: Reach,
}

impl<'a> Apart<'a> {
    /// Builds them and runs all that the filter has, unless that was done in an earlier go over the same mutants of the same code (`key`).
    pub fn prepare(
        built: &'a Built,
        (packages, filter): (&[&str], &str),
        (output, key): (&Path, &str),
    ) -> Result<Apart<'a>, Failure> {
        let known = ["binaries.json", "metadata.json"].map(|name| output.join(name));
        let mut list = cargo_in(&built.tree, &built.target);
        list.args([
            "nextest",
            "list",
            "--locked",
            "--list-type",
            "binaries-only",
            "--message-format",
            "json",
        ]);
        for package in packages {
            list.args(["--package", package]);
        }
        let mut metadata = cargo_in(&built.tree, &built.target);
        metadata.args(["metadata", "--locked", "--format-version", "1"]);
        for (file, command) in known.iter().zip([&mut list, &mut metadata]) {
            fs::write(file, output_of(command)?).map_err(|error| Failure::at(file, error))?;
        }
        let apart = Apart { built, known, reach: Reach::read("", "") };
        let [tests, notes] = ["tests", "reach"].map(|name| output.join(format!("{name}-{key}.txt")));
        if !notes.is_file() {
            apart.record(filter, &tests, &notes)?;
        }
        let text = |file: &Path| fs::read_to_string(file).map_err(|error| Failure::at(file, error));
        let reach = Reach::read(&text(&tests)?, &text(&notes)?);
        eprintln!("     {} tests reach {} mutants", reach.tests.len(), reach.reached.len());
        Ok(Apart { reach, ..apart })
    }

    /// What fails without a mutant is shown, and no test of any mutant.
    fn record(&self, filter: &str, passed: &Path, notes: &Path) -> Result<(), Failure> {
        let file = self.built.tree.join("reach");
        let failed = |error| Failure::at(&file, error);
        fs::write(&file, "").map_err(failed)?;
        choose(self.built, "reach")?;
        let mut command = self.nextest(0.0, filter);
        command.args(["--no-fail-fast", "--status-level", "pass", "--color", "never"]);
        eprintln!("     $ {}", line_of(&command));
        let output = command.stdout(Stdio::null()).output();
        let output = output.map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
        let text = String::from_utf8_lossy(&output.stderr);
        for line in text.lines().filter(|line| line.contains(" FAIL [") || line.contains("TIMEOUT [")) {
            eprintln!("{line}");
        }
        fs::write(passed, text.as_bytes()).map_err(|error| Failure::at(passed, error))?;
        if !matches!(output.status.code(), Some(0 | TESTS_FAILED)) {
            return Err(Failure(format!("the tests were not run ({}): {}", output.status, passed.display())));
        }
        fs::rename(&file, notes).map_err(failed)
    }

    /// Runs the tests that reach it, until one notices it.
    pub fn tried(&self, number: usize, mutant: &Mutant) -> Result<TrialOutcome, Failure> {
        let parts = self.reach.parts(number, mutant.package());
        if parts.is_empty() {
            return Ok(TrialOutcome::Unreached);
        }
        choose(self.built, &number.to_string())?;
        for part in parts {
            let usual: f64 = part.iter().map(|test| test.seconds).sum();
            let mut command = self.nextest(30.0 + 3.0 * usual, &filter_of(&part));
            command.args(["--fail-fast"]).stdout(Stdio::null()).stderr(Stdio::null());
            let status =
                command.status().map_err(|error| Failure(format!("{}: {error}", line_of(&command))))?;
            match status.code() {
                Some(0) => {}
                Some(TESTS_FAILED) => return Ok(TrialOutcome::Noticed),
                Some(code) if !ENDED.contains(&code) => {
                    return Err(Failure(format!("{}: nextest failed ({status})", mutant.name)));
                }
                _ => return Ok(TrialOutcome::Endless),
            }
        }
        Ok(TrialOutcome::Survived)
    }

    /// Below a process of their own kind where that can be had: a mutant may signal everything that it can see, or leave processes.
    fn nextest(&self, seconds: f64, filter: &str) -> Command {
        let apart = ["--pid", "--fork", "--mount-proc", "--kill-child"];
        let mut command = if succeeds(Command::new("unshare").args(apart).arg("true")) {
            let mut command = Command::new("unshare");
            // The shell waits for whatever is left to it, which nextest would not.
            command.args(apart).args(["sh", "-c", "\"$@\"; exit $?", "sh", "timeout"]);
            command
        } else {
            Command::new("timeout")
        };
        // Longer than nextest gives the tests that it ends; 0: no bound.
        command.args(["-k", "30", &format!("{seconds:.0}")]);
        let cargo = cargo_in(&self.built.tree, &self.built.target);
        command.arg(cargo.get_program()).args(["nextest", "run", "--binaries-metadata"]).arg(&self.known[0]);
        command.arg("--cargo-metadata").arg(&self.known[1]).args(["--no-tests", "pass", "-E", filter]);
        command.envs(cargo.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(&self.built.tree);
        quietly(&mut command);
        command
    }
}

/// nextest's words for some tests.
fn filter_of(tests: &[&Test]) -> String {
    let mut binaries: BTreeMap<&str, String> = BTreeMap::new();
    for test in tests {
        let names = binaries.entry(&test.binary).or_default();
        let _ = write!(names, "{}test(={})", if names.is_empty() { "" } else { "|" }, test.name);
    }
    let filters = binaries.iter().map(|(binary, names)| format!("(binary_id(={binary})&({names}))"));
    filters.collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "    Starting 4 tests across 2 binaries\n\
        \x20       PASS [   0.500s] (1/4) windlass::loop signals::kill\n\
        \x20       FAIL [   0.500s] (2/4) windlass::loop signals::fails\n\
        \x20       PASS [   0.250s] (3/4) windlass-host::process ends\n\
        \x20       PASS [  35.000s] (4/4) windlass::loop night::long\n\
        \x20       PASS [   0.014s] (4/4) windlass-host process::tests::starts\n";

    fn names<'a>(parts: &[Vec<&'a Test>]) -> Vec<Vec<&'a str>> {
        parts.iter().map(|part| part.iter().map(|test| test.name.as_str()).collect()).collect()
    }

    #[test]
    fn a_mutant_is_tried_with_what_reaches_it_the_quickest_of_its_own_first() {
        let notes = "windlass::loop signals::kill\t1 3\nwindlass-host::process ends\t2 2\n?\t2 2\nwindlass::loop signals::fails\t4 4\n\
                     windlass-host process::tests::starts\t2 3\nwindlass::loop night::long\t2 2\nhalf a li";
        let reach = Reach::read(TESTS, notes);
        let own_first = [vec!["process::tests::starts", "ends"], vec!["signals::kill", "night::long"]];
        assert_eq!(names(&reach.parts(2, "windlass-host")), own_first);
        assert_eq!(names(&reach.parts(1, "windlass-host")), [vec!["signals::kill"]]);
        assert!(reach.parts(4, "windlass-host").is_empty(), "what fails anyway says nothing");
        assert!(reach.parts(5, "windlass-host").is_empty());
    }

    #[test]
    fn what_only_an_unknown_test_reaches_is_tried_with_all_as_long_as_enough() {
        let text = format!("{TESTS}        PASS [  36.000s] (5/5) windlass::loop night::longer\n");
        let reach = Reach::read(&text, "?\t1 1\n");
        let parts = reach.parts(1, "windlass-host");
        assert_eq!(names(&parts)[1], ["signals::kill", "night::long"], "what is longer is left out");
        assert_eq!(
            filter_of(&parts[0]),
            "(binary_id(=windlass-host)&(test(=process::tests::starts)))|(binary_id(=windlass-host::process)&(test(=ends)))"
        );
        assert_eq!(
            filter_of(&parts[1]),
            "(binary_id(=windlass::loop)&(test(=signals::kill)|test(=night::long)))"
        );
    }
}
