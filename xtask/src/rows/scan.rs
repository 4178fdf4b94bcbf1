//! Finds the comments by which tests name the rows they show.

use std::path::Path;

/// How such a comment begins.
const MARK: &str = "// rows:";

/// A test and the rows it names.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    /// The numbers after the mark.
    pub rows: Vec<u32>,
    /// The name of the function.
    pub test: String,
    /// Where the comment is, counted from 1.
    pub line: usize,
}

/// A comment that names no row or belongs to no test.
#[derive(Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Where the comment is, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Every such comment in the text of one Rust file, in order.
pub fn mentions(text: &str) -> Vec<Result<Mention, Misplaced>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let numbers_at = |(index, line): (usize, &&str)| Some((index + 1, line.strip_prefix(MARK)?.to_owned()));
    let marked = lines.iter().enumerate().filter_map(numbers_at);
    marked
        .map(|(line, numbers)| {
            let misplaced = |problem| Misplaced { line, problem };
            let rows: Result<Vec<u32>, _> = numbers.split(',').map(|number| number.trim().parse()).collect();
            let rows = rows.map_err(|_| misplaced("numbers separated by commas are expected"))?;
            let below = lines.get(line..).unwrap_or_default();
            let name = first_test(below).ok_or(misplaced("no test follows the rows"))?;
            Ok(Mention { rows, test: name, line })
        })
        .collect()
}

/// The test that these lines begin with, below its attributes and comments.
fn first_test(lines: &[&str]) -> Option<String> {
    let mut is_test = false;
    for line in lines {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]");
        } else if !line.starts_with("//") {
            let signature = line.split_once("fn ")?.1;
            let name = signature.split(['(', '<']).next()?.trim();
            return is_test.then(|| name.to_owned());
        }
    }
    None
}

/// The module path of a file, by the usual layout: `crates/windlass-core/src/run/tests.rs` is `windlass-core::run::tests`.
pub fn module_of(file: &Path) -> String {
    let parts = file.with_extension("");
    let parts = parts.components().filter_map(|part| part.as_os_str().to_str());
    parts.filter(|part| !matches!(*part, "crates" | "src" | "lib" | "mod")).collect::<Vec<_>>().join("::")
}
