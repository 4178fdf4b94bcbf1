//! Which mutants there are: cargo-mutants says so.

use std::collections::BTreeMap;
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

impl Mutant {
    /// The package that its file belongs to.
    pub fn package(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }

    /// The first folder or file below `src/`.
    pub fn room(&self) -> &str {
        let below = self.file.split("/src/").nth(1).unwrap_or_default();
        below.split(['/', '.']).next().unwrap_or_default()
    }
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

/// All mutants of these files of some packages: paths below the root, or patterns of such.
pub fn mutants_of(
    workspace: &Workspace,
    program: &Path,
    packages: &[&str],
    files: &[String],
) -> Result<Vec<Mutant>, Failure> {
    let mut command = Command::new(program);
    command.args(["mutants", "--list", "--json"]);
    for package in packages {
        command.args(["--package", package]);
    }
    for file in files {
        command.args(["--file", file]);
    }
    let listed = output_of(command.current_dir(&workspace.root))?;
    let mut mutants: Vec<Mutant> =
        serde_json::from_str(&listed).map_err(|error| Failure(format!("cargo mutants --list: {error}")))?;
    mutants.sort_by(|one, other| (&one.file, one.span).cmp(&(&other.file, other.span)));
    Ok(mutants)
}

/// So many of them, as many as can be from each room (the first folder or file below `src/`), evenly spread over it.
pub fn sample(mutants: Vec<Mutant>, wanted: usize) -> Vec<Mutant> {
    let mut rooms: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for mutant in mutants {
        rooms.entry(mutant.room().to_owned()).or_default().push(mutant);
    }
    let mut chosen = Vec::new();
    let mut rooms: Vec<Vec<Mutant>> = rooms.into_values().collect();
    // Small rooms first: what they lack the others give.
    rooms.sort_by_key(Vec::len);
    let count = rooms.len();
    for (done, room) in rooms.into_iter().enumerate() {
        let share = wanted.saturating_sub(chosen.len()).div_ceil(count - done).min(room.len());
        let total = room.len();
        let picked = room.into_iter().enumerate();
        // The n-th of `share` lies at n/share of the room.
        let is_picked = |index: usize| (index * share) / total != ((index + 1) * share) / total;
        chosen.extend(picked.filter(|(index, _)| is_picked(*index)).map(|(_, mutant)| mutant));
    }
    chosen.sort_by(|one, other| (&one.file, one.span).cmp(&(&other.file, other.span)));
    chosen
}

/// Numbered from 1, and the rooms by turns: whoever ends a go has seen as much of each.
pub fn by_turns(mutants: &[Mutant]) -> Vec<(usize, &Mutant)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut turns: Vec<(usize, usize, &Mutant)> = Vec::new();
    for (number, mutant) in (1..).zip(mutants) {
        let turn = seen.entry(mutant.room()).or_default();
        *turn += 1;
        turns.push((*turn, number, mutant));
    }
    turns.sort_by_key(|(turn, number, _)| (*turn, *number));
    turns.into_iter().map(|(_, number, mutant)| (number, mutant)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(file: &str, line: usize) -> Mutant {
        let place = Place { line, column: 1 };
        Mutant {
            name: format!("{file}:{line}"),
            file: format!("crates/windlass-engine/src/{file}"),
            function: None,
            span: Span { start: place, end: place },
            replacement: String::new(),
        }
    }

    #[test]
    fn rooms_are_tried_by_turns() {
        let all = [mutant("a/one.rs", 1), mutant("a/one.rs", 2), mutant("a/two.rs", 1), mutant("b.rs", 1)];
        let numbers: Vec<usize> = by_turns(&all).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 4, 2, 3]);
    }

    #[test]
    fn a_sample_has_as_much_of_each_room_as_it_can() {
        let all: Vec<Mutant> = (1..=2)
            .map(|line| mutant("small.rs", line))
            .chain((1..=50).map(|line| mutant("large/a.rs", line)))
            .chain((1..=50).map(|line| mutant("other/b.rs", line)))
            .collect();
        for wanted in [0, 1, 3, 12, 50, 102, 1_000] {
            let chosen = sample(all.clone(), wanted);
            assert_eq!(chosen.len(), wanted.min(all.len()), "{wanted}");
            let of = |room: &str| chosen.iter().filter(|mutant| mutant.room() == room).count();
            if wanted >= 12 {
                assert_eq!(of("small"), 2);
                assert!(of("large").abs_diff(of("other")) <= 1, "{wanted}");
            }
        }
        let lines: Vec<usize> = sample(all, 12).iter().map(|mutant| mutant.span.start.line).collect();
        assert_eq!(lines, [10, 20, 30, 40, 50, 10, 20, 30, 40, 50, 1, 2], "evenly spread");
    }
}
