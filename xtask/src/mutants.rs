//! `cargo xtask mutants`: are the rules of the core, and the acts of the engine, held by tests?
//!
//! cargo-mutants says what could be changed, one thing at a time (`<` to `<=`, an arm away, a function to a constant). All of
//! it is built into one copy of the tests, in which a file chooses the mutant, so that a mutant costs a run of the tests and no
//! build: of those that only compute in the core, of those that reach it in the engine. A change that no test notices shows a rule that nothing holds. What survives is killed by a test, or explained in
//! `docs/mutants.md`. It is not part of `ci`. Whoever ends it goes on with the next go: what was noticed is not tried again in the same
//! code.

mod build;
mod listing;
mod reach;
mod subject;
mod trial;
mod weave;
#[cfg(test)]
mod which;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use sha2::{Digest as _, Sha256};

use crate::program::{Failure, output_of};
use crate::workspace::Workspace;
use listing::Mutant;
use reach::Apart;
use subject::{SUBJECTS, Subject, Tests};
use trial::TrialOutcome;

const USAGE: &str = "usage: cargo xtask mutants [core|agents|engine] [PATH…] [--sample N] [--only WORDS…]";

/// What is wanted.
struct Order {
    subject: &'static Subject,
    files: Vec<String>,
    sample: Option<usize>,
    only: Vec<String>,
}

impl Order {
    /// The arguments as typed: a subject, files below the root or patterns of such; after `--only` parts of mutants' names.
    fn read(arguments: &[String]) -> Result<Order, Failure> {
        let mut order = Order { subject: &SUBJECTS[0], files: Vec::new(), sample: None, only: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if let Some(subject) = SUBJECTS.iter().find(|subject| subject.name == word) {
                order.subject = subject;
                continue;
            }
            match word.as_str() {
                "--sample" => {
                    let number = words.next().and_then(|word| word.parse().ok());
                    order.sample = Some(number.ok_or_else(|| Failure(USAGE.to_owned()))?);
                }
                "--only" => order.only.extend(words.by_ref().cloned()),
                flag if flag.starts_with('-') => return Err(Failure(USAGE.to_owned())),
                file => order.files.push(file.to_owned()),
            }
        }
        if order.files.is_empty() {
            order.files = order.subject.files.iter().map(|file| (*file).to_owned()).collect();
        }
        Ok(order)
    }

    fn mutants(&self, workspace: &Workspace) -> Result<Vec<Mutant>, Failure> {
        let program = listing::install(workspace)?;
        let mut mutants = listing::mutants_of(workspace, &program, self.subject.packages, &self.files)?;
        mutants
            .retain(|mutant| self.only.is_empty() || self.only.iter().any(|part| mutant.name.contains(part)));
        Ok(match self.sample {
            Some(wanted) => listing::sample(mutants, wanted),
            None => mutants,
        })
    }
}

/// What the tests make of a mutant, by its number.
type Tried<'a> = dyn Fn(usize, &Mutant) -> Result<TrialOutcome, Failure> + 'a;

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let order = Order::read(arguments)?;
    let mutants = order.mutants(workspace)?;
    let output = workspace.target.join("mutants").join(format!("windlass-{}", order.subject.name));
    let code = code_of(workspace)?;
    let key = format!("{code}-{}", digest_of(&mutants));
    let built = build::build(workspace, order.subject, &mutants, (&output, &key))?;
    let results = output.join(format!("results-{code}.txt"));
    let before = Noticed::read(&results);
    let tried: Box<Tried> = match order.subject.tests {
        Tests::Computing(trials) => {
            if let Some(first) = mutants.iter().find(|mutant| !before.has(mutant)) {
                trial::passes(&built, &trials(first))?;
            }
            let built = &built;
            Box::new(move |number, mutant| trial::tried(built, &trials(mutant), number))
        }
        Tests::Apart { packages, filter } => {
            let apart = Apart::prepare(&built, (packages, filter), (&output, &key))?;
            Box::new(move |number, mutant| apart.tried(number, mutant))
        }
    };
    let failed = |error| Failure::at(&results, error);
    let mut lines = fs::OpenOptions::new().create(true).append(true).open(&results).map_err(failed)?;
    let began = Instant::now();
    let mut table = Table::default();
    let turns = match order.sample {
        Some(_) => listing::by_turns(&mutants),
        None => (1..).zip(&mutants).collect(),
    };
    for (done, (number, mutant)) in (1_usize..).zip(turns) {
        let found = if built.left.contains(&number) {
            None
        } else if built.wrong.contains(&number) {
            Some(TrialOutcome::Wrong)
        } else if before.has(mutant) {
            Some(TrialOutcome::Noticed)
        } else {
            Some(tried(number, mutant)?)
        };
        let word = table.take(mutant, found);
        // Whoever ends it before it is through keeps what was found.
        writeln!(lines, "{word}\t{}", mutant.name).map_err(failed)?;
        if done % 50 == 0 {
            eprintln!("     {done} of {} in {} s", mutants.len(), began.elapsed().as_secs());
        }
    }
    println!(
        "{}\ncompare the survivors with docs/mutants.md; all are in {}",
        table.text(),
        results.display()
    );
    Ok(())
}

/// Names the code that mutants are made of and tried with, as it lies there, committed or not.
fn code_of(workspace: &Workspace) -> Result<String, Failure> {
    let git = |words: &[&str]| output_of(Command::new("git").args(words).current_dir(&workspace.root));
    let uncommitted = git(&["stash", "create"])?;
    let commit = if uncommitted.trim().is_empty() { "HEAD" } else { uncommitted.trim() };
    Ok(git(&["rev-parse", "--short=12", &format!("{commit}:crates")])?.trim().to_owned())
}

/// Names these mutants, in this order.
fn digest_of(mutants: &[Mutant]) -> String {
    let names: Vec<&str> = mutants.iter().map(|mutant| mutant.name.as_str()).collect();
    let digest = Sha256::digest(names.join("\n"));
    format!("{:016x}", digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// What an earlier go found of the same code, which was ended before it was through.
struct Noticed(BTreeSet<String>);

impl Noticed {
    fn read(results: &Path) -> Noticed {
        let text = fs::read_to_string(results).unwrap_or_default();
        let names = text
            .lines()
            .filter_map(|line| line.strip_prefix(TrialOutcome::Noticed.word())?.strip_prefix('\t'));
        Noticed(names.map(str::to_owned).collect())
    }

    fn has(&self, mutant: &Mutant) -> bool {
        self.0.contains(&mutant.name)
    }
}

/// What was found, by file.
#[derive(Default)]
struct Table {
    files: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

impl Table {
    /// Counts a mutant, and names it where somebody has to look at it.
    fn take(&mut self, mutant: &Mutant, found: Option<TrialOutcome>) -> &'static str {
        let word = found.map_or("not tried", TrialOutcome::word);
        if !matches!(found, Some(TrialOutcome::Noticed | TrialOutcome::Wrong)) {
            println!("{word}: {}", mutant.name);
        }
        *self.files.entry(mutant.file.clone()).or_default().entry(word).or_default() += 1;
        word
    }

    /// As it stands in `docs/mutants.md`.
    fn text(&self) -> String {
        let columns = [
            TrialOutcome::Noticed,
            TrialOutcome::Endless,
            TrialOutcome::Survived,
            TrialOutcome::Unreached,
            TrialOutcome::Wrong,
        ]
        .map(TrialOutcome::word);
        let mut text = "| file | mutants | noticed | without end | survived | not reached | do not compile | not tried |\n\
                        |---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for (file, counts) in &self.files {
            let file = file.split_once("/src/").map_or(file.as_str(), |(_, below)| below);
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
