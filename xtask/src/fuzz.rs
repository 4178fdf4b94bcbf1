//! `cargo xtask fuzz`: the targets of `windlass-fuzz`, guided by coverage.
//!
//! libFuzzer watches what instrumented code does and keeps every input that makes it do something new. The passes that
//! instrument are in the stable compiler; what is missing there are the sanitizers, and safe code needs them least. It
//! is built with a C++ compiler and takes some minutes, so it is a chore and not part of `ci`: there, the tests of
//! `windlass-fuzz` run the corpus and mutants of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, cargo, output_of, run};
use crate::workspace::Workspace;

/// The crate with the targets.
const CRATE: &str = "crates/windlass-fuzz";

/// How long a target is run for unless it is said.
const SECONDS: u64 = 60;

/// What makes code tell libFuzzer where it has been and what it compared.
const INSTRUMENTED: &[&str] = &[
    "--cfg",
    "fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// What was asked for.
struct Request {
    targets: Vec<String>,
    seconds: u64,
}

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let request = parse(&targets(workspace)?, arguments)?;
    let program = build(workspace)?;
    let mut broken = Vec::new();
    for target in &request.targets {
        broken.extend(fuzz(workspace, &program, target, request.seconds)?);
    }
    if broken.is_empty() {
        return Ok(());
    }
    let inputs: Vec<String> = broken.iter().map(|path| format!("\n  {}", path.display())).collect();
    Err(Failure(format!(
        "a property is broken by each of these; put it into {CRATE}/corpus/TARGET and mend what it shows:{}",
        inputs.concat()
    )))
}

/// All targets: each has a folder of inputs.
fn targets(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let folder = workspace.root.join(CRATE).join("corpus");
    let failed = |error| Failure::at(&folder, error);
    let entries = fs::read_dir(&folder).map_err(failed)?;
    let names = entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<Result<_, _>>()?;
    names.sort();
    Ok(names)
}

fn parse(known: &[String], arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request { targets: Vec::new(), seconds: SECONDS };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let seconds =
                arguments.next().and_then(|seconds| seconds.parse().ok()).filter(|seconds| *seconds > 0);
            request.seconds = seconds.ok_or_else(|| Failure("--seconds takes a number from 1".to_owned()))?;
        } else if known.contains(argument) {
            request.targets.push(argument.clone());
        } else {
            return Err(Failure(format!("there is no target `{argument}`; there are: {}", known.join(", "))));
        }
    }
    if request.targets.is_empty() {
        request.targets = known.to_vec();
    }
    Ok(request)
}

/// Builds the program that runs any target.
fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let host = host()?;
    let folder = workspace.target.join("fuzz");
    let guided = workspace.root.join(CRATE).join("guided");
    // It is a workspace of its own, but what is fuzzed has the versions that the program has.
    let (ours, its) = (workspace.root.join("Cargo.lock"), guided.join("Cargo.lock"));
    fs::copy(&ours, &its).map_err(|error| Failure::at(&its, error))?;
    let mut command = cargo();
    command
        // A target is named, so that build scripts and macros are not instrumented.
        .args(["build", "--release", "--target", &host])
        .current_dir(&guided)
        .env("CARGO_TARGET_DIR", &folder)
        .env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTED.join("\u{1f}"));
    run(&mut command).map_err(|failure| Failure(format!("{failure}\n  libFuzzer needs a C++ compiler")))?;
    Ok(folder.join(host).join("release/windlass-fuzz-guided"))
}

/// The system that the compiler runs on, as it names it.
fn host() -> Result<String, Failure> {
    let about = output_of(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure("rustc does not say which system this is".to_owned()))
}

/// Runs a target; gives the input that broke it, if one did. What it found is kept for the next time.
fn fuzz(
    workspace: &Workspace,
    program: &Path,
    target: &str,
    seconds: u64,
) -> Result<Option<PathBuf>, Failure> {
    let folder = workspace.target.join("fuzz");
    let (found, broken) = (folder.join("found").join(target), folder.join("broken").join(target));
    for folder in [&found, &broken] {
        fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    }
    let log = folder.join(format!("{target}.log"));
    let output = File::create(&log).map_err(|error| Failure::at(&log, error))?;
    let before = inputs(&broken);
    let status = Command::new(program)
        .env("WINDLASS_FUZZ_TARGET", target)
        .args([&found, &workspace.root.join(CRATE).join("corpus").join(target)])
        .args(["-timeout=20", "-rss_limit_mb=4096", "-max_len=20000", "-use_value_profile=1"])
        .args(["-print_final_stats=1".to_owned(), format!("-max_total_time={seconds}")])
        .arg(format!("-artifact_prefix={}/", broken.display()))
        .stderr(output)
        .status()
        .map_err(|error| Failure::at(program, error))?;
    println!("{target:<20} {}", summary(&fs::read_to_string(&log).unwrap_or_default()));
    if status.success() {
        return Ok(None);
    }
    let new = inputs(&broken).into_iter().find(|input| !before.contains(input));
    new.map(Some).ok_or_else(|| Failure(format!("{target} ended with {status}; {} says why", log.display())))
}

fn inputs(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// `118,203 inputs, 912 → 1,407 places reached`, from libFuzzer's log.
fn summary(log: &str) -> String {
    let number_after = |line: &str, word: &str| -> Option<u64> {
        line.split_once(word)?.1.split_whitespace().next()?.parse().ok()
    };
    let reached: Vec<u64> = log.lines().filter_map(|line| number_after(line, " cov: ")).collect();
    let inputs = log.lines().find_map(|line| number_after(line, "stat::number_of_executed_units:"));
    let edge = |number: Option<&u64>| number.map_or_else(|| "?".to_owned(), u64::to_string);
    let inputs = edge(inputs.as_ref());
    format!("{inputs} inputs, {} → {} places reached", edge(reached.first()), edge(reached.last()))
}

#[cfg(test)]
mod tests {
    use super::{parse, summary};

    #[test]
    fn targets_and_seconds_are_understood() {
        let known = ["git".to_owned(), "times".to_owned()];
        let typed = |line: &str| {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            parse(&known, &arguments).map(|request| (request.targets.join(" "), request.seconds)).ok()
        };
        assert_eq!(typed(""), Some(("git times".to_owned(), 60)));
        assert_eq!(typed("times --seconds 5"), Some(("times".to_owned(), 5)));
        for wrong in ["tims", "--seconds", "--seconds 0", "--seconds x"] {
            assert_eq!(typed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_log_is_summed_up() {
        let log = "#2\tINITED cov: 912 ft: 2000\n#9\tNEW    cov: 1407 ft: 3 corp: 1\n\
                   stat::number_of_executed_units: 118203\n";
        assert_eq!(summary(log), "118203 inputs, 912 → 1407 places reached");
        assert_eq!(summary("nothing"), "? inputs, ? → ? places reached");
    }
}
