//! Runs each test in a process of its own, and fails when anything is left behind by any of them.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::WaitOptions;
use windlass_host::process::Command;

use crate::lane::{PATIENCE, this_program};

/// The argument that asks for one test, in this process.
pub const ONE: &str = "one-test";

/// Tests at a time: they mostly wait.
const TOGETHER: usize = 4;

type Test = (&'static str, fn());

/// Understands what `cargo test` and `cargo nextest` say: filters, `--exact`, `--list`, `--ignored`.
pub fn run(words: &[&str]) -> ExitCode {
    let has = |word| words.contains(&word);
    let filters = filters(words);
    let fits = |name: &str| {
        filters.is_empty()
            || filters.iter().any(
                |filter| {
                    if has("--exact") { name == *filter } else { name.contains(filter) }
                },
            )
    };
    let mut tests = crate::tests();
    tests.retain(|(name, _)| fits(name) && !has("--ignored"));
    if has("--list") {
        for (name, _) in tests {
            say(&format!("{name}: test"));
        }
        return ExitCode::SUCCESS;
    }
    run_all(&tests)
}

/// The words that are neither an option nor an option's value: nextest asks with `--list --format terse`.
fn filters<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut filters = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--format" {
            words.next();
        } else if !word.starts_with('-') {
            filters.push(*word);
        }
    }
    filters
}

/// Runs one test here. Its panic is the process's failure.
pub fn run_one(name: &str) -> ExitCode {
    match crate::tests().into_iter().find(|(known, _)| *known == name) {
        Some((_, test)) => {
            test();
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn run_all(tests: &[Test]) -> ExitCode {
    // Whatever a test leaves behind falls to us.
    windlass_host::process::become_subreaper().unwrap();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(0_usize);
    std::thread::scope(|scope| {
        for _ in 0..TOGETHER {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !passes(test) {
                        *failed.lock().unwrap() += 1;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let left = leaves_something();
    say(&format!("\ntest result: {} passed; {failed} failed\n", tests.len() - failed));
    if left {
        say("a test left a process behind");
    }
    if failed == 0 && !left { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn passes((name, _): &Test) -> bool {
    let started = Instant::now();
    let command = Command::new(this_program()).argument(ONE).argument(name).timeout(PATIENCE * 3);
    let (passed, told) = match command.run() {
        Ok(output) => (output.succeeded(), output.stdout.text() + &output.stderr.text()),
        Err(error) => (false, error.to_string()),
    };
    let verdict = if passed { "ok" } else { "FAILED" };
    say(&format!("test {name} ... {verdict} ({:.2} s)", started.elapsed().as_secs_f64()));
    if !passed {
        say(&told);
    }
    passed
}

/// Reaps what has fallen to us and ended; says whether something lives.
fn leaves_something() -> bool {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() < deadline => {
                // sleep: a pause between two looks
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Prints a line.
#[expect(clippy::disallowed_methods, reason = "a test harness prints")]
pub fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
