//! What kind of project this is, told by the names of the files at its root, and which commands its tools have.

mod clues;
mod feature;
mod ignored;
pub mod scaffold;
mod tools;

#[cfg(test)]
mod tests;

pub use clues::{Clues, make_targets, package_scripts};
pub use feature::{FeatureName, FeatureNameError};
pub use ignored::{adds_only, ignore_lines, missing_ignore_lines, with_ignore_lines};
use strum::IntoStaticStr;
use tools::{TOOLS, Tool};

/// What a project is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProjectType {
    /// `Cargo.toml`
    Rust,
    /// `bun.lock`, `bun.lockb`, `bunfig.toml`
    Bun,
    /// `package.json`, with npm, yarn or pnpm
    Node,
    /// `pyproject.toml`, `setup.py`, `requirements.txt` and others
    Python,
    /// `go.mod`
    Go,
    /// `pom.xml`
    Maven,
    /// `build.gradle`, `build.gradle.kts` and others
    Gradle,
    /// `*.csproj`, `*.sln` and others
    Dotnet,
    /// `Makefile`
    Make,
    /// Nothing of all this.
    Generic,
}

/// What a command shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CommandKind {
    /// The tests pass.
    Test,
    /// It can be built.
    Build,
    /// It is tidy.
    Lint,
}

/// A command that could be a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whose it is.
    pub of: ProjectType,
    /// What it shows.
    pub kind: CommandKind,
    /// For a shell.
    pub command: &'static str,
}

/// What the files at the project's root announce, the language before the tool that wraps it; never empty. A project of
/// Bun is none of Node, although it has a `package.json`.
pub fn types<'a>(files: impl IntoIterator<Item = &'a str>) -> Vec<ProjectType> {
    let mut found: Vec<ProjectType> = announced(files).map(|tool| tool.of).collect();
    found.sort_unstable();
    found.dedup();
    if found.contains(&ProjectType::Bun) {
        found.retain(|kind| *kind != ProjectType::Node);
    }
    if found.is_empty() {
        found.push(ProjectType::Generic);
    }
    found
}

/// Commands that build and test the project, whatever their arguments. Nothing among them installs, publishes or runs
/// what it likes.
pub fn usual_commands<'a>(files: impl IntoIterator<Item = &'a str>) -> Vec<&'static str> {
    let mut commands = Vec::new();
    for command in announced(files).flat_map(|tool| tool.commands) {
        if !commands.contains(command) {
            commands.push(*command);
        }
    }
    commands
}

/// Commands that could be gates: for each type those of its most specific tool (`yarn.lock` goes before
/// `package.json`), without scripts and targets that are known not to exist.
pub fn offers(clues: &Clues) -> Vec<Offer> {
    let files = || clues.files.iter().map(String::as_str);
    let mut offers = Vec::new();
    for of in types(files()) {
        let Some(tool) = announced(files()).find(|tool| tool.of == of) else { continue };
        for (kind, command) in tool.offers() {
            if clues.may_have(of, command) {
                offers.push(Offer { of, kind, command });
            }
        }
    }
    offers
}

/// The tools whose files are there, the more specific ones of a type first.
fn announced<'a>(files: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = &'static Tool> {
    let files: Vec<&str> = files.into_iter().collect();
    let is_there = move |tool: &&Tool| {
        tool.files.iter().any(|pattern| files.iter().any(|file| tools::matches(pattern, file)))
    };
    TOOLS.iter().filter(is_there)
}
