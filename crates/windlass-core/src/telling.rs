//! The line of a check's output that tells most: the one that names what failed.
//!
//! The last line seldom does: it is blank, a sum (`1 failed`), a hint, or the words of `make` or `npm` about a command that they
//! started.

use crate::escapes::without_escapes;

/// Whose words say most, best first; of several lines of one kind the first is told, since what follows is often a
/// consequence of it.
const KINDS: [fn(&str) -> bool; 3] = [names_test, names_error, names_what_went_wrong];

/// The line that tells most of an output; its last one with anything in it where nothing in it is known, and nothing of nothing.
/// Without escape sequences and blanks at its ends.
pub fn telling_line(output: &str) -> String {
    let lines: Vec<String> = output.lines().map(plain).filter(|line| !line.is_empty()).collect();
    let known = KINDS.iter().find_map(|kind| lines.iter().find(|line| !is_noise(line) && kind(line)));
    let last = || lines.iter().rev().find(|line| !is_noise(line)).or(lines.last());
    known.or_else(last).cloned().unwrap_or_default()
}

/// A failing test by its name.
fn names_test(line: &str) -> bool {
    let begins = |word: &str| line.starts_with(word);
    // cargo test, nextest, pytest, jest, vitest, go test, gradle, TAP, rspec.
    begins("test ") && line.ends_with("... FAILED")
        || begins("FAIL [")
        || begins("FAILED ") && line.contains("::")
        || begins("ERROR ") && line.contains(".py")
        || begins("● ") && !begins("● Test suite failed to run") && !begins("● Console")
        || begins("FAIL ") && line.contains(" > ")
        || begins("× ")
        || begins("--- FAIL: ")
        || line.ends_with(" FAILED") && line.contains(" > ")
        || begins("not ok ") && !line.contains("# TODO")
        || begins("rspec ./")
}

/// An error and where it is, as compilers, linters and interpreters say it.
fn names_error(line: &str) -> bool {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let second = rest.trim_start().split(' ').next().unwrap_or_default();
    line.starts_with("error: ")
        || line.starts_with("error[")
        || [": error ", ": error:", ": error[", " - error ", ": fatal error:"]
            .iter()
            .any(|sign| line.contains(sign))
        || is_position(first) && second == "error"
        || is_place(first) && !rest.contains("warning")
        || first.ends_with("Error:") && !rest.is_empty()
        || line.contains("panicked at ")
        || ["npm ERR! Missing script", "npm error Missing script"].iter().any(|sign| line.starts_with(sign))
        || line.starts_with("Cannot find module ")
}

/// What a tool says of the whole where no single thing is named.
fn names_what_went_wrong(line: &str) -> bool {
    line.starts_with("Execution failed for task ")
        || line.starts_with("FAIL ")
        || line.starts_with("FAIL: ")
        || line.contains("*** No rule to make target")
        || line.contains("command not found")
        || line.ends_with(": not found")
}

/// `3:5`, as eslint begins a line.
fn is_position(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once(':').is_some_and(|(line, column)| is_number(line) && is_number(column))
}

/// `./sum.go:3:9:`, as compilers begin a line.
fn is_place(word: &str) -> bool {
    let Some((file, position)) = word.strip_suffix(':').and_then(|place| place.split_once(':')) else {
        return false;
    };
    file.contains('.') && is_position(position)
}

/// Words about a command that failed, where that command has said what failed; sums, and hints.
fn is_noise(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "make: ***",
        "make[",
        "npm ERR! code",
        "npm ERR! errno",
        "npm ERR! path",
        "npm ERR! command",
        "npm ERR! Test failed",
        "npm ERR! A complete log",
        "npm ERR!     ",
        "npm error",
        "npm notice",
        "error: could not compile",
        "error: test failed",
        "error: aborting due to",
        "error: test run failed",
        "error: Recipe ",
        "error Command failed with",
        "info Visit ",
        "ELIFECYCLE",
        "exit status ",
        "Error: Process completed with exit code",
        "BUILD FAILED",
        "FAILURE: Build failed",
        "* Try:",
        "> Run with --",
        "> Get more help",
        "Ran all test suites",
        "note: run with ",
        "For more information about this error",
        "Command failed with exit code",
    ];
    let told = ["npm error Missing script", "make: *** No rule to make target"];
    !told.iter().any(|sign| line.starts_with(sign))
        && (BEGINNINGS.iter().any(|begin| line.starts_with(begin))
            || line == "FAIL"
            || line == "npm ERR!"
            || line.ends_with(" actionable tasks: 1 executed")
            || line.contains(" actionable task") && line.contains("executed"))
}

/// The line without escape sequences, control characters and blanks at its ends; of a line that was overwritten (`\r`) what
/// stands at last.
fn plain(line: &str) -> String {
    let line = line.trim_end().rsplit('\r').next().unwrap_or_default();
    let line = without_escapes(line);
    let plain: String =
        line.chars().filter(|character| *character == '\t' || !character.is_control()).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
#[path = "telling_tests.rs"]
mod tests;
