//! `cargo xtask rows`: which features of the four tools are shown by which tests.

mod scan;
mod table;

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::program::Failure;
use crate::workspace::Workspace;

const ROWS: &str = "docs/rows.toml";
const COVERAGE: &str = "docs/coverage.md";

/// `docs/rows.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inventory {
    #[serde(rename = "group")]
    groups: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    rows: Vec<Row>,
}

/// One feature that Windlass has to have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    number: u32,
    /// 1: named by the documents of the four; 2: done by their programs; 3: an idea.
    must: u8,
    feature: String,
}

impl Row {
    /// Windlass has to have it.
    fn is_due(&self) -> bool {
        self.must < 3
    }
}

/// The tests that name a row, by its number.
type Tests = BTreeMap<u32, Vec<String>>;

/// What is done with the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It is written.
    Write,
    /// It is compared with what is there.
    Check,
}

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => run(workspace, Purpose::Write),
        [flag] if flag == "--check" => run(workspace, Purpose::Check),
        _ => Err(Failure("usage: cargo xtask rows [--check]".to_owned())),
    }
}

/// Writes `docs/coverage.md`, or says that it is out of date.
pub fn run(workspace: &Workspace, purpose: Purpose) -> Result<(), Failure> {
    let inventory = read_inventory(&workspace.read(ROWS)?)?;
    let tests = tests_of(workspace, &inventory)?;
    let wanted = table::render(&inventory, &tests);
    let path = workspace.root.join(COVERAGE);
    if purpose == Purpose::Write {
        fs::write(&path, &wanted).map_err(|error| Failure::at(&path, error))?;
    } else if fs::read_to_string(&path).ok().as_deref() != Some(&wanted) {
        return Err(Failure(format!("{COVERAGE} is out of date: run `cargo xtask rows` and commit it")));
    }
    println!("{COVERAGE}: {}", table::summary(&inventory, &tests));
    Ok(())
}

fn read_inventory(text: &str) -> Result<Inventory, Failure> {
    let inventory: Inventory = toml::from_str(text).map_err(|error| Failure(format!("{ROWS}: {error}")))?;
    let mut last = 0;
    for row in inventory.groups.iter().flat_map(|group| &group.rows) {
        if row.number <= last {
            return Err(Failure(format!("{ROWS}: row {} does not come after {last}", row.number)));
        }
        if !matches!(row.must, 1..=3) {
            return Err(Failure(format!("{ROWS}: row {} has must = {}", row.number, row.must)));
        }
        last = row.number;
    }
    Ok(inventory)
}

/// Reads the comments of every Rust file. All that is wrong with them is said at once.
fn tests_of(workspace: &Workspace, inventory: &Inventory) -> Result<Tests, Failure> {
    let mut tests = Tests::new();
    for row in inventory.groups.iter().flat_map(|group| &group.rows) {
        tests.insert(row.number, Vec::new());
    }
    let mut complaints = Vec::new();
    for file in workspace.rust_files()? {
        let module = scan::module_of(&file);
        for mention in scan::mentions(&workspace.read(&file)?) {
            let problems = match mention {
                Ok(mention) => note(mention, &module, &mut tests),
                Err(misplaced) => vec![(misplaced.line, misplaced.problem.to_owned())],
            };
            let said = problems.iter().map(|(line, problem)| format!("{}:{line}: {problem}", file.display()));
            complaints.extend(said);
        }
    }
    if complaints.is_empty() { Ok(tests) } else { Err(Failure(complaints.join("\n       "))) }
}

/// Puts a test to the rows it names. Answers which of them do not exist.
fn note(mention: scan::Mention, module: &str, tests: &mut Tests) -> Vec<(usize, String)> {
    let mut problems = Vec::new();
    for row in mention.rows {
        if let Some(names) = tests.get_mut(&row) {
            names.push(format!("{module}::{}", mention.test));
        } else {
            problems.push((mention.line, format!("{ROWS} has no row {row}")));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
