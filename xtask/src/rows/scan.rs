//! Finds the comments by which tests name what they show.

use std::path::Path;

/// A comment and the test it belongs to.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    /// What the comment says after its mark.
    pub said: String,
    /// The name of the function.
    pub test: String,
    /// Where the comment is, counted from 1.
    pub line: usize,
}

/// A comment that names nothing there is, or belongs to no test.
#[derive(Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Where the comment is, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// Every comment in the text of one Rust file that begins with the mark, in order.
pub fn mentions(file: &str, mark: &str) -> Vec<Result<Mention, Misplaced>> {
    let lines: Vec<&str> = file.lines().map(str::trim).collect();
    let said_at =
        |(index, line): (usize, &&str)| Some((index + 1, line.strip_prefix(mark)?.trim().to_owned()));
    let mentioned = lines.iter().enumerate().filter_map(said_at);
    mentioned
        .map(|(line, said)| match first_test(lines.get(line..).unwrap_or_default()) {
            Some(name) => Ok(Mention { said, test: name, line }),
            None => Err(Misplaced { line, problem: "no test follows this comment".to_owned() }),
        })
        .collect()
}

/// The same for comments that go on: what the plain comment lines below the mark's own say belongs to it, joined by spaces.
pub fn paragraphs(file: &str, mark: &str) -> Vec<Result<Mention, Misplaced>> {
    let lines: Vec<&str> = file.lines().map(str::trim).collect();
    let continued = |line: usize| {
        let below = lines.get(line..).unwrap_or_default().iter();
        below.map_while(|line| line.strip_prefix("// ")).map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let whole = |mention: Mention| {
        let said = format!("{} {}", mention.said, continued(mention.line));
        Mention { said: said.trim_end().to_owned(), ..mention }
    };
    mentions(file, mark).into_iter().map(|mention| mention.map(whole)).collect()
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
