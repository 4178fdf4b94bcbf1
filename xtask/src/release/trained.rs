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
            Ok(profile) => flags.push(flag("-Cprofile-use=", &profile)),
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
