//! `cargo xtask rows`: which features of the four tools are shown by which tests, which of their defects are held off by
//! which tests, and which attacks and bad nights.

mod attacks;
mod defects;
mod scan;
mod table;

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::program::Failure;
use crate::workspace::Workspace;

const ROWS: &str = "docs/rows.toml";
const COVERAGE: &str = "docs/coverage.md";
/// How a comment begins that names rows.
const MARK: &str = "// rows:";

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

/// Writes the tables, or says which of them is out of date.
pub fn run(workspace: &Workspace, purpose: Purpose) -> Result<(), Failure> {
    let inventory = read_inventory(&workspace.read(ROWS)?)?;
    let mut tests: Tests =
        inventory.groups.iter().flat_map(|group| &group.rows).map(|row| (row.number, Vec::new())).collect();
    each_mention(workspace, MARK, scan::mentions, |said, test| note(said, test, &mut tests))?;
    publish(workspace, COVERAGE, &table::render(&inventory, &tests), purpose)?;
    println!("{COVERAGE}: {}", table::summary(&inventory, &tests));
    defects::run(workspace, purpose)?;
    attacks::run(workspace, purpose)
}

/// Writes a generated document, or says that it is out of date.
fn publish(workspace: &Workspace, file: &str, wanted: &str, purpose: Purpose) -> Result<(), Failure> {
    let path = workspace.root.join(file);
    if purpose == Purpose::Write {
        return fs::write(&path, wanted).map_err(|error| Failure::at(&path, error));
    }
    if fs::read_to_string(&path).ok().as_deref() == Some(wanted) {
        return Ok(());
    }
    Err(Failure(format!("{file} is out of date: run `cargo xtask rows` and commit it")))
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

/// Tells what the comments of every Rust file say after the mark, and the full name of the test below each. All that
/// is wrong with them is said at once.
fn each_mention(
    workspace: &Workspace,
    mark: &str,
    scan: fn(&str, &str) -> Vec<Result<scan::Mention, scan::Misplaced>>,
    mut tell: impl FnMut(&str, &str) -> Result<(), String>,
) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    for file in workspace.rust_files()? {
        let module = scan::module_of(&file);
        for mention in scan(&workspace.read(&file)?, mark) {
            let told = mention.and_then(|mention| {
                let problem = tell(&mention.said, &format!("{module}::{}", mention.test)).err();
                problem.map_or(Ok(()), |problem| Err(scan::Misplaced { line: mention.line, problem }))
            });
            let said =
                |wrong: scan::Misplaced| format!("{}:{}: {}", file.display(), wrong.line, wrong.problem);
            complaints.extend(told.err().map(said));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(Failure(complaints.join("\n       "))) }
}

/// Puts a test to the rows it names.
fn note(said: &str, test: &str, tests: &mut Tests) -> Result<(), String> {
    for number in said.split(',') {
        let row: u32 =
            number.trim().parse().map_err(|_| "numbers separated by commas are expected".to_owned())?;
        tests.get_mut(&row).ok_or(format!("{ROWS} has no row {row}"))?.push(test.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
