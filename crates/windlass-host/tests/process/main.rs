//! Real processes: the keeper, orphans, streams, signals.
//!
//! This test has a `main` of its own, for two reasons. The keeper and the runners that are killed here are this very
//! program under another first argument. And each test runs in a process of its own, because children, signals and
//! memory belong to processes; see [`harness`].

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod harness;
mod keeper;
mod lane;
mod leftovers;
mod orphans;
mod signals;
mod streams;

use std::process::ExitCode;

use windlass_host::process::{KEEPER_COMMAND, keeper_main};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [KEEPER_COMMAND] => keeper_main(),
        [orphans::RUNNER, script, marker] => orphans::run(script, marker),
        [leftovers::FINDER, run] => leftovers::print(run),
        [signals::LISTENER] => signals::listen(),
        [harness::ONE, name] => harness::run_one(name),
        words => harness::run(words),
    }
}

/// All tests, by name.
fn tests() -> Vec<(&'static str, fn())> {
    [keeper::TESTS, orphans::TESTS, leftovers::TESTS, signals::TESTS, streams::TESTS].concat()
}
