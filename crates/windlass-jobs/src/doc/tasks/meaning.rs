//! What a success criterion asks of the runner: the phrases of claude-loop, and a plain form. Everything else has to be judged.

use super::criteria::Criterion;
use crate::doc::pipeline::misplaced;

/// What a criterion asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// ``file `p` exists``: a file or a folder is there.
    Exists(String),
    /// `` `p` contains `text` ``: a file holds a text.
    Contains(String, String),
    /// `` `cargo test` passes``: a command exits with 0.
    Command(String),
    /// `tests pass`, by the project's own command.
    TestsPass,
    /// `build passes`, by the project's own command.
    Builds,
    /// Whoever reads it has to judge.
    Judged,
}

/// What is said of a command that passes.
const PASSES: [&str; 10] = [
    "passes",
    "pass",
    "succeeds",
    "exits 0",
    "exits with 0",
    "exits with code 0",
    "exits with status 0",
    "returns 0",
    "is green",
    "runs without errors",
];

/// The same of tests and builds, which are the project's own.
const TESTS: [&str; 7] =
    ["tests", "all tests", "the tests", "test suite", "the test suite", "unit tests", "all unit tests"];
const BUILDS: [&str; 4] = ["build", "the build", "project build", "the project build"];
const BUILD_PHRASES: [&str; 4] =
    ["the project builds", "project builds", "it builds", "builds without errors"];

/// Calls that mean the project's own tests or build, whatever that is built with.
const TEST_CALLS: [&str; 3] = ["make test", "go test", "npm test"];
const BUILD_CALLS: [&str; 3] = ["go build", "make build", "npm run build"];

impl Criterion {
    /// What it asks of the runner. A path that leads out of the project is nothing that is looked up.
    pub fn meaning(&self) -> Meaning {
        let text = self.text.trim().trim_end_matches(['.', ';']).trim();
        existence(text)
            .or_else(|| content(text))
            .or_else(|| project(text))
            .or_else(|| command(text))
            .unwrap_or(Meaning::Judged)
    }
}

/// What stands between the first backticks, and what before and after them.
fn code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    (!code.trim().is_empty()).then(|| (before.trim(), code.trim(), after.trim()))
}

fn existence(text: &str) -> Option<Meaning> {
    let lower = text.to_lowercase();
    let path = if let Some((before, path, after)) = code(text) {
        let before = before.to_lowercase();
        let is_named =
            ["", "file", "the file", "a file", "folder", "the folder", "directory", "the directory"];
        let is_label = before == "exists:" || before == "file exists:";
        let says = is_label && after.is_empty()
            || is_named.contains(&before.as_str())
                && matches!(after.to_lowercase().as_str(), "exists" | "is there");
        says.then_some(path)?
    } else if let Some(path) = lower.strip_prefix("exists:").and(text.get("exists:".len()..)) {
        path.trim()
    } else {
        let path = lower.strip_prefix("file ").and(text.get("file ".len()..))?;
        let end = path.to_lowercase().strip_suffix(" exists").map(str::len)?;
        path.get(..end)?.trim()
    };
    is_path(path).then(|| Meaning::Exists(path.to_owned()))
}

fn content(text: &str) -> Option<Meaning> {
    let (before, path, after) = code(text)?;
    let is_named = matches!(before.to_lowercase().as_str(), "" | "file" | "the file");
    let wanted = after.strip_prefix("contains ").or_else(|| after.strip_prefix("contains: "))?.trim();
    // With another such sign between them it is more than one text, and somebody has to judge what is asked of them.
    let inner = |sign: char| {
        let text = wanted.strip_prefix(sign).and_then(|rest| rest.strip_suffix(sign));
        text.filter(|text| !text.contains(sign))
    };
    let wanted = inner('`').or_else(|| inner('"')).or_else(|| inner('\''))?;
    (is_named && is_path(path) && !wanted.is_empty())
        .then(|| Meaning::Contains(path.to_owned(), wanted.to_owned()))
}

/// Tests and builds that are not called by a command, or by one that only stands for what a project has.
fn project(text: &str) -> Option<Meaning> {
    let bare = text.replace('`', "").to_lowercase();
    let said = PASSES.iter().find_map(|passes| bare.strip_suffix(passes)).map(str::trim_end);
    let subject = said.unwrap_or(&bare);
    if said.is_some() && TESTS.contains(&subject) || TEST_CALLS.contains(&subject) {
        return Some(Meaning::TestsPass);
    }
    let builds = said.is_some() && BUILDS.contains(&subject) || BUILD_CALLS.contains(&subject);
    (builds || BUILD_PHRASES.contains(&bare.as_str())).then_some(Meaning::Builds)
}

/// A command, and that it passes. A single word that passes may be a test's name.
fn command(text: &str) -> Option<Meaning> {
    let (before, command, after) = code(text)?;
    let after = after.to_lowercase();
    let is_exit = after.starts_with("exits") || after.starts_with("returns");
    let is_call = is_exit || command.contains([' ', '/']);
    let is_named =
        matches!(before.to_lowercase().as_str(), "" | "command" | "the command" | "run" | "running");
    (is_named && is_call && PASSES.contains(&after.as_str())).then(|| Meaning::Command(command.to_owned()))
}

fn is_path(path: &str) -> bool {
    !path.is_empty() && misplaced(path).is_none() && !path.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 135
    // Seed defect D4, verifier/checker.go:54: names with spaces or `@`, and `a..b`, were no files.
    #[test]
    fn phrases_mean_what_they_say_and_everything_else_is_judged() {
        use Meaning::{Builds, Command, Contains, Exists, Judged, TestsPass};
        let exists = |path: &str| Exists(path.to_owned());
        let command = |text: &str| Command(text.to_owned());
        for (text, meaning) in [
            ("file `src/a.rs` exists", exists("src/a.rs")),
            ("File `my docs/a@b..c.md` exists.", exists("my docs/a@b..c.md")),
            ("`src/` exists", exists("src/")),
            ("exists: src/a.rs", exists("src/a.rs")),
            ("exists: `src/a.rs`", exists("src/a.rs")),
            ("file src/A.rs exists", exists("src/A.rs")),
            ("file `../a` exists", Judged),
            ("file `/etc/passwd` exists", Judged),
            ("file `src/*.rs` exists", Judged),
            ("the command `x` exists", Judged),
            ("`a.md` contains `## Usage`", Contains("a.md".to_owned(), "## Usage".to_owned())),
            ("`a.md` contains \"two words\"", Contains("a.md".to_owned(), "two words".to_owned())),
            ("`a.md` contains a usage section", Judged),
            ("`a.md` contains `b` and `c`", Judged),
            ("`a.md` contains `## Usage` but not `TODO`", Judged),
            ("`a.md` contains \"b\" or \"c\"", Judged),
            ("`a.md` contains 'b', 'c'", Judged),
            ("`a.md` contains 'say \"b\"'", Contains("a.md".to_owned(), "say \"b\"".to_owned())),
            ("`../a.md` contains `x`", Judged),
            ("`cargo test` passes", command("cargo test")),
            ("`./check.sh` exits 0", command("./check.sh")),
            ("`make lint` succeeds.", command("make lint")),
            ("`check` exits with code 0", command("check")),
            ("`test_login` passes", Judged),
            ("`cargo test` passes on Windows", Judged),
            ("tests pass", TestsPass),
            ("All tests pass.", TestsPass),
            ("make test", TestsPass),
            ("`go test` passes", TestsPass),
            ("build passes", Builds),
            ("`npm run build`", Builds),
            ("the project builds", Builds),
            ("the tests are readable", Judged),
            ("It is fast", Judged),
        ] {
            assert_eq!(
                Criterion { text: text.to_owned(), holds: false, line: 1 }.meaning(),
                meaning,
                "{text}"
            );
        }
    }
}
