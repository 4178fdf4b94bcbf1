//! `cargo xtask test`: what the tests need, then all of them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::agents;
use crate::browser;
use crate::nats;
use crate::program::{Channel, Failure, cargo, run, run_noticing, succeeds};
use crate::workspace::Workspace;

/// Runs every test, or those whose names contain one of the filters after `--`.
pub fn run_suite(workspace: &Workspace, filters: &[String]) -> Result<(), Failure> {
    agents::install(workspace)?;
    browser::install(workspace)?;
    nats::install(workspace)?;
    let began = Instant::now();
    if filters.is_empty() {
        say_how_long(workspace);
        run(cargo().args(["test", "--workspace", "--locked", "--doc"]).current_dir(&workspace.root))?;
    }
    let mut counts = Counts::default();
    let (mut command, channel) = runner(filters);
    run_noticing(command.current_dir(&workspace.root), channel, |line| {
        counts.notice(line);
    })?;
    println!("{} tests run: {} passed, {} skipped", counts.passed, counts.passed, counts.skipped);
    if counts.passed == 0 {
        return Err(Failure("no test ran, and that is not a success".to_owned()));
    }
    if filters.is_empty() {
        // Only told the next time: that it cannot be kept is nobody's trouble.
        let _ = fs::write(took_file(workspace), began.elapsed().as_secs().to_string());
    }
    Ok(())
}

/// Where it is kept how long all tests took the last time, in seconds.
fn took_file(workspace: &Workspace) -> PathBuf {
    workspace.target.join("all-tests-took")
}

fn say_how_long(workspace: &Workspace) {
    let last = fs::read_to_string(took_file(workspace)).ok().and_then(|text| text.trim().parse::<u64>().ok());
    match last {
        Some(seconds) => println!("all tests: {} min the last time, building included", seconds.div_ceil(60)),
        None => {
            println!("all tests: about 20 min on two cores where nothing is built yet, 10 min where all is");
        }
    }
}

/// The chore, with its arguments as typed: `--times N` runs them so often, one go after another, to find what fails now and
/// then; filters come after `--`.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let usage = || Failure("usage: cargo xtask test [--times N] [-- FILTER…]".to_owned());
    let (times, rest) = match arguments {
        [flag, times, rest @ ..] if flag == "--times" => (times.parse().map_err(|_| usage())?, rest),
        rest => (1, rest),
    };
    let filters = match rest {
        [] => rest,
        [first, filters @ ..] if first == "--" => filters,
        _ => return Err(usage()),
    };
    if times == 1 { run_suite(workspace, filters) } else { run_often(workspace, filters, times) }
}

/// Says of each go how it ended, and fails in the end if one of them did.
fn run_often(workspace: &Workspace, filters: &[String], times: u32) -> Result<(), Failure> {
    let began = Instant::now();
    let mut failed = Vec::new();
    for go in 1..=times {
        let ended = run_suite(workspace, filters);
        println!(
            "go {go} of {times}: {} after {} s",
            if ended.is_ok() { "passed" } else { "FAILED" },
            began.elapsed().as_secs()
        );
        failed.extend(ended.err().map(|_| go.to_string()));
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure(format!("goes that failed: {}", failed.join(", ")))) }
}

/// nextest where it is installed: it gives each test a process of its own, and bounds it. Else cargo's own runner.
fn runner(filters: &[String]) -> (Command, Channel) {
    let mut command = cargo();
    if succeeds(cargo().args(["nextest", "--version"])) {
        command.args(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
        command.arg("--test-threads").arg(tests_at_once().to_string()).args(filters);
        (command, Channel::Stderr)
    } else {
        command
            .args(["test", "--workspace", "--locked", "--no-fail-fast", "--lib", "--bins", "--tests", "--"])
            .args(filters);
        (command, Channel::Stdout)
    }
}

/// Twice as many as there are cores: most tests wait for clocks, files and programs.
fn tests_at_once() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many tests there were, from what the runners print.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u64,
    skipped: u64,
}

impl Counts {
    /// `Summary [ 0.2s] 9 tests run: 9 passed (1 slow), 2 skipped` once, or
    /// `test result: ok. 9 passed; 0 failed; 2 ignored; …` once per program.
    fn notice(&mut self, line: &str) {
        let line = line.trim_start();
        if !line.starts_with("Summary [") && !line.starts_with("test result: ") {
            return;
        }
        let words: Vec<&str> = line.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            if let [count, what] = pair
                && let Ok(count) = count.parse::<u64>()
            {
                match *what {
                    "passed" => self.passed += count,
                    "skipped" | "ignored" => self.skipped += count,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    fn counted(lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        for line in lines {
            counts.notice(line);
        }
        counts
    }

    #[test]
    fn counts_are_read_from_both_runners() {
        let nextest = ["     Summary [   0.021s] 11 tests run: 11 passed (1 slow), 3 skipped", "x 5 passed"];
        assert_eq!(counted(&nextest), Counts { passed: 11, skipped: 3 });
        let cargo = [
            "test result: ok. 9 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 2.10s",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ];
        assert_eq!(counted(&cargo), Counts { passed: 10, skipped: 2 });
        assert_eq!(counted(&["test result: ok. 0 passed; 0 failed"]), Counts::default());
    }
}
