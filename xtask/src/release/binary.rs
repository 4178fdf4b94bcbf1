//! The program itself: built for a kind of machine, and what it needs of one.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Failure, output_of};
use crate::workspace::Workspace;

/// The machine's own target: with musl where that is installed, which runs on any Linux; else with glibc.
pub fn best_target() -> Result<String, Failure> {
    let host = host()?;
    let fixed = host.replace("-gnu", "-musl");
    let library = output_of(Command::new("rustc").args(["--print", "target-libdir", "--target", &fixed]))?;
    if Path::new(library.trim()).is_dir() {
        return Ok(fixed);
    }
    println!(
        "{fixed} is not installed (rustup target add {fixed}): building for {host}, which needs a glibc"
    );
    Ok(host)
}

/// What the compiler calls this machine.
pub fn host() -> Result<String, Failure> {
    Ok(output_of(Command::new("rustc").args(["--print", "host-tuple"]))?.trim().to_owned())
}

/// The version, as `Cargo.toml` has it.
pub fn version(workspace: &Workspace) -> Result<String, Failure> {
    of_manifest(workspace, "version")
}

/// What the program is, in one sentence.
pub fn about(workspace: &Workspace) -> Result<String, Failure> {
    of_manifest(workspace, "description")
}

fn of_manifest(workspace: &Workspace, key: &str) -> Result<String, Failure> {
    let text = workspace.read("Cargo.toml")?;
    let manifest: toml::Value =
        toml::from_str(&text).map_err(|error| Failure(format!("Cargo.toml: {error}")))?;
    let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let value = package.and_then(|package| package.get(key)).and_then(toml::Value::as_str);
    value.map(str::to_owned).ok_or_else(|| Failure(format!("Cargo.toml names no {key}")))
}

/// In seconds since 1970. `SOURCE_DATE_EPOCH` goes before it, as everywhere.
pub fn time_of_last_commit(workspace: &Workspace) -> Result<u64, Failure> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => {
            output_of(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(&workspace.root))?
        }
    };
    text.trim().parse().map_err(|error| Failure(format!("the time of the last commit: {text:?}: {error}")))
}

/// What a program needs of the machine that it runs on.
#[derive(Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but Linux.
    Linux,
    /// At least this version of glibc.
    Glibc(u32, u32),
}

impl Needs {
    /// Read from the program: it names the versions of the symbols that it asks for.
    pub fn of(program: &Path) -> Result<Needs, Failure> {
        let bytes = fs::read(program).map_err(|error| Failure::at(program, error))?;
        Ok(Needs::read(&bytes))
    }

    pub fn read(bytes: &[u8]) -> Needs {
        // A static program names no loader, whatever versions stand in its texts.
        if !contains(bytes, b"/ld-linux-") {
            return Needs::Linux;
        }
        let versions = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
        let versions = versions.filter_map(|(at, _)| version_at(bytes.get(at + MARK.len()..)?));
        versions.max().map_or(Needs::Linux, |(major, minor)| Needs::Glibc(major, minor))
    }
}

const MARK: &[u8] = b"GLIBC_";

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// `2.34` and then a zero byte, as names of symbols end; `2.2.5` counts as 2.2.
fn version_at(bytes: &[u8]) -> Option<(u32, u32)> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let mut parts = std::str::from_utf8(bytes.get(..end)?).ok()?.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

impl fmt::Display for Needs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Needs::Linux => formatter.write_str("static, runs on any Linux"),
            Needs::Glibc(major, minor) => write!(formatter, "needs glibc {major}.{minor} or newer"),
        }
    }
}
