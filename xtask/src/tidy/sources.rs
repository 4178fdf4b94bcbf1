//! What is said line by line.

use std::path::Path;

use super::Complaint;

/// Beyond this a file is divided.
const LONGEST_FILE: usize = 500;

/// Where processes may be started, beside tests: see the crates' `clippy.toml`. The scripted agent plays a foreign
/// program, which starts what it likes.
const STARTS_PROCESSES: &[&str] = &["crates/windlass-host/src/process", "crates/windlass/src/scripted_agent"];

/// A `sleep` in a test says why it is not a sleep for luck, on its line or on the one before.
const SLEEP_MARK: &str = "// sleep:";

/// What touches nothing.
const PURE: [&str; 2] = ["crates/windlass-core", "crates/windlass-jobs"];

/// Checks a Rust file.
pub fn check_rust(file: &Path, text: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let length = text.lines().count();
    if length > LONGEST_FILE {
        complaints.push(Complaint::of(file, format!("{length} lines, {LONGEST_FILE} are the most")));
    }
    complaints.extend(check_exemptions(file, text));
    complaints.extend(check_sleeps(file, text));
    complaints
}

/// The clippy rules that keep the core pure and processes in one place are not switched off elsewhere.
fn check_exemptions(file: &Path, text: &str) -> Vec<Complaint> {
    let is_pure = PURE.iter().any(|folder| file.starts_with(folder));
    let starts_processes = text.contains("Command::new");
    let may_start = STARTS_PROCESSES.iter().any(|folder| file.starts_with(folder));
    if may_start || is_test(file) || !(is_pure || starts_processes) || file.starts_with("xtask") {
        return Vec::new();
    }
    let lines = text.lines().enumerate();
    let exempting = lines.filter(|(_, line)| {
        line.contains("clippy::disallowed_methods") || line.contains("clippy::disallowed_types")
    });
    exempting
        .map(|(index, _)| {
            let problem = if is_pure {
                "a crate of values has no exemptions"
            } else {
                "only the host's `process/` starts processes"
            };
            Complaint::at(file, index + 1, problem)
        })
        .collect()
}

/// Tests, and what only tests use.
pub fn is_test(file: &Path) -> bool {
    let names = ["tests", "tests.rs", "testing.rs"];
    file.iter().any(|part| names.iter().any(|name| part == *name))
}

/// Words that a file's code does not say.
pub struct Words<'a> {
    pub named: &'a [&'a str],
    /// So many lines of the file are not moved yet.
    pub allowed: usize,
    pub problem: &'a str,
}

/// So many lines of this file are not moved yet.
pub fn remaining(files: &[(&str, usize)], file: &Path) -> usize {
    files.iter().find(|(name, _)| file == Path::new(name)).map_or(0, |(_, lines)| *lines)
}

/// Checks a Rust file for words, but for its tests at the end and its comments.
pub fn check_words(file: &Path, text: &str, rule: &Words<'_>) -> Vec<Complaint> {
    let product = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    let code = product.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let saying = code.filter(|(_, line)| rule.named.iter().any(|word| line.contains(word)));
    let saying: Vec<usize> = saying.map(|(index, _)| index + 1).collect();
    if saying.len() < rule.allowed {
        let problem =
            format!("only {} such lines are left, say so in xtask's tidy: {}", saying.len(), rule.problem);
        return vec![Complaint::of(file, problem)];
    }
    saying.into_iter().skip(rule.allowed).map(|line| Complaint::at(file, line, rule.problem)).collect()
}

fn check_sleeps(file: &Path, text: &str) -> Vec<Complaint> {
    let tests_only = file.iter().any(|part| part == "tests" || part == "tests.rs")
        || file.starts_with("crates/windlass-testkit");
    let mut in_tests = tests_only;
    let mut previous = "";
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        in_tests |= line.starts_with("#[cfg(test)]");
        let sleeps = line.contains("sleep(") && !line.trim_start().starts_with("//");
        let marked = line.contains(SLEEP_MARK) || previous.contains(SLEEP_MARK);
        if in_tests && sleeps && !marked {
            let problem = format!("a test waits for a condition, or says `{SLEEP_MARK} why`");
            complaints.push(Complaint::at(file, index + 1, problem));
        }
        previous = line;
    }
    complaints
}

/// Checks any text file: nothing in it belongs to one machine.
pub fn check_text(file: &Path, text: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for directory in [concat!("/wo", "rk/"), concat!("/ro", "ot/")] {
            if names_path(line, directory) {
                let problem = format!("`{directory}` is a path of some machine");
                complaints.push(Complaint::at(file, index + 1, problem));
            }
        }
        if file.ends_with("package-lock.json") && line.contains("\"resolved\"") {
            complaints.push(Complaint::at(file, index + 1, "a lock file names no registry host"));
        }
    }
    complaints
}

/// Whether `directory` stands in `line` at the beginning of a path, not in the middle of one.
fn names_path(line: &str, directory: &str) -> bool {
    line.match_indices(directory).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || "._-/~}$*)>".contains(before))
    })
}
