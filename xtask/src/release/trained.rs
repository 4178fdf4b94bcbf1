//! The program as it is released, built twice: once to be watched at work, and once with what was seen.
//!
//! So the compiler knows which code runs and which never does. What runs lies together and is made fast, and what does not lies
//! apart: a process maps a third less of the program. It takes `llvm-tools` of the toolchain, and a machine that can run what it
//! builds; without them the program is built as ever, and that is said.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench;
use crate::program::{Failure, cargo, output_of, run, succeeds};
use crate::workspace::Workspace;

use super::{binary, foreign};

/// Between the flags of the compiler in cargo's variable: they may hold blanks.
const SEPARATOR: &str = "\u{1f}";

/// Whether what was seen of an earlier build will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Training {
    /// It is watched anew: what is published.
    Anew,
    /// What was seen last is taken, if there is something: code that has changed since is built as if it had not been seen.
    Kept,
}

/// Builds it for the target.
pub fn build(workspace: &Workspace, target: &str, training: Training) -> Result<PathBuf, Failure> {
    let mut flags = Vec::new();
    if foreign::compiler(target, &binary::host()?).is_some() {
        println!("built without a profile: this machine does not run programs for {target}");
    } else {
        let tools = tools()?;
        flags.extend(linking(target, &tools));
        // Not every target's library can be watched, and not everything that the training needs is everywhere. What is wrong with
        // the program itself shows in the next build.
        match profile(workspace, target, training, &tools) {
            Ok(profile) => {
                if !flags.is_empty() {
                    flags.extend(ordering(&profile, &tools)?);
                }
                flags.push(flag("-Cprofile-use=", &profile));
            }
            Err(failure) => println!("built without a profile: {failure}"),
        }
    }
    build_with(workspace, target, &workspace.target, &flags)
}

/// Where the compiler's own tools are.
fn tools() -> Result<PathBuf, Failure> {
    let library = output_of(Command::new("rustc").args(["--print", "target-libdir"]))?;
    Ok(Path::new(library.trim()).with_file_name("bin"))
}

/// What makes a static program smaller: functions that are the same are there once, and what has to be put right at its start is
/// listed in few bytes. A glibc would have to be a new one for the latter, and the linker of another machine may know neither.
fn linking(target: &str, tools: &Path) -> Vec<String> {
    let linkers = tools.join("gcc-ld");
    if !target.ends_with("-musl") || !linkers.is_dir() {
        return Vec::new();
    }
    let own = ["-fuse-ld=lld", "-Wl,--icf=all", "-Wl,--pack-dyn-relocs=relr"];
    let own = own.map(|argument| format!("-Clink-arg={argument}"));
    [flag("-Clink-arg=-B", &linkers)].into_iter().chain(own).collect()
}

/// What was seen of the program at work; where it has to be, it is watched now.
fn profile(
    workspace: &Workspace,
    target: &str,
    training: Training,
    tools: &Path,
) -> Result<PathBuf, Failure> {
    let tool = tools.join("llvm-profdata");
    if !tool.is_file() && !succeeds(Command::new("rustup").args(["component", "add", "llvm-tools"])) {
        return Err(Failure("the toolchain has no llvm-tools (rustup component add llvm-tools)".to_owned()));
    }
    let place = workspace.target.join("trained").join(target);
    let profile = place.join("seen.profdata");
    if training == Training::Kept && profile.is_file() {
        return Ok(profile);
    }
    let raw = place.join("raw");
    if raw.exists() {
        fs::remove_dir_all(&raw).map_err(|error| Failure::at(&raw, error))?;
    }
    let watched = build_with(workspace, target, &place, &[flag("-Cprofile-generate=", &raw)])?;
    bench::exercise(workspace, &watched)?;
    run(Command::new(tool).arg("merge").arg("--output").arg(&profile).arg(&raw))?;
    Ok(profile)
}

/// The functions that ran, for our own linker: it puts them beside each other.
fn ordering(profile: &Path, tools: &Path) -> Result<[String; 2], Failure> {
    let mut show = Command::new(tools.join("llvm-profdata"));
    let shown = output_of(show.args(["show", "--all-functions", "--counts"]).arg(profile))?;
    let list = profile.with_file_name("ran.txt");
    fs::write(&list, ran(&shown).join("\n")).map_err(|error| Failure::at(&list, error))?;
    Ok([
        flag("-Clink-arg=-Wl,--symbol-ordering-file=", &list),
        // Many of them live on in others alone.
        "-Clink-arg=-Wl,--no-warn-symbol-ordering".to_owned(),
    ])
}

/// The names of the functions of which a part ran, as `llvm-profdata show` tells all: a name with its unit and `;` before it where
/// others may have the same, and below it how often each part ran.
fn ran(shown: &str) -> Vec<&str> {
    let mut name = "";
    let mut ran = Vec::new();
    for line in shown.lines() {
        let part = line.trim_start();
        if let Some(counts) = part.strip_prefix("Block counts: [") {
            if counts.contains(|digit: char| ('1'..='9').contains(&digit)) {
                ran.push(name);
            }
        } else if line.len() - part.len() == 2
            && let Some(named) = part.strip_suffix(':')
        {
            name = named.rsplit(';').next().unwrap_or(named);
        }
    }
    ran
}

fn flag(name: &str, path: &Path) -> String {
    format!("{name}{}", path.display())
}

/// Builds it below `into`, with these flags besides those that whoever runs the chore has set.
fn build_with(
    workspace: &Workspace,
    target: &str,
    into: &Path,
    flags: &[String],
) -> Result<PathBuf, Failure> {
    let arguments = ["build", "--profile", "dist", "--locked", "--package", "windlass", "--target", target];
    let mut cargo = cargo();
    if let Some(compiler) = foreign::compiler(target, &binary::host()?) {
        if !succeeds(Command::new(&compiler).arg("--version")) {
            return Err(Failure(format!("{compiler} is missing: it links programs for {target}")));
        }
        cargo.envs(foreign::variables(target, &compiler));
    }
    if !flags.is_empty() {
        let set = env::var("RUSTFLAGS").unwrap_or_default();
        let all: Vec<&str> = set.split_whitespace().chain(flags.iter().map(String::as_str)).collect();
        cargo.env("CARGO_ENCODED_RUSTFLAGS", all.join(SEPARATOR));
    }
    run(cargo.args(arguments).env("CARGO_TARGET_DIR", into).current_dir(&workspace.root))?;
    Ok(into.join(target).join("dist/windlass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_is_told_by_its_counts() {
        let shown = "Counters:\n  _ZN3oneE:\n    Hash: 0x07\n    Counters: 2\n    Block counts: [0, 0]\n  \
                     unit.7-cgu.0;_ZN3twoE:\n    Hash: 0x17\n    Counters: 2\n    Block counts: [0, 12]\n  \
                     _ZN5threeE:\n    Counters: 1\n    Block counts: [3]\nInstrumentation level: IR\n";
        assert_eq!(ran(shown), ["_ZN3twoE", "_ZN5threeE"]);
        assert_eq!(ran(""), [""; 0]);
    }
}
