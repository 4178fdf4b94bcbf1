//! `cargo xtask inputs DIR`: what becomes of real plan and task files. DIR holds a folder per kind, in it one per repository,
//! in it files whose names are their paths with `__` for `/`. Nothing in DIR is changed.

mod case;
mod count;
mod trial;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::Failure;
use crate::workspace::Workspace;
use trial::Trial;

/// The chore, with its arguments as typed.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let usual = workspace.target.join("debug/windlass");
    let (folder, program) = match words.as_slice() {
        [folder] => (Path::new(folder), usual),
        [folder, "--program", program] => (Path::new(folder), PathBuf::from(program)),
        _ => return Err(Failure("usage: cargo xtask inputs DIR [--program WINDLASS]".to_owned())),
    };
    if !program.is_file() {
        return Err(Failure(format!("{} is not there: cargo build -p windlass", program.display())));
    }
    // It is started from other folders: a relative path would lead nowhere, and what never ran looks as if it had worked.
    let program =
        fs::canonicalize(&program).map_err(|error| Failure(format!("{}: {error}", program.display())))?;
    let mut kinds: BTreeMap<String, Vec<Trial>> = BTreeMap::new();
    for case in case::find(folder)? {
        kinds.entry(case.kind.clone()).or_default().push(trial::of(&program, &case)?);
    }
    report(&kinds);
    Ok(())
}

fn report(kinds: &BTreeMap<String, Vec<Trial>>) {
    for trial in kinds.values().flatten() {
        println!("{trial}");
    }
    println!(
        "\n| kind | inputs | workable | as a goal | refused | suspicious | not marked | bytes astray |\n|---|---|---|---|---|---|---|---|"
    );
    for (kind, trials) in kinds {
        row(kind, &trials.iter().collect::<Vec<_>>());
    }
    row("all", &kinds.values().flatten().collect::<Vec<_>>());
}

fn row(name: &str, trials: &[&Trial]) {
    let count = |is: fn(&Trial) -> bool| trials.iter().filter(|trial| is(trial)).count();
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} |",
        trials.len(),
        count(Trial::is_workable),
        count(|trial| trial.is_goal),
        count(|trial| !trial.is_workable() && !trial.is_goal),
        count(|trial| !trial.suspicions.is_empty()),
        count(|trial| !trial.unmarked.is_empty()),
        count(|trial| !trial.astray.is_empty()),
    );
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| Failure::at(folder, error);
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| Ok(entry.map_err(failed)?.path()))
        .collect::<Result<_, Failure>>()?;
    found.sort();
    Ok(found)
}
