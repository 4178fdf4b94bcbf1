//! Which mutants there are: cargo-mutants says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::program::{Failure, cargo, output_of, run, succeeds};
use crate::workspace::Workspace;

/// The version whose mutants `docs/mutants.md` counts.
const VERSION: &str = "27.1.0";

/// One change of one function.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// Where and what, as cargo-mutants says it.
    pub name: String,
    /// Its file, below the root.
    pub file: String,
    /// In which function; `None` for what stands in none.
    pub function: Option<Function>,
    /// What is replaced.
    pub span: Span,
    /// What by.
    pub replacement: String,
}

/// A function that has mutants.
#[derive(Clone, Debug, Deserialize)]
pub struct Function {
    /// What it returns, with the arrow.
    pub return_type: String,
    /// All of it, with its documentation.
    pub span: Span,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Its first character.
    pub start: Place,
    /// What comes after its last.
    pub end: Place,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// All mutants of these files: paths below the root, or patterns of such.
pub fn mutants_of(workspace: &Workspace, program: &Path, files: &[String]) -> Result<Vec<Mutant>, Failure> {
    let mut command = Command::new(program);
    command.args(["mutants", "--list", "--json", "--package", "windlass-core"]);
    for file in files {
        command.args(["--file", file]);
    }
    let listed = output_of(command.current_dir(&workspace.root))?;
    let mut mutants: Vec<Mutant> =
        serde_json::from_str(&listed).map_err(|error| Failure(format!("cargo mutants --list: {error}")))?;
    mutants.sort_by(|one, other| (&one.file, one.span).cmp(&(&other.file, other.span)));
    Ok(mutants)
}

/// Installs cargo-mutants below the target directory, unless it is there.
pub fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let root = workspace.target.join("tools");
    let program = root.join("bin/cargo-mutants");
    let marker = root.join(format!("cargo-mutants-{VERSION}"));
    if program.is_file()
        && marker.is_file()
        && succeeds(Command::new(&program).args(["mutants", "--version"]))
    {
        return Ok(program);
    }
    let mut command = cargo();
    command.args(["install", "--locked", "--force", "--version", VERSION, "--root"]).arg(&root);
    run(command.arg("cargo-mutants"))?;
    fs::write(&marker, "").map_err(|error| Failure::at(&marker, error))?;
    Ok(program)
}
