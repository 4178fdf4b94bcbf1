//! `cargo xtask mutants`: are the core's rules held by its tests?
//!
//! cargo-mutants says what could be changed, one thing at a time (`<` to `<=`, an arm away, a function to a constant). All of
//! it is built into one copy of the core's tests, in which a variable chooses the mutant, so that a mutant costs a run of
//! the tests and no build. A change that no test notices shows a rule that nothing holds. What survives is killed by a
//! test, or explained in `docs/mutants.md`. It is no part of `ci`.

mod build;
mod listing;
mod trial;
mod weave;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::time::Instant;

use crate::program::Failure;
use crate::workspace::Workspace;
use listing::Mutant;
use trial::Found;

/// Where the rules are, unless it is said.
const RULES: &[&str] = &[
    "crates/windlass-core/src/run/**/*.rs",
    "crates/windlass-core/src/mode/**/*.rs",
    "crates/windlass-core/src/tasks/**/*.rs",
    "crates/windlass-core/src/agent/claude/judge.rs",
    "crates/windlass-core/src/agent/claude/prose.rs",
    "crates/windlass-core/src/agent/reset_time.rs",
];

/// The chore, with its arguments as typed: files below the root, or patterns of such; after `--only` a part of a
/// mutant's name.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let mut parts = arguments.splitn(2, |argument| argument == "--only");
    let files = parts.next().unwrap_or_default();
    let only = parts.next().unwrap_or_default();
    let files =
        if files.is_empty() { RULES.iter().map(|file| (*file).to_owned()).collect() } else { files.to_vec() };
    let program = listing::install(workspace)?;
    let mut mutants = listing::mutants_of(workspace, &program, &files)?;
    mutants.retain(|mutant| only.is_empty() || only.iter().any(|part| mutant.name.contains(part)));
    let output = workspace.target.join("mutants");
    let built = build::build(workspace, &mutants, &output)?;
    trial::passes(&built)?;
    let results = output.join("results.txt");
    let failed = |error| Failure::at(&results, error);
    let mut lines = fs::File::create(&results).map_err(failed)?;
    let began = Instant::now();
    let mut table = Table::default();
    for (number, mutant) in (1..).zip(&mutants) {
        let found = if built.left.contains(&number) {
            None
        } else if built.wrong.contains(&number) {
            Some(Found::Wrong)
        } else {
            Some(trial::tried(&built, number, mutant)?)
        };
        let word = table.take(mutant, found);
        // Whoever ends it before it is through keeps what was found.
        writeln!(lines, "{word}\t{}", mutant.name).map_err(failed)?;
        if number % 50 == 0 {
            eprintln!("     {number} of {} in {} s", mutants.len(), began.elapsed().as_secs());
        }
    }
    println!(
        "{}\ncompare the survivors with docs/mutants.md; all are in {}",
        table.text(),
        results.display()
    );
    Ok(())
}

/// What was found, by file.
#[derive(Default)]
struct Table {
    files: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

impl Table {
    /// Counts a mutant, and names it where somebody has to look at it.
    fn take(&mut self, mutant: &Mutant, found: Option<Found>) -> &'static str {
        let word = found.map_or("not tried", Found::word);
        if !matches!(found, Some(Found::Noticed | Found::Wrong)) {
            println!("{word}: {}", mutant.name);
        }
        *self.files.entry(mutant.file.clone()).or_default().entry(word).or_default() += 1;
        word
    }

    /// As it stands in `docs/mutants.md`.
    fn text(&self) -> String {
        let columns = [Found::Noticed, Found::Endless, Found::Survived, Found::Wrong].map(Found::word);
        let mut text = "| file | mutants | noticed | without end | survived | do not compile | not tried |\n\
                        |---|---|---|---|---|---|---|\n"
            .to_owned();
        for (file, counts) in &self.files {
            let file = file.strip_prefix("crates/windlass-core/src/").unwrap_or(file);
            let all: usize = counts.values().sum();
            let _ = write!(text, "| `{file}` | {all} |");
            for word in columns.iter().chain(&["not tried"]) {
                let _ = write!(text, " {} |", counts.get(word).unwrap_or(&0));
            }
            text.push('\n');
        }
        text
    }
}
